import type { ServerHttp2Stream } from 'node:http2'
import type { Budgets } from '../../configuration/budgets.ts'
import { busy } from '../../model/problem.ts'

/** Refuses a call of an account that has too many under way, over all its connections. */
export type CountCall = (stream: ServerHttp2Stream, accountId: string) => void

export function createCallCounter(budgets: Budgets): CountCall {
  const ofAccount = budgets.budget('commandStreamsOfAccount')
  return (stream, accountId) => {
    // Cancelled while its token was looked at.
    if (stream.closed) return
    if (!ofAccount.take(1, accountId)) throw busy(retryAfterSeconds)
    stream.once('close', () => ofAccount.giveBack(1, accountId))
  }
}

/** By then some of them have ended. */
const retryAfterSeconds = 1
