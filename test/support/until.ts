import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** A start takes two seconds; a busy machine many times that. */
const patienceSeconds = 60

/** Looks again and again; `what` is said when it was in vain. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endsAt = performance.now() + patienceSeconds * 1000
  while (!(await isSo())) {
    assert.ok(performance.now() < endsAt, `Waited in vain for ${what}.`)
    await sleep(20)
  }
}
