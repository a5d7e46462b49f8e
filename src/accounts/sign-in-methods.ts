import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** The ways to sign in that the settings allow, in addition to external providers. */
export interface SignInMethods {
  readonly passwords: boolean
  /** The domain of passkeys that sign in alone; undefined where no page accepts them. */
  readonly passkeySignInDomain: string | undefined
}

/** Serializes changes to how an account signs in until the transaction ends. */
export async function lockFactors(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(
    sql`select from pg_advisory_xact_lock(hashtextextended(${`factors ${accountId}`}, 0))`,
  )
}

/**
 * Returns whether the account has any way to sign in. A passkey counts once it has signed in alone, because only then is it
 * known to verify its user.
 */
export async function canSignIn(
  queries: Queries,
  accountId: string,
  { passwords, passkeySignInDomain = '' }: SignInMethods,
): Promise<boolean> {
  const [found] = await queries.query<{ canSignIn: boolean }>(sql`
    select exists (select from outside_identities where user_id = ${accountId})
      or exists (select from passkeys where user_id = ${accountId} and alone_domain = ${passkeySignInDomain})
      -- An account without a password stores a text that is no hash.
      or ${passwords} and exists (select from users where id = ${accountId} and password_hash like '$argon2%') as "canSignIn"`)
  return found?.canSignIn === true
}

export const onlyWayToSignIn =
  'This is your only way to sign in. Connect another one first, or ask an administrator.'
