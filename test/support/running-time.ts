/** A timer fires at least this often while the process runs. */
const tickMilliseconds = 20

/** A longer time between two ticks means that the process was paused, or had to wait for a processor. */
const longestTickMilliseconds = 60

let runningMilliseconds = 0
let tickedAt = performance.now()

function tick() {
  const now = performance.now()
  runningMilliseconds += Math.min(now - tickedAt, longestTickMilliseconds)
  tickedAt = now
}

setInterval(tick, tickMilliseconds).unref()

/**
 * Returns a function that returns the milliseconds for which this process has run since then. Tests compare them
 * with an upper bound, so that a machine that pauses the process for seconds does not break them.
 */
export function measureRunningTime(): () => number {
  tick()
  const startedAt = runningMilliseconds
  return () => {
    tick()
    return runningMilliseconds - startedAt
  }
}
