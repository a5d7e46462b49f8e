import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { goodList, listOrganizations } from './assert-serves.ts'

describe('A connection to the commands', () => {
  let host: CommandsUnderTest
  before(async () => {
    host = await startCommandsUnderTest({}, { unauthenticatedMilliseconds: 300 })
  })
  after(() => host.stop())

  test('has a hundred streams until a token was accepted on it, and then more', async (t) => {
    const raw = openRawCalls(host.target)
    t.after(raw.close)
    await once(raw.session, 'remoteSettings')
    const streamsMax = () => raw.session.remoteSettings.maxConcurrentStreams
    assert.equal(streamsMax(), 100)
    const refused = await raw.send(grpcHeaders(listOrganizations, 'nobodys'), framed(goodList))
    assert.deepEqual([refused.status, streamsMax()], [status.UNAUTHENTICATED, 100])
    const answered = await raw.send(
      grpcHeaders(listOrganizations, host.administrator.token),
      framed(goodList),
    )
    assert.deepEqual([answered.status, streamsMax()], [status.OK, 4096])
  })

  for (const [kind, path] of [
    ['a watch of health', '/grpc.health.v1.Health/Watch'],
    ['a call of reflection', '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'],
  ] as const) {
    test(`ends ${kind} after a while without a token`, async (t) => {
      const raw = openRawCalls(host.target)
      t.after(raw.close)
      const ended = await raw.send(grpcHeaders(path), framed(Buffer.alloc(0)), false)
      assert.deepEqual(
        [ended.status, ended.message],
        [status.DEADLINE_EXCEEDED, 'A call on a connection without a token must end sooner. Call again.'],
      )
    })
  }

  test('names the request in the trailers, of a success and of an error', async (t) => {
    const raw = openRawCalls(host.target)
    t.after(raw.close)
    for (const token of [host.administrator.token, undefined]) {
      const headers = { ...grpcHeaders(listOrganizations, token), 'x-request-id': 'seen-by-a-proxy' }
      const answer = await raw.send(headers, framed(goodList))
      assert.equal(answer.headers['x-request-id'], 'seen-by-a-proxy')
    }
  })
})
