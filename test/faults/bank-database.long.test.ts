import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { openBudgets } from '../../src/config/budgets.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { instancesOf } from '../../src/hosts/bank/testing/connections.ts'
import { type Answer, get, transact } from '../../src/hosts/bank/testing/in-process.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { startTransactionLoad, type TransactionLoad } from '../../src/hosts/bank/testing/transaction-load.ts'
import { fixture } from '../support/fixture.ts'
import { type FlakyStore, startFlakyStore } from '../support/flaky-store.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'
import { requireKept } from './bank-checks.ts'

const rounds = 3
/** The requests that a load keeps in progress. */
const writers = 32

test('kill -9 of the database under load loses no acknowledged transaction', async (t) => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bank-fault-'))
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }))
  // This server commits asynchronously by default. The bank must override that.
  const start = () => startEmbeddedStore({ dataDirectory, settings: { synchronous_commit: 'off' } })
  let store = await start()
  t.after(() => store.stop())
  await migrate(store.url)
  const bank = await startBank(store, testSettings, pino({ level: 'silent' }))
  t.after(bank.stop)
  const instances = bank.pids()

  for (let round = 1; round <= rounds; round++) {
    const load = startTransactionLoad(bank.port, writers, `${round}.`)
    await until(() => load.applied.length >= 200, 'answers')
    const failedBefore = load.failed.length
    process.kill(serverOf(dataDirectory), 'SIGKILL')
    // More failures than requests in progress: new requests are rejected, too.
    await until(() => load.failed.length > failedBefore + writers, 'rejections')

    // Otherwise the store would restart the killed server before the next requests.
    await store.stop()
    const { status, text } = await transact(bank.port, {
      client: 1,
      valor: 1,
      tipo: 'c',
      descricao: 'refused',
    })
    assert.deepEqual(
      [status, JSON.parse(text).erro],
      [422, 'The transaction was not applied: the database is not available.'],
    )
    assert.equal((await get(bank.port, '/clientes/1/extrato')).status, 422)
    assert.equal((await get(bank.port, '/healthz')).status, 200)

    store = await start()
    const appliedBefore = load.applied.length
    await until(() => load.applied.length >= appliedBefore + 200, 'answers after the restart')
    await load.stop()
    requireKept(load, await auditLedger(store.url))
  }
  assert.deepEqual(bank.pids(), instances, 'no instance has ended')
})

const serverOf = (dataDirectory: string) =>
  Number(readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])

describe('kill -9 under load', () => {
  let load: TransactionLoad
  const store = fixture(freshDatabase)
  const bank = fixture(() => startBank(store, testSettings, pino({ level: 'silent' })))
  let loadCount = 0
  beforeEach(() => {
    load = startTransactionLoad(bank.port, writers, `${++loadCount}.`)
  })
  afterEach(async () => {
    await load.stop()
    requireKept(load, await auditLedger(store.url))
  })
  const waitForAnswers = async (more: number) => {
    const target = load.applied.length + more
    await until(() => load.applied.length >= target, `${more} more answers`)
  }

  test('of one instance loses at most the requests in progress', async () => {
    for (let round = 0; round < 3; round++) {
      const [first, second] = bank.pids()
      const victim = (round % 2 === 0 ? first : second) ?? assert.fail('no instance is running')
      const failedBefore = load.failed.length
      await waitForAnswers(100)
      process.kill(victim, 'SIGKILL')
      await waitForAnswers(100)
      const failedCount = load.failed.length - failedBefore
      // A writer that connects again while the process is ending can reach it once more.
      assert.ok(failedCount <= 2 * writers, `${failedCount} failed`)
      await until(() => bank.pids().length === 2 && !bank.pids().includes(victim), 'another instance')
    }
  })

  test('of both instances at once loses no acknowledged transaction', async () => {
    await waitForAnswers(100)
    const victims = bank.pids()
    for (const victim of victims) process.kill(victim, 'SIGKILL')
    await until(
      () => bank.pids().length === 2 && bank.pids().every((pid) => !victims.includes(pid)),
      'two new instances',
    )
    await waitForAnswers(100)
  })

  test('of an instance that is starting is followed by another start', async () => {
    const [victim = assert.fail()] = bank.pids()
    process.kill(victim, 'SIGKILL')
    const starting = () =>
      instancesOf(process.pid).filter((pid) => pid !== victim && !bank.pids().includes(pid))
    await until(() => starting().length > 0, 'an instance that starts')
    for (const pid of starting()) process.kill(pid, 'SIGKILL')
    await until(() => bank.pids().length === 2, 'another instance')
    await waitForAnswers(100)
  })
})

describe('The program that started the bank', () => {
  const store = fixture(freshDatabase)

  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    test(`leaves no instance running after ${signal} under load, and loses no acknowledged transaction`, async (t) => {
      const { launcher, port, pids } = await launch(t, store.url)
      // A description has at most ten characters, so its prefix is one letter: K, T or I.
      const load = startTransactionLoad(port, 16, `${signal[3]}.`)
      await until(() => load.applied.length >= 100, 'answers')
      launcher.kill(signal)
      await until(() => !pids.some(isAlive), 'the end of the instances')
      await load.stop()
      requireKept(load, await auditLedger(store.url))
    })
  }

  test('leaves no instance running if it ends before there is a store', async (t) => {
    const launcher = spawnLauncher(t, 'new Promise(() => {})')
    await until(() => instancesOf(launcher.pid ?? 0).length === 2, 'two instances')
    const pids = instancesOf(launcher.pid ?? 0)
    launcher.kill('SIGKILL')
    await until(() => !pids.some(isAlive), 'the end of the instances')
  })

  test('stops its instances on Ctrl-C', async (t) => {
    const { launcher, port, pids } = await launch(t, store.url)
    for (const pid of pids) process.kill(pid, 'SIGINT')
    const load = startTransactionLoad(port, 4, 'c.')
    await until(() => load.applied.length >= 50, 'answers')
    await load.stop()
    assert.ok(pids.every(isAlive))
    launcher.kill('SIGINT')
    await until(() => !pids.some(isAlive), 'the end of the instances')
  })
})

interface Launched {
  readonly launcher: ChildProcess
  readonly port: number
  readonly pids: readonly number[]
}

/** Starts the bank in a separate process, as `npm start` does. */
async function launch(t: TestContext, url: string): Promise<Launched> {
  const launcher = spawnLauncher(t, JSON.stringify({ url }))
  const [line] = (await once(createInterface(launcher.stdout), 'line')) as [string]
  return { launcher, ...JSON.parse(line) }
}

/** `storeExpression` is the source of an expression, because a test needs a promise that is never fulfilled. */
function spawnLauncher(t: TestContext, storeExpression: string) {
  const source = `
    import { pino } from 'pino'
    import { startBank } from ${JSON.stringify(import.meta.resolve('../../src/hosts/bank/main.ts'))}
    import { testSettings } from ${JSON.stringify(import.meta.resolve('../../src/hosts/bank/testing/settings.ts'))}
    const { port, pids, stop } = await startBank(${storeExpression}, testSettings, pino({ level: 'silent' }))
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop().then(() => process.exit()))
    console.log(JSON.stringify({ port, pids: pids() }))`
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => launcher.kill('SIGKILL'))
  return launcher
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The bank promises three seconds. A busy machine may take one more. */
const answeredSecondsMax = 4

const silences: Readonly<Record<string, (store: FlakyStore) => unknown>> = {
  frozen: (store) => store.freeze(),
  'behind a network that is interrupted': ({ proxy }) => proxy.pause(),
}

for (const [state, silence] of Object.entries(silences))
  test(`While its store is ${state}, the bank responds with 422 in time`, async (t) => {
    const store = await startFlakyStore({ answerMilliseconds: 8000, budgets: openBudgets() })
    t.after(store.drop)
    const bank = await startBank(store, testSettings, pino({ level: 'silent' }))
    t.after(bank.stop)
    const { port } = bank
    assert.equal((await transact(port, { client: 1, valor: 7, tipo: 'c', descricao: 'before' })).status, 200)
    assert.equal((await get(port, '/readyz')).status, 200)
    await silence(store)
    const requests: Promise<{ readonly answer: Answer; readonly seconds: number }>[] = []
    const timed = async (call: Promise<Answer>) => {
      const startedAt = performance.now()
      return { answer: await call, seconds: (performance.now() - startedAt) / 1000 }
    }
    // The loop takes longer than one timeout. Some requests wait for earlier requests, and others for a new
    // connection.
    for (let count = 0; count < 20; count += 1) {
      for (const client of [1, 2]) {
        requests.push(timed(get(port, `/clientes/${client}/extrato`)))
        requests.push(timed(transact(port, { client, valor: 1, tipo: 'c', descricao: 'silent' })))
      }
      await sleep(200)
    }
    for (const { answer, seconds } of await Promise.all(requests)) {
      assert.equal(answer.status, 422)
      assert.ok(seconds < answeredSecondsMax, `${seconds} s`)
    }
    assert.equal((await get(port, '/healthz')).status, 200)
    const { status, text, headers } = await get(port, '/readyz')
    assert.deepEqual([status, text, headers.get('retry-after')], [503, 'Not ready: database.', '1'])
    store.thaw()
    store.proxy.resume()
    await until(
      async () =>
        (await transact(port, { client: 1, valor: 7, tipo: 'c', descricao: 'after' })).status === 200,
      'an answer',
    )
    assert.equal((await get(port, '/clientes/2/extrato')).status, 200)
    assert.equal((await get(port, '/readyz')).status, 200)
    await auditLedger(store.url)
  })
