import type { LiveSession } from '../sessions.ts'
import type { PendingRequest } from './pending-request.ts'

/** Whether this sign-in is the one the request wants, or a new one is needed. */
export function isSatisfiedBy(
  { request: { prompts, maxAgeSeconds }, since }: PendingRequest,
  { accountId, signedInAt }: LiveSession,
  hintedAccountId: string | undefined,
  now: number,
): boolean {
  if (hintedAccountId !== undefined && hintedAccountId !== accountId) return false
  // Signed in for this very request: asking once more could only go round in circles.
  if (signedInAt >= since) return true
  if (prompts.has('login') || prompts.has('select_account')) return false
  return maxAgeSeconds === undefined || signedInAt + maxAgeSeconds * 1000 > now
}
