import assert from 'node:assert/strict'
import type { Entry } from '../../src/hosts/bank/testing/audit.ts'
import type { TransactionLoad } from '../../src/hosts/bank/testing/transaction-load.ts'

/**
 * Asserts that each acknowledged transaction is in the ledger exactly once, with the acknowledged balance, that no
 * rejected transaction is in it, and that a transaction without a response is in it at most once. No response may
 * have had a balance below the limit.
 */
export function requireKept(load: TransactionLoad, ledger: readonly Entry[]): void {
  const { name, applied, balances, rejected, failed, underLimit } = load
  const written = ledger.filter(({ description }) => description.startsWith(name))
  const balancesInLedger = new Map(written.map(({ description, balance }) => [description, balance]))
  assert.equal(balancesInLedger.size, written.length, 'nothing was applied twice')
  const lost = applied.filter(
    (description) => balancesInLedger.get(description) !== balances.get(description),
  )
  assert.deepEqual(lost, [], 'acknowledged, but lost or with another balance')
  const wronglyApplied = rejected.filter((description) => balancesInLedger.has(description))
  assert.deepEqual(wronglyApplied, [], 'rejected, but applied')
  const sent = new Set([...applied, ...failed])
  const unsent = [...balancesInLedger.keys()].filter((description) => !sent.has(description))
  assert.deepEqual(unsent, [], 'applied, but never sent')
  assert.deepEqual(underLimit, [], 'a response had a balance below the limit')
  assert.ok(rejected.length > 0 && load.statements() > 0, 'limits were reached, and statements read')
}
