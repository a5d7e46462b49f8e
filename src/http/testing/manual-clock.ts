import type { LimiterClock } from '../rate-limiter.ts'

/** A clock that advances only when the test says so. The limiter reads it once for each request. */
export function manualClock() {
  let now = 0
  let reads = 0
  let timers: { at: number; run: () => void }[] = []
  const clock: LimiterClock = {
    now() {
      reads += 1
      return now
    },
    after(milliseconds, run) {
      const timer = { at: now + milliseconds, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
  }
  const advance = (milliseconds: number) => {
    now += milliseconds
    const due = timers.filter(({ at }) => at <= now)
    timers = timers.filter(({ at }) => at > now)
    for (const { run } of due) run()
  }
  return { clock, advance, timerCount: () => timers.length, readCount: () => reads }
}
