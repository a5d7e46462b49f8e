import type { Account } from '../accounts.ts'
import { findFactors, hasFactor, mustHaveFactor } from '../factors/account-factors.ts'
import type { Identity } from '../identity.ts'

/**
 * What follows a right password: the session, a second factor, or setting one up. Without the extensions there is no page for
 * a second factor, and an account that has one must not become weaker: its sign-in is refused.
 */
export type NextStep = 'session' | 'second-factor' | 'set-up' | 'refused'

export async function nextStepOf(identity: Identity, account: Account): Promise<NextStep> {
  if (hasFactor(await findFactors(identity.database, account.accountId)))
    return identity.settings.extensions ? 'second-factor' : 'refused'
  return mustHaveFactor(identity, account) ? 'set-up' : 'session'
}
