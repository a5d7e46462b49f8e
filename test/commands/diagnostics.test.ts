import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http2'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freePort, spawnStart } from '../support/child-host.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { openRawCalls, type RawCalls } from '../support/raw-calls.ts'

describe('the diagnostics of the command host', () => {
  let host: CommandsUnderTest

  before(async () => {
    host = await startCommandsUnderTest({ METRICS: 'true' })
  })
  after(() => host.stop())

  const ask = (path: string, token?: string) =>
    fetch(`${host.diagnostics}${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} })

  async function assertRefused(answer: Response, statusCode: number) {
    const body = (await answer.json()) as { statusCode: number; message: string }
    assert.deepEqual([answer.status, body.statusCode], [statusCode, statusCode])
    assert.ok(body.message)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }

  test('GET / returns Hello World! with a token for commands, and 401 otherwise', async () => {
    const { administrator, identity } = host
    await assertRefused(await ask('/'), 401)
    await assertRefused(await ask('/', 'nonsense'), 401)
    await assertRefused(await ask('/', await identity.serviceToken(administrator.login, 'svc.api')), 401)
    const answer = await ask('/', administrator.token)
    assert.deepEqual([answer.status, await answer.text()], [200, 'Hello World!'])
  })

  describe('on the port of the commands, over HTTP/2', () => {
    let raw: RawCalls
    before(() => {
      raw = openRawCalls(host.target)
    })
    after(() => raw.close())
    const get = (headers: OutgoingHttpHeaders = {}, isEnded = true) =>
      raw.send({ ':method': 'GET', ':path': '/', ...headers }, undefined, isEnded)
    const bearing = (token: string) => ({ authorization: `Bearer ${token}` })

    test('GET / has the same policy: Hello World! with a token for commands, 401 otherwise', async () => {
      const { administrator, identity } = host
      const good = await get(bearing(administrator.token))
      assert.deepEqual([good.httpStatus, good.body.toString()], [200, 'Hello World!'])
      assert.match(String(good.headers['content-type']), /^text\/plain/)
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

    test('HEAD / answers without a body, and a request that never ends keeps no stream', async () => {
      const head = await get({ ':method': 'HEAD', ...bearing(host.administrator.token) })
      assert.deepEqual([head.httpStatus, head.body.length], [200, 0])
      const endless = await get(bearing(host.administrator.token), false)
      assert.deepEqual([endless.httpStatus, endless.body.toString()], [200, 'Hello World!'])
    })

    test('anything else that is no call is 415, with a token too', async () => {
      const token = bearing(host.administrator.token)
      for (const path of ['/healthz', '/readyz', '/metrics', '/nothing'])
        assert.equal((await get({ ':path': path, ...token })).httpStatus, 415, path)
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
        assert.equal((await get({ ':method': method, ...token })).httpStatus, 415, method)
      assert.equal((await get()).httpStatus, 401)
    })
  })

  test('answers /healthz and /readyz to everyone, and other paths with 404 in the envelope', async () => {
    assert.equal((await ask('/healthz')).status, 200)
    assert.equal((await ask('/readyz')).status, 200)
    await assertRefused(await ask('/nothing'), 404)
    await assertRefused(await fetch(`${host.diagnostics}/healthz`, { method: 'POST' }), 405)
  })

  test('measures calls by command and code', async () => {
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

  test('says 503 in the envelope while the store is away', async () => {
    const other = await startCommandsUnderTest()
    assert.equal((await fetch(`${other.diagnostics}/readyz`)).status, 200)
    await other.database.close()
    await assertRefused(await fetch(`${other.diagnostics}/readyz`), 503)
    assert.equal((await fetch(`${other.diagnostics}/healthz`)).status, 200)
    await assertRefused(await fetch(`${other.diagnostics}/metrics`), 404)
    // The rest of `stop` closes the store, which is closed.
    await other.stopHost()
    await other.identity.stop()
  })
})

describe('npm start -- commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-ports-'))
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  for (const variable of ['COMMAND_PORT', 'COMMAND_DIAGNOSTICS_PORT']) {
    test(`says that ${variable} is taken, and leaves nothing running`, async () => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const { port } = taken.address() as { port: number }
      const ports = {
        COMMAND_PORT: await freePort(),
        COMMAND_DIAGNOSTICS_PORT: await freePort(),
        [variable]: port,
      }
      const child = spawnStart(
        {
          // The second start finds the store of the first one: making one is not what this is about.
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
      taken.close()
    })
  }
})
