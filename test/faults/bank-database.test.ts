import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { get, transact } from '../../src/hosts/bank/testing/in-process.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { startTransactionLoad } from '../../src/hosts/bank/testing/transaction-load.ts'
import { until } from '../support/until.ts'
import { requireKept } from './bank-checks.ts'

const rounds = 3

test('kill -9 of the database under load loses nothing that was answered', async (t) => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bank-fault-'))
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }))
  // Asynchronous by default, which the bank must not take over for itself.
  const start = () => startEmbeddedStore({ dataDirectory, settings: { synchronous_commit: 'off' } })
  let store = await start()
  t.after(() => store.stop())
  await migrate(store.url)
  const bank = await startBank(store.url, testSettings, pino({ level: 'silent' }))
  t.after(bank.stop)
  const instances = bank.pids()

  for (let round = 1; round <= rounds; round++) {
    const load = startTransactionLoad(bank.port, 32, `${round}.`)
    await until(() => load.applied.length >= 200, 'answers')
    const failedBefore = load.failed.length
    process.kill(serverOf(dataDirectory), 'SIGKILL')
    await until(() => load.failed.length > failedBefore + 32, 'refusals')

    // A server process may briefly outlive its killed parent, and then it really applies what it acknowledges.
    let answer = await transact(bank.port, 1, 1, 'c', 'refused')
    await until(async () => {
      if (answer.status === 200) answer = await transact(bank.port, 1, 1, 'c', 'refused')
      return answer.status !== 200
    }, 'a refusal')
    assert.deepEqual(
      [answer.status, JSON.parse(answer.text).erro],
      [422, 'The transaction was not applied: the database is not available.'],
    )
    const statementIsRefused = async () => (await get(bank.port, '/clientes/1/extrato')).status === 422
    await until(statementIsRefused, 'a refused statement')
    assert.equal((await get(bank.port, '/healthz')).status, 200)

    await store.stop()
    store = await start()
    const appliedBefore = load.applied.length
    await until(() => load.applied.length >= appliedBefore + 200, 'answers after the restart')
    await load.stop()
    requireKept(load, await auditLedger(store.url))
  }
  assert.deepEqual(bank.pids(), instances, 'the instances have lived through it')
})

const serverOf = (dataDirectory: string) =>
  Number(readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
