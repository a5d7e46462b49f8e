import type { Database, Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { timestamp } from '../../../db/timestamps.ts'
import type { Account } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import type { LiveSession } from '../core/sessions.ts'

/** The factors of an account in addition to its password. */
export interface AccountFactors {
  /** The time when the authenticator app was set up. */
  readonly appSince: string | null
  readonly recoveryCodesLeft: number
  readonly passkeys: number
}

export async function findFactors(queries: Queries | Database, accountId: string): Promise<AccountFactors> {
  const [factors] = await queries.query<AccountFactors>(sql`
    select (select created_at from authenticator_apps where user_id = ${accountId}) as "appSince",
      (select count(*)::int from recovery_codes where user_id = ${accountId}) as "recoveryCodesLeft",
      (select count(*)::int from passkeys where user_id = ${accountId}) as passkeys`)
  return factors as AccountFactors
}

export const hasFactor = ({ appSince, passkeys }: AccountFactors): boolean =>
  appSince !== null || passkeys > 0

export const mustHaveFactor = (
  { settings, administrators }: Pick<Identity, 'settings' | 'administrators'>,
  account: Account,
): boolean =>
  settings.secondFactor === 'all' ||
  (settings.secondFactor === 'administrators' && administrators.isAdministrator(account))

/** True if the account must have a second factor but its session began without one, so that a new sign-in is required. */
export const lacksSecondFactor = (
  identity: Pick<Identity, 'settings' | 'administrators'>,
  session: LiveSession,
): boolean => mustHaveFactor(identity, session) && !session.methods?.includes('mfa')

/**
 * Marks the step as used; returns false if it already was. The primary key lets only one of two concurrent
 * uses succeed.
 */
export async function spendStep(
  transaction: Queries,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: number },
): Promise<boolean> {
  const [spent] = await transaction.query(sql`
    insert into spent_steps (id, expires_at) values (${id}, ${timestamp(expiresAt)})
    on conflict do nothing returning true`)
  return spent !== undefined
}
