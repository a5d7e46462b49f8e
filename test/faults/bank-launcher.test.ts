import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, describe, type TestContext, test } from 'node:test'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { instancesOf } from '../../src/hosts/bank/testing/instances-of.ts'
import { startTransactionLoad } from '../../src/hosts/bank/testing/transaction-load.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'
import { requireKept } from './bank-checks.ts'

describe('the program that started the bank', () => {
  let store: FreshDatabase
  before(async () => {
    store = await freshDatabase()
  })
  after(() => store.drop())

  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    test(`ends by ${signal} under load, and both instances end with it, after what they have begun`, async (t) => {
      const { launcher, port, pids } = await launch(t, store.url)
      const load = startTransactionLoad(port, 16, `${signal[3]}.`)
      await until(() => load.applied.length >= 100, 'answers')
      launcher.kill(signal)
      await until(() => !pids.some(isAlive), 'the end of the instances')
      await load.stop()
      requireKept(load, await auditLedger(store.url))
    })
  }

  test('ends before there is a store, and both instances end with it', async (t) => {
    const launcher = spawnLauncher(t, 'new Promise(() => setTimeout(() => {}, 60_000))')
    await until(() => instancesOf(launcher.pid ?? 0).length === 2, 'two instances')
    const pids = instancesOf(launcher.pid ?? 0)
    launcher.kill('SIGKILL')
    await until(() => !pids.some(isAlive), 'the end of the instances')
  })

  test('is hit by Ctrl-C together with its instances, which leave the stopping to it', async (t) => {
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

/** As `npm start` does it, in a process of its own. */
async function launch(t: TestContext, url: string): Promise<Launched> {
  const launcher = spawnLauncher(t, JSON.stringify(url))
  const [line] = (await once(createInterface(launcher.stdout), 'line')) as [string]
  return { launcher, ...JSON.parse(line) }
}

function spawnLauncher(t: TestContext, url: string) {
  const source = `
    import { pino } from 'pino'
    import { startBank } from ${JSON.stringify(import.meta.resolve('../../src/hosts/bank/main.ts'))}
    import { testSettings } from ${JSON.stringify(import.meta.resolve('../../src/hosts/bank/testing/settings.ts'))}
    const { port, pids, stop } = await startBank(${url}, testSettings, pino({ level: 'silent' }))
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
