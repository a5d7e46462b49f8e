import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** A start takes two seconds, and many times as long on a busy machine. */
const patienceSeconds = 60
const stepMilliseconds = 20

/** Waits until the condition is met. `what` completes the message of the timeout. */
export async function until(isMet: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endsAt = performance.now() + patienceSeconds * 1000
  while (!(await isMet())) {
    assert.ok(performance.now() < endsAt, `Timed out while waiting for ${what}.`)
    await sleep(stepMilliseconds)
  }
}

/**
 * Returns the result of a promise that is settled within this time, which is counted in short sleeps. A sleep
 * takes longer on a busy machine, so the limit grows with the load, and a pause of the process is one sleep.
 */
export async function within<Result>(
  milliseconds: number,
  awaited: Promise<Result>,
  what: string,
): Promise<Result> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  void awaited.then(settle, settle)
  for (let passed = 0; passed < milliseconds && !isSettled; passed += stepMilliseconds)
    await sleep(stepMilliseconds)
  assert.ok(isSettled, `It took longer than ${milliseconds} ms ${what}.`)
  return awaited
}

/** Today begins and ends in UTC. A test that refers to it takes less than this time. */
const dayMarginMilliseconds = 30_000

/** Waits until the next day has begun if that is soon, so that a test begins and ends on the same day. */
export async function awayFromMidnight(): Promise<void> {
  const milliseconds = 86_400_000 - (Date.now() % 86_400_000)
  if (milliseconds < dayMarginMilliseconds) await sleep(milliseconds)
}
