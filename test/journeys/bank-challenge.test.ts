import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { runChallenge } from '../../bench/bank/challenge.ts'
import { type RunningBank, startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { freshDatabase } from '../support/fresh-database.ts'

describe('the challenge, its checks and a few seconds of its load', () => {
  for (const overLimitStatus of [200, 422] as const) {
    test(`passes with ${overLimitStatus} for debits over the limit`, async (t) => {
      // Of its own: after the load of another one an account may be too near its limit for the checks.
      const store = await freshDatabase()
      const settings = { ...testSettings, overLimitStatus }
      const bank: RunningBank = await startBank(store.url, settings, pino({ level: 'silent' }))
      t.after(() => bank.stop().then(store.drop))
      const result = await runChallenge({ port: bank.port, rampSeconds: 2, holdSeconds: 1 })
      assert.deepEqual([result.errors, result.inconsistencies], [0, []])
      assert.ok(result.requests > 700)
      await auditLedger(store.url)
    })
  }
})
