import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { globalAgent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readAttachmentSettings } from '../../src/config/host-settings.ts'
import { type Environment, readSettings } from '../../src/config/settings.ts'
import { raw } from '../../src/db/sql.ts'
import { objectUrl, openS3Store } from '../../src/features/attachments/s3-store.ts'
import { Problem } from '../../src/model/problem.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { type AttachmentScene, attachmentScene, sha256 } from '../support/attachment-scene.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'
import { until } from '../support/until.ts'

const settingsOf = (environment: Environment) => readSettings(environment, readAttachmentSettings)

describe('With an S3-compatible store', () => {
  let server: S3Server
  let scene: AttachmentScene
  before(async () => {
    server = await startS3Server()
    const { Attachments__S3__SecretKey: secret, ...environment } = server.environment
    const folder = await mkdtemp(join(tmpdir(), 's3-'))
    const file = join(folder, 'secret')
    await writeFile(file, `${secret}\n`)
    scene = await attachmentScene({
      ...environment,
      Attachments__S3__SecretKey_FILE: file,
      LOG_LEVEL: 'fatal',
    })
    await rm(folder, { recursive: true })
  })
  after(async () => {
    await scene.stop()
    await server.stop()
  })

  const objectOf = (id: string) => server.objects.get(`/tracker-files/${id}`)
  const assertUnavailable = (answer: Parameters<typeof assertEnvelope>[0]) => {
    assertEnvelope(answer, 503)
    assert.equal(answer.headers.get('retry-after'), '10')
  }
  const downloadFails = async (id: string) => {
    const { status, bytes } = await scene.download(id)
    assert.deepEqual([status, JSON.parse(String(bytes)).statusCode], [503, 503])
  }

  test('files are stored in the bucket and served from there', async () => {
    const bytes = Buffer.alloc(3 * 1024 ** 2, 'x')
    const { id } = await scene.attach(bytes)
    assert.equal(sha256(objectOf(id) ?? ''), sha256(bytes))
    assert.deepEqual(await scene.storedFiles(), [])
    assert.equal(sha256((await scene.download(id)).bytes), sha256(bytes))
    const part = await scene.download(id, { headers: { range: 'bytes=5-6' } })
    assert.deepEqual([part.status, String(part.bytes)], [206, 'xx'])
    assert.equal((await scene.download(id, { method: 'HEAD' })).status, 200)
    assert.ok(!server.requests.some((request) => request.startsWith('HEAD')))
  })

  for (const [what, fault] of [
    [
      'that responds with an error',
      (_, response) => void response.writeHead(500).end('<Code>InternalError</Code>'),
    ],
    ['that closes the connection', (request) => void request.destroy()],
  ] as const satisfies readonly (readonly [string, NonNullable<S3Server['fault']>])[])
    test(`a store ${what} causes a 503`, async () => {
      const { id } = await scene.attach('x')
      const objects = server.objects.size
      server.fault = fault
      assertUnavailable(await scene.upload('y'))
      await downloadFails(id)
      server.fault = undefined
      assert.equal(server.objects.size, objects)
      assert.deepEqual(await scene.storedFiles(), [])
      assert.equal(
        (await scene.rest.database.query(raw(`select from attachments where name = 'y'`))).length,
        0,
      )
      assert.equal(String((await scene.download(id)).bytes), 'x')
    })

  test('a file that is missing or incomplete in the bucket causes a 503', async () => {
    const [lost, cut] = [await scene.attach('lost'), await scene.attach('shorter')]
    server.objects.delete(`/tracker-files/${lost.id}`)
    server.objects.set(`/tracker-files/${cut.id}`, Buffer.from('short'))
    for (const { id } of [lost, cut]) await downloadFails(id)
  })

  test('the second file of a repeated upload is deleted from the bucket', async () => {
    const headers = { 'idempotency-key': 'once' }
    const { id } = await scene.attach('the same', { headers })
    const objects = server.objects.size
    assert.equal((await scene.attach('the same', { headers })).id, id)
    await until(() => server.objects.size === objects, 'the second file to be deleted')
    assert.ok(objectOf(id))
  })

  test('each bucket has its own identity', async () => {
    const identity = (bucket: string) => {
      const { s3 } = settingsOf({ ...server.environment, Attachments__S3__Bucket: bucket })
      return s3 && openS3Store(s3).identity()
    }
    assert.notEqual(await identity('one-bucket'), await identity('other-bucket'))
    assert.doesNotMatch(String(await identity('one-bucket')), /secret/)
  })
})

describe('The client of S3', () => {
  let server: S3Server
  let folder: string
  before(async () => {
    server = await startS3Server()
    folder = await mkdtemp(join(tmpdir(), 's3-'))
  })
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })
  const storeWith = (overrides: Environment = {}) => {
    const { s3 } = settingsOf({ ...server.environment, ...overrides })
    assert.ok(s3)
    return openS3Store(s3)
  }
  async function file(content: string) {
    const path = join(folder, 'file')
    await writeFile(path, content)
    return { path, size: content.length, sha256: sha256(content) }
  }
  const causeOf = (error: unknown) => String(((error as Problem).cause as Error).message)

  test('stores, reads and deletes files', async () => {
    const store = storeWith()
    await store.put('one', await file('content'))
    assert.deepEqual(await readdir(folder), [])
    const read = await store.read('one', { size: 7 }, { start: 1, end: 3 })
    assert.equal(String(Buffer.concat(await read.toArray())), 'ont')
    await store.delete('one')
    await store.delete('one')
    assert.equal(server.objects.size, 0)
  })

  test('names the reason of a rejection for the log', async () => {
    for (const [overrides, code] of [
      [{ Attachments__S3__SecretKey: 'another secret' }, /403: .*SignatureDoesNotMatch/],
      [{ Attachments__S3__AccessKey: 'ANOTHER' }, /403: .*InvalidAccessKeyId/],
      [{ Attachments__S3__Region: 'eu-other-1' }, /403: .*SignatureDoesNotMatch/],
    ] as const)
      await assert.rejects(storeWith(overrides).delete('one'), (error) => {
        assert.ok(error instanceof Problem && error.kind === 'overloaded')
        assert.match(causeOf(error), code)
        assert.doesNotMatch(causeOf(error), /another secret/)
        return true
      })
  })

  test('does not wait for the end of an error response', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    server.fault = (_, response) => void response.writeHead(503).write('<Code>SlowDown</Code>')
    let isSettled = false
    const failure = storeWith()
      .delete('one')
      .catch((error: unknown) => error)
      .finally(() => {
        isSettled = true
      })
    for (let ticks = 0; !isSettled && ticks < 100_000; ticks += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      t.mock.timers.tick(1000)
    }
    server.fault = undefined
    assert.ok(isSettled)
    const error = await failure
    assert.ok(error instanceof Problem && error.kind === 'overloaded')
    assert.match(causeOf(error), /^The file store answered with 503: /)
  })

  test('signs the hash of a body, so that bytes that change on their way are rejected', async () => {
    const wrong = { ...(await file('content')), sha256: sha256('other') }
    await assert.rejects(storeWith().put('one', wrong), (error) => /SHA256Mismatch/.test(causeOf(error)))
    assert.equal(server.objects.size, 0)
  })

  test('repeats a request if the store has closed the idle connection', async () => {
    const store = storeWith()
    await store.delete('one')
    const { port } = new URL(String(server.environment.Attachments__S3__Endpoint))
    const idle = () => Object.values(globalAgent.freeSockets).flatMap((sockets) => sockets ?? [])
    await until(() => idle().some(({ remotePort }) => String(remotePort) === port), 'an idle connection')
    let faults = 0
    server.fault = (request) => {
      faults += 1
      server.fault = undefined
      request.socket.resetAndDestroy()
    }
    await store.delete('one')
    assert.equal(faults, 1)
  })

  test('puts the bucket into the path, or into the name of the host', () => {
    const endpoint = 'https://s3.example.com:9000'
    const urlWith = (pathStyle: boolean) => objectUrl({ endpoint, bucket: 'files', pathStyle }, 'one').href
    assert.equal(urlWith(true), 'https://s3.example.com:9000/files/one')
    assert.equal(urlWith(false), 'https://files.s3.example.com:9000/one')
  })

  test('is used only with complete and valid settings', () => {
    const { Attachments__S3__SecretKey: _, ...incomplete } = server.environment
    assert.throws(
      () => settingsOf(incomplete),
      /Files in an S3-compatible store also need Attachments__S3__SecretKey\./,
    )
    for (const [name, value] of [
      ['Bucket', 'Two Words'],
      ['Endpoint', 'https://s3.example.com/path'],
    ])
      assert.throws(() => settingsOf({ ...server.environment, [`Attachments__S3__${name}`]: value }), /must/)
    assert.equal(settingsOf({}).s3, undefined)
  })
})
