import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Budgets } from '../../src/config/budgets.ts'

/** Returns the budgets in use. Clients keep connections open, so these are excluded. */
const inUse = (budgets: Budgets): string[] =>
  budgets
    .states()
    .flatMap(({ name, used }) =>
      used > 0 && !/Connections(OfAddress)?$/.test(name) ? [`${name} ${used}`] : [],
    )

/** Waits until requests have released everything. This may happen after their responses. */
export async function assertAllReleased(...all: readonly Budgets[]): Promise<void> {
  const unreleased = () => all.flatMap(inUse)
  for (let waits = 0; waits < 500 && unreleased().length > 0; waits += 1) await sleep(20)
  assert.deepEqual(unreleased(), [])
}
