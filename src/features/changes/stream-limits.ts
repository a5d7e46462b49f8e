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
