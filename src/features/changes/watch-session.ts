import type { Authenticated } from '../../auth/authenticate.ts'

export interface SessionWatch {
  /** Set while the query runs. */
  readonly isInFlight: boolean
  isDue(now: number): boolean
  /**
   * Returns whether the session is still valid, synchronously if the result is cached, because a thousand
   * streams of one change cannot each wait for a promise. Also false while the database does not answer; the
   * next tick tries again.
   */
  run(then?: () => void): boolean | Promise<boolean>
  /** Called when the stream has ended. */
  stop(): void
}

/**
 * An idle stream sends nothing that would have its session checked, so it is checked this often as well.
 * Together with the tick and the age of the answer this stays below the time of the session cache: no stream
 * outlasts its session by more.
 */
const sessionCheckMilliseconds = 5000

/** The session is checked before anything is sent, and periodically; most checks are a cache lookup. */
export function watchSession(session: Authenticated, onEnded: () => void, now = Date.now): SessionWatch {
  let checkedAt = now()
  let isInFlight = false
  // Ends the stream together with its token, not up to a second later.
  const expiry = setTimeout(() => void check.run(), timerDelay(session.expiresAt - now()))
  expiry.unref()
  const check: SessionWatch = {
    get isInFlight() {
      return isInFlight
    },
    isDue: (at) => !isInFlight && (at - checkedAt >= sessionCheckMilliseconds || at >= session.expiresAt),
    run(then = () => undefined) {
      checkedAt = now()
      const settle = (isActive: boolean) => {
        isInFlight = false
        if (isActive) then()
        else onEnded()
        return isActive
      }
      const isActive = session.recheck()
      if (typeof isActive === 'boolean') return settle(isActive)
      isInFlight = true
      return isActive.then(settle).catch(() => {
        isInFlight = false
        return false
      })
    },
    stop: () => clearTimeout(expiry),
  }
  return check
}

/** Timers and tokens use different clocks: a timer that fires early finds the token still valid. */
const clockToleranceMilliseconds = 10
/** 24 days is the longest timer; `isDue` ends streams that last longer. */
const timerMillisecondsMax = 2 ** 31 - 1

const timerDelay = (milliseconds: number): number =>
  Math.min(milliseconds + clockToleranceMilliseconds, timerMillisecondsMax)
