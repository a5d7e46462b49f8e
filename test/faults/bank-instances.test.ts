import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { pino } from 'pino'
import { type RunningBank, startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { instancesOf } from '../../src/hosts/bank/testing/instances-of.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { startTransactionLoad, type TransactionLoad } from '../../src/hosts/bank/testing/transaction-load.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'
import { requireKept } from './bank-checks.ts'

const writers = 32

describe('kill -9 under load', () => {
  let store: FreshDatabase
  let bank: RunningBank
  let load: TransactionLoad
  before(async () => {
    store = await freshDatabase()
    bank = await startBank(store.url, testSettings, pino({ level: 'silent' }))
  })
  after(async () => {
    await bank.stop()
    await store.drop()
  })
  let count = 0
  beforeEach(() => {
    load = startTransactionLoad(bank.port, writers, `${++count}.`)
  })
  afterEach(async () => {
    await load.stop()
    requireKept(load, await auditLedger(store.url))
  })
  const answered = async (count: number) => {
    const enough = load.applied.length + count
    await until(() => load.applied.length >= enough, `${count} more answers`)
  }

  test('of one instance costs at most the requests it was working on, and it comes back', async () => {
    for (let round = 0; round < 3; round++) {
      const [first, second] = bank.pids()
      const victim = (round % 2 === 0 ? first : second) ?? assert.fail('there is an instance')
      const failedBefore = load.failed.length
      await answered(100)
      process.kill(victim, 'SIGKILL')
      await answered(100)
      assert.ok(load.failed.length - failedBefore <= writers, `${load.failed.length} failed`)
      await until(() => bank.pids().length === 2 && !bank.pids().includes(victim), 'another instance')
    }
  })

  test('of both instances at once loses nothing that was answered, and both come back', async () => {
    await answered(100)
    const victims = bank.pids()
    for (const victim of victims) process.kill(victim, 'SIGKILL')
    await until(
      () => bank.pids().length === 2 && bank.pids().every((pid) => !victims.includes(pid)),
      'two new instances',
    )
    await answered(100)
  })

  test('while an instance starts is followed by another start', async () => {
    const [victim = assert.fail()] = bank.pids()
    process.kill(victim, 'SIGKILL')
    const starting = () =>
      instancesOf(process.pid).filter((pid) => pid !== victim && !bank.pids().includes(pid))
    await until(() => starting().length > 0, 'an instance that starts')
    for (const pid of starting()) process.kill(pid, 'SIGKILL')
    await until(() => bank.pids().length === 2, 'another instance')
    await answered(100)
  })
})
