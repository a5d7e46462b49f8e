import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { requireKept } from '../../../test/faults/bank-checks.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { readSettings } from '../../config/settings.ts'
import type { StoreAddress } from '../../db/poolers.ts'
import { prepareBank, startBank } from './main.ts'
import { auditLedger } from './testing/audit.ts'
import { countAccepted, instancesOf } from './testing/connections.ts'
import { get, transact } from './testing/in-process.ts'
import { testSettings } from './testing/settings.ts'
import {
  openRawClient,
  sendAlone,
  startTransactionLoad,
  statementRequest,
} from './testing/transaction-load.ts'

const log = pino({ level: 'silent' })

describe('the bank', () => {
  let store: FreshDatabase
  before(async () => {
    store = await freshDatabase()
  })
  after(() => store.drop())

  test('starts with settings from the environment', async (t) => {
    const start = readSettings({ BANK_PORT: '0', BANK_INSTANCES: '1', LOG_LEVEL: 'silent' }, prepareBank)
    const { title, address, stop } = await start({ url: store.url })
    t.after(stop)
    assert.equal(title, 'Bank')
    assert.match(address, /^http:\/\/localhost:\d+$/)
    const { text } = await get(Number(address.split(':').at(-1)), '/clientes/1/extrato')
    assert.deepEqual(JSON.parse(text).ultimas_transacoes, [])
    await auditLedger(store.url)
  })

  test('runs as two processes behind one port', async (t) => {
    if (process.platform !== 'linux') return t.skip('accepted connections can only be counted on Linux')
    const { port, pids, stop } = await startBank(store, testSettings, log)
    t.after(stop)
    const clients = Array.from({ length: 60 }, () => openRawClient(port))
    t.after(() => {
      for (const client of clients) client.close()
    })
    await Promise.all(clients.map((client) => client.send(statementRequest(1))))
    const counts = countAccepted(pids(), port)
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      60,
    )
    assert.ok(counts.length === 2 && counts.every((count) => count > 5), `${counts}`)
  })

  test('reports unhealthy but keeps serving after it announced its stop', async (t) => {
    const { port, announceStop, stop } = await startBank(store, { ...testSettings, instances: 1 }, log)
    assert.equal((await get(port, '/healthz')).status, 200)
    announceStop()
    while ((await get(port, '/healthz')).status === 200) await sleep(10)
    const client = openRawClient(port)
    t.after(client.close)
    assert.equal((await client.send(statementRequest(1))).status, 200)
    const stopped = stop()
    while (await accepts(port)) await sleep(10)
    assert.equal(client.isOpen(), true)
    assert.equal((await client.send(statementRequest(1))).status, 200)
    assert.equal(client.isOpen(), false)
    await stopped
  })

  test('stops gracefully under load: requests in progress are answered', async () => {
    const { port, pids, stop } = await startBank(store, testSettings, log)
    const processes = pids()
    const load = startTransactionLoad(port, 16)
    while (load.applied.length < 100) await sleep(10)
    await stop()
    for (const pid of processes) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    await load.stop()
    requireKept(load, await auditLedger(store.url))
  })

  for (const instances of [1, 2]) {
    test(`replaces its ${instances} processes one by one without failed requests`, async (t) => {
      const { port, pids, restart, stop } = await startBank(store, { ...testSettings, instances }, log)
      t.after(stop)
      const before = pids()
      const load = startTransactionLoad(port, 16, `r${instances}.`)
      // Each request also opens its own connection, so that some are always waiting to be accepted.
      let isDone = false
      const failures: unknown[] = []
      const visit = async () => {
        while (!isDone) await sendAlone(port, statementRequest(1)).catch((error) => failures.push(error))
      }
      const visitors = Promise.all(Array.from({ length: 8 }, visit))
      while (load.applied.length < 100) await sleep(10)
      await restart()
      const after = pids()
      const applied = load.applied.length
      while (load.applied.length < applied + 100) await sleep(10)
      isDone = true
      await visitors
      await load.stop()
      assert.equal(after.length, instances)
      assert.ok(after.every((pid) => !before.includes(pid)))
      assert.deepEqual([load.failed, failures], [[], []])
      requireKept(load, await auditLedger(store.url))
    })
  }

  test('serves the metrics of all its processes at /metrics if METRICS is set', async (t) => {
    const { port, stop } = await startBank(store, { ...testSettings, metrics: true }, log)
    t.after(stop)
    // Each request opens its own connection, so that both processes get a share.
    for (let count = 0; count < 40; count++) await sendAlone(port, statementRequest(1))
    for (let count = 0; count < 10; count++) await transact(port, { client: 1, valor: 1, tipo: 'c' })
    await get(port, '/metrics')
    const { status, text, headers } = await get(port, '/metrics')
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/plain/)
    const count = (name: string, labels: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name}_count${labels}`))
          ?.split(' ')
          .at(-1),
      )
    assert.equal(
      count('http_request_duration_seconds', '{method="GET",route="/clientes/:id/extrato",status="200"}'),
      40,
    )
    assert.equal(
      count('http_request_duration_seconds', '{method="POST",route="/clientes/:id/transacoes",status="200"}'),
      10,
    )
    assert.equal(count('bank_call_transactions', ''), 10)
    assert.match(
      text,
      /budget_limit\{budget="bankConnectionsOfAddress",per="address",of="connections"\} 8192/,
    )
    const quiet = await startBank(store, testSettings, log)
    t.after(quiet.stop)
    assert.equal((await get(quiet.port, '/metrics')).status, 404)
    const guarded = await startBank(
      store,
      { ...testSettings, metrics: true, metricsToken: 'a-token-of-the-operator' },
      log,
    )
    t.after(guarded.stop)
    const rejected = await get(guarded.port, '/metrics')
    assert.deepEqual([rejected.status, rejected.headers.get('www-authenticate')], [401, 'Bearer'])
  })

  test('reports that a port is in use', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    t.after(() => taken.close())
    const { port } = taken.address() as { port: number }
    await assert.rejects(startBank(store, { ...testSettings, port }, log), { code: 'EADDRINUSE' })
    const bank = await startBank(store, testSettings, log)
    t.after(bank.stop)
    await assert.rejects(startBank(store, { ...testSettings, port: bank.port }, log), {
      code: 'EADDRINUSE',
    })
  })

  test('starts its processes while the store is opened', async () => {
    const { promise: address, reject: fail } = Promise.withResolvers<StoreAddress>()
    const starting = startBank(address, testSettings, log)
    while (instancesOf(process.pid).length < 2) await sleep(10)
    fail(new Error('There is no room for a store.'))
    await assert.rejects(starting, /^Error: There is no room for a store\.$/)
    assert.deepEqual(instancesOf(process.pid), [])
  })

  test('fails to start if a process ends before the store is open', async () => {
    const { promise: address, resolve: open } = Promise.withResolvers<StoreAddress>()
    const starting = startBank(address, testSettings, log)
    while (instancesOf(process.pid).length < 2) await sleep(10)
    const [victim = 0] = instancesOf(process.pid)
    process.kill(victim, 'SIGTERM')
    while (instancesOf(process.pid).includes(victim)) await sleep(10)
    open({ url: store.url })
    await assert.rejects(starting, /could not be started/)
    assert.deepEqual(instancesOf(process.pid), [])
  })

  test('reports why it cannot start', async () => {
    const url = 'postgresql://nobody@127.0.0.1:1/nowhere'
    await assert.rejects(startBank({ url }, testSettings, log), /could not be started: .*ECONNREFUSED/)
    await assert.rejects(startBank(store, { ...testSettings, host: '192.0.2.1' }, log), {
      code: 'EADDRNOTAVAIL',
    })
    assert.deepEqual(instancesOf(process.pid), [])
  })
})

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
