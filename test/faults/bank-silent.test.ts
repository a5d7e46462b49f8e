import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { openBudgets } from '../../src/config/budgets.ts'
import { startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { type Answer, get, transact } from '../../src/hosts/bank/testing/in-process.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { startUnsteadyStore, type UnsteadyStore } from '../support/unsteady-store.ts'
import { until } from '../support/until.ts'

/** It promises three; the fourth is for a machine that is busy. */
const answeredSecondsMax = 4

const silences: Readonly<Record<string, (store: UnsteadyStore) => unknown>> = {
  frozen: (store) => store.freeze(),
  'behind a network that carries nothing': ({ proxy }) => proxy.pause(),
}

for (const [what, silence] of Object.entries(silences))
  test(`while its store is ${what}, the bank answers 422 in time, and goes on when it does`, async (t) => {
    const store = await startUnsteadyStore({ answerMilliseconds: 8000, budgets: openBudgets() })
    t.after(store.drop)
    const bank = await startBank(store.url, testSettings, pino({ level: 'silent' }))
    t.after(bank.stop)
    const { port } = bank
    assert.equal((await transact(port, 1, 7, 'c', 'before')).status, 200)
    await silence(store)
    const asked: Promise<{ readonly answer: Answer; readonly seconds: number }>[] = []
    const timed = async (call: Promise<Answer>) => {
      const startedAt = performance.now()
      return { answer: await call, seconds: (performance.now() - startedAt) / 1000 }
    }
    // For longer than one silence lasts, so that some wait for those before them, and some for a new connection.
    for (let count = 0; count < 20; count += 1) {
      for (const client of [1, 2]) {
        asked.push(timed(get(port, `/clientes/${client}/extrato`)))
        asked.push(timed(transact(port, client, 1, 'c', 'silent')))
      }
      await sleep(200)
    }
    for (const { answer, seconds } of await Promise.all(asked)) {
      assert.equal(answer.status, 422)
      assert.ok(seconds < answeredSecondsMax, `${seconds} s`)
    }
    assert.equal((await get(port, '/healthz')).status, 200)
    store.thaw()
    store.proxy.resume()
    await until(async () => (await transact(port, 1, 7, 'c', 'after')).status === 200, 'an answer')
    assert.equal((await get(port, '/clientes/2/extrato')).status, 200)
    await auditLedger(store.url)
  })
