import type { LiveSession } from '../sessions.ts'
import type { PendingRequest } from './pending-request.ts'

/** Whether this sign-in is the one the request wants, or a new one is needed. */
export function isSatisfiedBy(
  { request: { prompts, maxAgeSeconds }, since }: PendingRequest,
  { accountId, signedInAt, provedAt }: LiveSession,
  hintedAccountId: string | undefined,
  now: number,
): boolean {
  if (hintedAccountId !== undefined && hintedAccountId !== accountId) return false
  // The person proved who they are for this very request. Asking again would repeat forever.
  if (provedAt >= since) return true
  if (prompts.has('login') || (prompts.has('select_account') && signedInAt < since)) return false
  return maxAgeSeconds === undefined || provedAt + maxAgeSeconds * 1000 > now
}
