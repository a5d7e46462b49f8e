import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fromBinary } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { loadSync, type MethodDefinition, type PackageDefinition } from '@grpc/proto-loader'
import { service as health } from 'grpc-health-check'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'

const imports = ['google/protobuf/field_mask.proto', 'google/protobuf/timestamp.proto']
const servicesServed = ['tracker.commands.v1.Commands', 'tracker.ext.v1.Commands', 'grpc.health.v1.Health']

describe('the standard services', () => {
  let host: CommandsUnderTest
  let client: Client

  before(async () => {
    host = await startCommandsUnderTest()
    client = new Client(host.target, credentials.createInsecure())
  })
  after(async () => {
    client.close()
    await host.stop()
  })

  for (const version of ['v1', 'v1alpha']) {
    describe(`reflection ${version}`, () => {
      const ask = (question: object) => reflect(client, version, question)

      test('lists the commands', async () => {
        const { listServicesResponse } = await ask({ listServices: '*' })
        const names = listServicesResponse.service.map(({ name }: { name: string }) => name)
        for (const name of servicesServed) assert.ok(names.includes(name), `${name} is missing in ${names}.`)
      })

      const questions = [
        { fileContainingSymbol: 'tracker.commands.v1.Commands' },
        { fileContainingSymbol: 'tracker.commands.v1.Commands.CreateProject' },
        { fileContainingSymbol: 'tracker.commands.v1.CreateProjectCommand' },
        { fileContainingSymbol: 'tracker.commands.v1.CreateProjectCommand.name' },
        { fileByFilename: 'tracker/commands/v1/commands.proto' },
      ]
      for (const question of questions) {
        test(`answers ${JSON.stringify(question)} with the published file and what it imports`, async () => {
          const { fileDescriptorResponse } = await ask(question)
          const files = fileDescriptorResponse.fileDescriptorProto.map((bytes: Buffer) =>
            fromBinary(FileDescriptorProtoSchema, bytes),
          ) as FileDescriptorProto[]
          assert.deepEqual(files.map(({ name }) => name).sort(), [
            ...imports,
            'tracker/commands/v1/commands.proto',
          ])
          assert.deepEqual(files[0]?.dependency, imports)
          assert.equal(files[0]?.name, 'tracker/commands/v1/commands.proto')
          assert.deepEqual(meaningOf(files[0]!), meaningOf(publishedFile()))
        })
      }

      test('answers with the file of the extensions, whichever way it is asked for', async () => {
        for (const question of [
          { fileContainingSymbol: 'tracker.ext.v1.Commands' },
          { fileContainingSymbol: 'tracker.ext.v1.Comment.text' },
          { fileByFilename: 'tracker/ext/v1/commands.proto' },
        ]) {
          const { fileDescriptorResponse } = await ask(question)
          const file = fromBinary(FileDescriptorProtoSchema, fileDescriptorResponse.fileDescriptorProto[0])
          assert.deepEqual([file.name, file.package], ['tracker/ext/v1/commands.proto', 'tracker.ext.v1'])
        }
      })

      for (const [name, path] of [
        ['google.protobuf.Timestamp', 'google/protobuf/timestamp.proto'],
        ['google.rpc.BadRequest', 'google/rpc/error_details.proto'],
      ]) {
        test(`knows the file of ${name} by its name and its symbol`, async () => {
          for (const question of [{ fileByFilename: path }, { fileContainingSymbol: name }]) {
            const { fileDescriptorResponse } = await ask(question)
            const file = fromBinary(FileDescriptorProtoSchema, fileDescriptorResponse.fileDescriptorProto[0])
            assert.equal(`${file.package}.${file.messageType[0]?.name}`, name)
          }
        })
      }

      test('says NOT_FOUND for what there is not', async () => {
        for (const question of [
          { fileContainingSymbol: 'tracker.commands.v1.Nothing' },
          { fileContainingSymbol: '' },
          { fileByFilename: 'nothing.proto' },
          { allExtensionNumbersOfType: 'tracker.commands.v1.Project' },
        ]) {
          const { errorResponse } = await ask(question)
          assert.equal(errorResponse?.errorCode, status.NOT_FOUND, JSON.stringify(question))
        }
      })
    })
  }

  test('reflection answers hundreds of questions on one stream, each when the last answer is taken', async () => {
    const stream = openReflection(client, 'v1')
    let answers = 0
    const all = new Promise<void>((resolve, reject) => {
      stream.on('error', reject)
      stream.on('end', resolve)
      stream.on('data', () => {
        answers += 1
      })
    })
    for (let asked = 0; asked < 300; asked += 1)
      stream.write({ fileByFilename: 'tracker/commands/v1/commands.proto' })
    stream.end()
    await all
    assert.equal(answers, 300)
  })

  describe('health', () => {
    const check = (service: string) => unary(client, 'Check', { service })

    test('says SERVING for the host and for the commands, NOT_FOUND for others', async () => {
      assert.deepEqual(await check(''), { status: 'SERVING' })
      assert.deepEqual(await check('tracker.commands.v1.Commands'), { status: 'SERVING' })
      await assert.rejects(check('tracker.Nothing'), { code: status.NOT_FOUND })
    })

    test('lists them all', async () => {
      const { statuses } = (await unary(client, 'List', {})) as { statuses: Record<string, unknown> }
      assert.deepEqual(Object.keys(statuses).sort(), ['', ...servicesServed.slice(0, 2)])
    })

    test('needs no token', async () => {
      assert.equal(((await check('')) as { status: string }).status, 'SERVING')
    })

    test('serves a thousand watchers, one after the other gone', async () => {
      for (let round = 0; round < 250; round += 1) {
        const streams = Array.from({ length: 4 }, () => watch(client))
        await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('data', resolve))))
        for (const stream of streams) stream.cancel()
      }
      assert.equal(((await check('')) as { status: string }).status, 'SERVING')
    })
  })
})

function watch(client: Client) {
  const { path, requestSerialize, responseDeserialize } = health.Watch as MethodDefinition<object, object>
  const request = { service: '' }
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request)
  stream.on('error', () => undefined)
  return stream
}

function unary(client: Client, name: string, request: object): Promise<object> {
  const { path, requestSerialize, responseDeserialize } = health[name] as MethodDefinition<object, object>
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, answer?: object) =>
      error ? reject(error) : resolve(answer ?? {})
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), {}, done)
  })
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is what came over the network
type Reflected = any

function openReflection(client: Client, version: string): ClientDuplexStream<object, Reflected> {
  const file = import.meta.resolve(`@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`)
  const definition = loadSync(fileURLToPath(file), { oneofs: true })
  const service = definition[`grpc.reflection.${version}.ServerReflection`] as unknown as Record<
    string,
    MethodDefinition<object, Reflected>
  >
  const { path, requestSerialize, responseDeserialize } = service.ServerReflectionInfo!
  return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize)
}

function reflect(client: Client, version: string, question: object): Promise<Reflected> {
  const stream = openReflection(client, version)
  return new Promise((resolve, reject) => {
    stream.on('error', reject)
    stream.on('data', resolve)
    stream.end(question)
  })
}

/** As another reader of .proto files understands the published one. */
function publishedFile(): FileDescriptorProto {
  const path = fileURLToPath(
    new URL('../../docs/contract/tracker/commands/v1/commands.proto', import.meta.url),
  )
  const definition: PackageDefinition = loadSync(path)
  const { fileDescriptorProtos } = definition['tracker.commands.v1.Pagination'] as unknown as {
    fileDescriptorProtos: readonly Buffer[]
  }
  const files = fileDescriptorProtos.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  return files.find((file) => file.package === 'tracker.commands.v1')!
}

/** What clients are generated from; the readers differ in how they write names. */
const meaningOf = ({ package: name, messageType, service }: FileDescriptorProto) => ({
  name,
  messages: Object.fromEntries(
    messageType.map(({ name, field, oneofDecl }) => [
      name,
      field.map((each) => ({
        name: camelCase(each.name),
        number: each.number,
        type: each.type,
        typeName: each.typeName.split('.').at(-1),
        label: each.label,
        isOptional: each.oneofIndex !== undefined && oneofDecl[each.oneofIndex]?.name.startsWith('_'),
      })),
    ]),
  ),
  methods: service.flatMap(({ name, method }) =>
    method.map((each) => ({
      name: `${name}.${each.name}`,
      from: each.inputType,
      to: each.outputType,
      isStream: each.clientStreaming || each.serverStreaming,
    })),
  ),
})

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())

test('With EXTENSIONS=off, reflection and health know the commands of the contract alone', async () => {
  const host = await startCommandsUnderTest({ EXTENSIONS: 'off' })
  const client = new Client(host.target, credentials.createInsecure())
  const { listServicesResponse } = await reflect(client, 'v1', { listServices: '*' })
  const names = listServicesResponse.service.map(({ name }: { name: string }) => name)
  assert.ok(names.includes('tracker.commands.v1.Commands') && !names.includes('tracker.ext.v1.Commands'))
  const { errorResponse } = await reflect(client, 'v1', { fileByFilename: 'tracker/ext/v1/commands.proto' })
  assert.equal(errorResponse?.errorCode, status.NOT_FOUND)
  await assert.rejects(unary(client, 'Check', { service: 'tracker.ext.v1.Commands' }), {
    code: status.NOT_FOUND,
  })
  client.close()
  await host.stop()
})
