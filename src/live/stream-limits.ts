import type { Budgets } from '../configuration/budgets.ts'
import { overloaded, Problem } from '../model/problem.ts'

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
