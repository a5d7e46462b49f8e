import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { after, before, test } from 'node:test'
import { type DotnetUnderTest, startDotnetUnderTest } from '../support/dotnet-host.ts'
import { framed } from '../support/lz4-encoder.ts'
import { decode } from '../support/message-pack-decoder.ts'
import { encode } from '../support/message-pack-encoder.ts'

let dotnet: DotnetUnderTest
before(async () => {
  dotnet = await startDotnetUnderTest()
})
after(() => dotnet.stop())

test('a request of a .NET client, header by header and byte by byte, is answered as such clients read it', async () => {
  const { ProjectId, OrganizationId } = dotnet.workspace.ids
  const body = framed(encode({ Id: ProjectId, Name: 'Updated Project', OrganizationId }))
  const session = connect(`http://${dotnet.commands.target}`)
  const stream = session.request({
    ':method': 'POST',
    ':path': '/GrpcServer.Contracts.Commands.Project.UpdateProjectCommand/',
    'content-type': 'application/grpc',
    'user-agent': 'grpc-dotnet/2.71.0 (.NET 10.0; CLR 10.0; net10.0; linux; x64)',
    te: 'trailers',
    'grpc-accept-encoding': 'identity,gzip,deflate',
    'grpc-timeout': '5S',
    'grpc-previous-rpc-attempts': '1',
    authorization: `Bearer ${dotnet.commands.administrator.token}`,
  })
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(body.length, 1)
  for (const byte of Buffer.concat([prefix, body])) stream.write(Buffer.of(byte))
  stream.end()
  const chunks: Buffer[] = []
  const trailers = new Promise<Record<string, unknown>>((resolve) => stream.once('trailers', resolve))
  const headers = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve))
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  assert.deepEqual([(await headers)[':status'], (await trailers)['grpc-status']], [200, '0'])
  assert.match(String((await headers)['content-type']), /^application\/grpc/)
  const answer = Buffer.concat(chunks)
  assert.deepEqual([answer[0], answer.readUInt32BE(1)], [0, answer.length - 5])
  const { Project, ...outcome } = decode(answer.subarray(5)) as {
    readonly Project: Readonly<Record<string, unknown>>
  }
  assert.deepEqual(outcome, { Success: true, Message: 'Project updated successfully.' })
  assert.deepEqual([Project.Id, Project.Name], [ProjectId, 'Updated Project'])
  // They ping every minute; Node answers by itself.
  await new Promise((resolve) => session.ping(resolve))
  session.close()
})
