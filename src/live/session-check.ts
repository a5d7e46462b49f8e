import type { Authenticated } from '../authentication/authenticate.ts'

export interface StreamSession {
  /** Whether the store is being asked. */
  readonly isUnderWay: boolean
  isDue(now: number): boolean
  /**
   * Whether the session is still valid: returned synchronously where the answer is cached, as a thousand streams of one change
   * cannot wait for a promise each. Also false while the store does not answer; the next tick asks again.
   */
  run(then?: () => void): boolean | Promise<boolean>
  /** The stream has ended. */
  stop(): void
}

/**
 * An idle stream sends nothing that would have its session checked, so it is checked this often as well. Together with the tick
 * that comes by and the age of the answer, that stays below the time of the session cache: an ended session has no stream longer.
 */
const sessionCheckMilliseconds = 5000

/** The session is looked at again before whatever is sent, and now and then; most times that is a look into a cache. */
export function createSessionCheck(
  session: Authenticated,
  onEnded: () => void,
  now = Date.now,
): StreamSession {
  let checkedAt = now()
  let isUnderWay = false
  // So that the stream ends with its token, and not up to a second later.
  const expiry = setTimeout(() => void check.run(), waitFor(session.expiresAt - now()))
  expiry.unref()
  const check: StreamSession = {
    get isUnderWay() {
      return isUnderWay
    },
    isDue: (at) => !isUnderWay && (at - checkedAt >= sessionCheckMilliseconds || at >= session.expiresAt),
    run(then = () => undefined) {
      checkedAt = now()
      const settle = (stands: boolean) => {
        isUnderWay = false
        if (stands) then()
        else onEnded()
        return stands
      }
      const stands = session.recheck()
      if (typeof stands === 'boolean') return settle(stands)
      isUnderWay = true
      return stands.then(settle).catch(() => {
        isUnderWay = false
        return false
      })
    },
    stop: () => clearTimeout(expiry),
  }
  return check
}

/** Timers and tokens go by different clocks: one that fires early finds the token still valid. */
const clocksDifferMilliseconds = 10
/** 24 days, the longest that a timer waits; `isDue` ends what lasts longer. */
const timerMillisecondsMax = 2 ** 31 - 1

const waitFor = (milliseconds: number): number =>
  Math.min(milliseconds + clocksDifferMilliseconds, timerMillisecondsMax)
