import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http2'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { freePort, spawnStart } from '../support/child-host.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'
import { openRawCalls, type RawCalls } from '../support/raw-calls.ts'

describe('The diagnostics of the command host', () => {
  const host = fixture(startCommandsUnderTest, { METRICS: 'true' })

  const ask = (path: string, token?: string) =>
    fetch(`${host.diagnostics}${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} })

  async function assertRejected(answer: Response, statusCode: number) {
    const body = (await answer.json()) as { statusCode: number; message: string }
    assert.deepEqual([answer.status, body.statusCode], [statusCode, statusCode])
    assert.ok(body.message)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }

  test('respond to GET / with Hello World! for a token for commands', async () => {
    const { administrator, identity } = host
    await assertRejected(await ask('/'), 401)
    await assertRejected(await ask('/', 'nonsense'), 401)
    await assertRejected(await ask('/', await identity.serviceToken(administrator.login, 'svc.api')), 401)
    const answer = await ask('/', administrator.token)
    assert.deepEqual([answer.status, await answer.text()], [200, 'Hello World!'])
  })

  describe('on the port of the commands', () => {
    let raw: RawCalls
    before(() => {
      raw = openRawCalls(host.target)
    })
    after(() => raw.close())
    const get = (headers: OutgoingHttpHeaders = {}, isEnded = true) =>
      raw.send({ ':method': 'GET', ':path': '/', ...headers }, undefined, isEnded)
    const bearing = (token: string) => ({ authorization: `Bearer ${token}` })

    test('have the same policy for GET /: Hello World! for a token for commands, 401 otherwise', async () => {
      const { administrator, identity } = host
      const accepted = await get(bearing(administrator.token))
      assert.deepEqual([accepted.httpStatus, accepted.body.toString()], [200, 'Hello World!'])
      assert.match(String(accepted.headers['content-type']), /^text\/plain/)
      const forRest = await identity.serviceToken(administrator.login, 'svc.api')
      for (const token of [undefined, 'nonsense', forRest]) {
        const answer = await get(token === undefined ? {} : bearing(token))
        const twin = await ask('/', token)
        assert.deepEqual([answer.httpStatus, twin.status], [401, 401])
        assert.deepEqual(JSON.parse(answer.body.toString()), await twin.json())
        for (const name of ['content-type', 'www-authenticate', 'x-content-type-options', 'cache-control'])
          assert.equal(answer.headers[name], twin.headers.get(name) ?? undefined, name)
      }
    })

    test('respond to HEAD / without a body, and to GET / before the request ends', async () => {
      const head = await get({ ':method': 'HEAD', ...bearing(host.administrator.token) })
      assert.deepEqual([head.httpStatus, head.body.length], [200, 0])
      const unfinished = await get(bearing(host.administrator.token), false)
      assert.deepEqual([unfinished.httpStatus, unfinished.body.toString()], [200, 'Hello World!'])
    })

    test('respond with 415 to any other request that is not a call', async () => {
      const token = bearing(host.administrator.token)
      for (const path of ['/healthz', '/readyz', '/metrics', '/nothing'])
        assert.equal((await get({ ':path': path, ...token })).httpStatus, 415, path)
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
        assert.equal((await get({ ':method': method, ...token })).httpStatus, 415, method)
      assert.equal((await get()).httpStatus, 401)
    })
  })

  test('respond to /healthz and /readyz without a token', async () => {
    assert.equal((await ask('/healthz')).status, 200)
    assert.equal((await ask('/readyz')).status, 200)
    await assertRejected(await ask('/nothing'), 404)
    await assertRejected(await fetch(`${host.diagnostics}/healthz`, { method: 'POST' }), 405)
  })

  test('measure calls by command and code', async () => {
    const calls = openCommandCalls(host.target)
    const { token } = host.administrator
    await calls.call('CreateImpediment', { name: 'Rain' }, { token })
    await calls.call('CreateImpediment', {}, { token })
    await calls.call('CreateImpediment', { name: 'Rain' })
    calls.close()
    const text = await (await ask('/metrics')).text()
    for (const code of ['OK', 'INVALID_ARGUMENT', 'UNAUTHENTICATED']) {
      assert.match(
        text,
        new RegExp(`command_duration_seconds_count{command="CreateImpediment",code="${code}"} 1\n`),
      )
    }
  })

  test('respond with 503 in the envelope while the store is unavailable', async () => {
    const other = await startCommandsUnderTest()
    assert.equal((await fetch(`${other.diagnostics}/readyz`)).status, 200)
    await other.database.close()
    await assertRejected(await fetch(`${other.diagnostics}/readyz`), 503)
    assert.equal((await fetch(`${other.diagnostics}/healthz`)).status, 200)
    await assertRejected(await fetch(`${other.diagnostics}/metrics`), 404)
    // `stop` would close the store again.
    await other.stopHost()
    await other.identity.stop()
  })
})

describe('npm start -- commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-ports-'))
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  for (const variable of ['COMMAND_PORT', 'COMMAND_DIAGNOSTICS_PORT']) {
    test(`reports that the port of ${variable} is in use`, async () => {
      const occupant = createServer().listen(0, '127.0.0.1')
      await once(occupant, 'listening')
      const { port } = occupant.address() as { port: number }
      const ports = {
        COMMAND_PORT: await freePort(),
        COMMAND_DIAGNOSTICS_PORT: await freePort(),
        [variable]: port,
      }
      const child = spawnStart(
        {
          // Both starts use one store, because creating a store takes a long time.
          DATA_DIR: join(folder, 'data'),
          ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
        },
        ['commands'],
      )
      assert.equal(await child.exited, 1, child.output())
      assert.match(
        child.output(),
        new RegExp(
          `Port ${port} is in use. Stop what uses it, or set COMMAND_PORT or COMMAND_DIAGNOSTICS_PORT to another port.`,
        ),
      )
      assert.doesNotMatch(child.output(), /\n\s+at /)
      assert.equal(existsSync(join(folder, 'data', 'postgres', 'postmaster.pid')), false)
      occupant.close()
    })
  }
})

const imports = ['google/protobuf/field_mask.proto', 'google/protobuf/timestamp.proto']
const servicesServed = ['tracker.commands.v1.Commands', 'tracker.ext.v1.Commands', 'grpc.health.v1.Health']

describe('The standard services:', () => {
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
        test(`answers ${JSON.stringify(question)} with the published file and its imports`, async () => {
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
          assert.deepEqual(meaningOf(files[0]!), meaningOf(parsePublishedFile()))
        })
      }

      test('finds the file of the extensions by its name and by its symbols', async () => {
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

      for (const { name, path } of [
        { name: 'google.protobuf.Timestamp', path: 'google/protobuf/timestamp.proto' },
        { name: 'google.rpc.BadRequest', path: 'google/rpc/error_details.proto' },
      ]) {
        test(`finds the file of ${name} by its name and by its symbol`, async () => {
          for (const question of [{ fileByFilename: path }, { fileContainingSymbol: name }]) {
            const { fileDescriptorResponse } = await ask(question)
            const file = fromBinary(FileDescriptorProtoSchema, fileDescriptorResponse.fileDescriptorProto[0])
            assert.equal(`${file.package}.${file.messageType[0]?.name}`, name)
          }
        })
      }

      test('responds with NOT_FOUND for unknown symbols and files', async () => {
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

  test('reflection answers hundreds of questions on one stream', async () => {
    const stream = openReflection(client, 'v1')
    let answers = 0
    const all = new Promise<void>((resolve, reject) => {
      stream.on('error', reject)
      stream.on('end', resolve)
      stream.on('data', () => {
        answers += 1
      })
    })
    for (let count = 0; count < 300; count += 1)
      stream.write({ fileByFilename: 'tracker/commands/v1/commands.proto' })
    stream.end()
    await all
    assert.equal(answers, 300)
  })

  describe('health', () => {
    const check = (service: string) => unary(client, 'Check', { service })

    test('reports SERVING for the host and for the commands', async () => {
      assert.deepEqual(await check(''), { status: 'SERVING' })
      assert.deepEqual(await check('tracker.commands.v1.Commands'), { status: 'SERVING' })
      await assert.rejects(check('tracker.Nothing'), { code: status.NOT_FOUND })
    })

    test('lists all services', async () => {
      const { statuses } = (await unary(client, 'List', {})) as { statuses: Record<string, unknown> }
      assert.deepEqual(Object.keys(statuses).sort(), ['', ...servicesServed.slice(0, 2)])
    })

    test('needs no token', async () => {
      assert.equal(((await check('')) as { status: string }).status, 'SERVING')
    })

    test('still reports SERVING after a thousand watchers have left', async () => {
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

/** Parses the published .proto file with an independent parser. */
function parsePublishedFile(): FileDescriptorProto {
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

/** Returns the parts from which clients are generated. The parsers differ in how they spell names. */
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

test('With EXTENSIONS=off, reflection and health only know the commands of the contract', async () => {
  await using host = await startCommandsUnderTest({ EXTENSIONS: 'off' })
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
})
