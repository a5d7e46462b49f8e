import assert from 'node:assert/strict'
import type { Hammer } from '../../src/hosts/bank/testing/hammer.ts'

/** What was answered is in the ledger exactly once; what was refused is not; what got no answer may be, but only once. */
export function requireKept(
  { name, applied, refused, failed }: Hammer,
  descriptions: readonly string[],
): void {
  const ledger = descriptions.filter((description) => description.startsWith(name))
  const kept = new Set(ledger)
  assert.equal(kept.size, ledger.length, 'nothing was applied twice')
  assert.deepEqual(
    applied.filter((description) => !kept.has(description)),
    [],
    'answered, and lost',
  )
  assert.deepEqual(
    refused.filter((description) => kept.has(description)),
    [],
    'refused, and applied',
  )
  const known = new Set([...applied, ...failed])
  assert.deepEqual(
    ledger.filter((description) => !known.has(description)),
    [],
    'applied, and never sent',
  )
}

/** A start takes two seconds; a busy machine many times that. */
const waitMilliseconds = 60_000

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + waitMilliseconds
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `Waited in vain for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
