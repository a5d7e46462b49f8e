import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** A start takes two seconds, and many times as long on a busy machine. */
const patienceSeconds = 60

/** Waits until the condition is met. `what` completes the message of the timeout. */
export async function until(isMet: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endsAt = performance.now() + patienceSeconds * 1000
  while (!(await isMet())) {
    assert.ok(performance.now() < endsAt, `Timed out while waiting for ${what}.`)
    await sleep(20)
  }
}
