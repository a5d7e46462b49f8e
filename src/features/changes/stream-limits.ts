import type { Authenticated } from '../../auth/authenticate.ts'
import type { Budgets } from '../../config/budgets.ts'
import { overloaded, Problem } from '../../model/problem.ts'

/** Limits the open live listings and feed streams of each account and of the process. */
export interface StreamLimits {
  /** Rejects an account that has too many, and every account when there are too many in total. */
  take(account: string): void
  release(account: string): void
}

const retryAfterSeconds = 30

export function createStreamLimits(budgets: Budgets): StreamLimits {
  const ofHost = budgets.budget('liveListings')
  const ofAccount = budgets.budget('liveListingsOfAccount')
  const host = Symbol('host')
  return {
    take(account) {
      if (!ofAccount.take(1, account)) throw tooManyOfAccount(ofAccount.max)
      if (ofHost.take(1, host)) return
      ofAccount.release(1, account)
      throw tooMany()
    },
    release(account) {
      ofHost.release(1, host)
      ofAccount.release(1, account)
    },
  }
}

const tooManyOfAccount = (max: number) =>
  new Problem('busy', `An account may have at most ${max} live listings open. Close one first.`, {
    retryAfterSeconds,
  })

const tooMany = () =>
  overloaded('Too many live listings are open. Please try again later.', { retryAfterSeconds })

export interface StreamSession {
  /** Set while the query runs. */
  readonly isInFlight: boolean
  isDue(now: number): boolean
  /**
   * Returns whether the session is still valid, synchronously if the result is cached, because a thousand streams of one
   * change cannot each wait for a promise. Also false while the database does not answer; the next tick tries again.
   */
  run(then?: () => void): boolean | Promise<boolean>
  /** Called when the stream has ended. */
  stop(): void
}

/**
 * An idle stream sends nothing that would have its session checked, so it is checked this often as well. Together with the tick
 * and the age of the answer this stays below the time of the session cache: no stream outlasts its session by more.
 */
const sessionCheckMilliseconds = 5000

/** The session is checked before anything is sent, and periodically; most checks are a cache lookup. */
export function createSessionCheck(
  session: Authenticated,
  onEnded: () => void,
  now = Date.now,
): StreamSession {
  let checkedAt = now()
  let isInFlight = false
  // Ends the stream together with its token, not up to a second later.
  const expiry = setTimeout(() => void check.run(), waitFor(session.expiresAt - now()))
  expiry.unref()
  const check: StreamSession = {
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
const clocksDifferMilliseconds = 10
/** 24 days is the longest timer; `isDue` ends streams that last longer. */
const timerMillisecondsMax = 2 ** 31 - 1

const waitFor = (milliseconds: number): number =>
  Math.min(milliseconds + clocksDifferMilliseconds, timerMillisecondsMax)
