import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Budgets } from '../../src/config/budgets.ts'

/** What is still counted; clients keep their connections. */
const inUse = (budgets: Budgets): string[] =>
  budgets
    .states()
    .flatMap(({ name, used }) =>
      used > 0 && !/Connections(OfAddress)?$/.test(name) ? [`${name} ${used}`] : [],
    )

/** Everything that requests acquired is released, some of it after their responses. */
export async function assertAllReleased(...all: readonly Budgets[]): Promise<void> {
  const left = () => all.flatMap(inUse)
  for (let waits = 0; waits < 500 && left().length > 0; waits += 1) await sleep(20)
  assert.deepEqual(left(), [])
}
