import { setTimeout as sleep } from 'node:timers/promises'

/** False when the condition does not come true in time. */
export async function waitUntil(condition: () => boolean, secondsMax: number): Promise<boolean> {
  const deadline = performance.now() + secondsMax * 1000
  while (!condition()) {
    if (performance.now() > deadline) return false
    await sleep(pollMilliseconds)
  }
  return true
}

/** A start takes about 80 ms and a look 0.05 ms: finer gains nothing. */
const pollMilliseconds = 5
