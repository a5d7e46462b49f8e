import type { Authenticated } from '../../auth/authenticate.ts'
import type { Budgets } from '../../config/budgets.ts'
import { overloaded, Problem } from '../../model/problem.ts'

/** Who may have how many live listings and streams of the feed open. */
export interface StreamLimits {
  /** Refuses an account that has too many, and everybody when there are too many. */
  take(account: string): void
  giveBack(account: string): void
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
      ofAccount.giveBack(1, account)
      throw tooMany()
    },
    giveBack(account) {
      ofHost.giveBack(1, host)
      ofAccount.giveBack(1, account)
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
