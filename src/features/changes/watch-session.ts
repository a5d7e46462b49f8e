import type { Authenticated } from '../../auth/authenticate.ts'

export interface SessionWatch {
  /** True while a check waits for the database. */
  readonly isInFlight: boolean
  isDue(now: number): boolean
  /**
   * Returns whether the session is still valid, and calls `onActive` if it is. Cached results are returned
   * synchronously, because one change may go to a thousand streams. If the database does not respond, returns
   * false, and a later check tries again.
   */
  check(onActive?: () => void): boolean | Promise<boolean>
  /** Called when the stream has ended. */
  stop(): void
}

interface WatchOptions {
  /** Called when the session has ended or its token has expired. */
  readonly onEnded: () => void
  /** Called with an error of `onActive` or `onEnded` if the check was not synchronous. */
  readonly onFailure: (error: unknown) => void
  /** Tests pass a clock. */
  readonly now?: () => number
}

/**
 * A session is checked before anything is sent, and at this interval. `recheck` uses a cached result only if
 * it stays valid beyond the next check, so a stream outlives its session by at most the cache time.
 */
const sessionCheckMilliseconds = 5000

/** Checks the session of a stream. Most checks are a cache lookup. */
export function watchSession(
  session: Authenticated,
  { onEnded, onFailure, now = Date.now }: WatchOptions,
): SessionWatch {
  let checkedAt = now()
  let isInFlight = false
  // Ends the stream together with its token, not up to a second later.
  const expiry = setTimeout(() => void watch.check(), timerDelay(session.expiresAt - now()))
  expiry.unref()
  const watch: SessionWatch = {
    get isInFlight() {
      return isInFlight
    },
    isDue: (at) => !isInFlight && (at - checkedAt >= sessionCheckMilliseconds || at >= session.expiresAt),
    check(onActive = () => undefined) {
      checkedAt = now()
      const settle = (isActive: boolean) => {
        isInFlight = false
        if (isActive) onActive()
        else onEnded()
        return isActive
      }
      const isActive = session.recheck()
      if (typeof isActive === 'boolean') return settle(isActive)
      isInFlight = true
      const databaseFailed = () => {
        isInFlight = false
        return false
      }
      return isActive.then(settle, databaseFailed).catch((error) => {
        onFailure(error)
        return false
      })
    },
    stop: () => clearTimeout(expiry),
  }
  return watch
}

/** Timers and tokens use different clocks: a timer that fires early finds the token still valid. */
const clockToleranceMilliseconds = 10
/**
 * A timer lasts for at most 24.8 days. For a token that is valid for longer, `isDue` is true when it expires.
 */
const timerMillisecondsMax = 2 ** 31 - 1

const timerDelay = (milliseconds: number): number =>
  Math.min(milliseconds + clockToleranceMilliseconds, timerMillisecondsMax)
