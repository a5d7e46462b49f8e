import assert from 'node:assert/strict'
import type { Entry } from '../../src/hosts/bank/testing/audit.ts'
import type { TransactionLoad } from '../../src/hosts/bank/testing/transaction-load.ts'

/**
 * An acknowledged transaction is in the ledger exactly once, with the acknowledged balance; a rejected one is
 * not; one without a response may be, but only once. No response ever had a balance under its limit.
 */
export function requireKept(load: TransactionLoad, ledger: readonly Entry[]): void {
  const { name, applied, balances, rejected, failed, underLimit } = load
  const written = ledger.filter(({ description }) => description.startsWith(name))
  const kept = new Map(written.map(({ description, balance }) => [description, balance]))
  assert.equal(kept.size, written.length, 'nothing was applied twice')
  const lost = applied.filter((description) => kept.get(description) !== balances.get(description))
  assert.deepEqual(lost, [], 'answered, and lost or with another balance')
  const wrong = rejected.filter((description) => kept.has(description))
  assert.deepEqual(wrong, [], 'rejected, and applied')
  const known = new Set([...applied, ...failed])
  const strange = [...kept.keys()].filter((description) => !known.has(description))
  assert.deepEqual(strange, [], 'applied, and never sent')
  assert.deepEqual(underLimit, [], 'a balance under its limit was shown')
  assert.ok(rejected.length > 0 && load.statements() > 0, 'limits were reached, and statements read')
}
