import type { Queries } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { type Language, supportedLanguage } from '../model/language.ts'
import { withoutHiddenCharacters } from '../model/text.ts'

/**
 * Normalizes a login for a comparison in which a false match is safe, such as one that reserves the logins of
 * administrators. In some locales, it equates more logins than `lower(trim(login))` in the database.
 */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()

/**
 * Returns whether a login has characters that make it look like another one: invisible ones, and white space
 * other than plain spaces.
 */
export function hasHiddenCharacters(login: string): boolean {
  const visible = login.trim().replaceAll(' ', '')
  return withoutHiddenCharacters(visible) !== visible || /\p{Zs}/u.test(visible)
}

/**
 * Returns whether `lower(trim(login))` equates both logins in every locale of the database, for a comparison
 * in which a false match would give rights away. Locales differ in how they lowercase letters other than A to
 * Z, so those are compared exactly.
 */
export const isSameLogin = (one: string, other: string): boolean =>
  lowerAscii(trimSpaces(one)) === lowerAscii(trimSpaces(other))

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * PostgreSQL's `trim` removes plain spaces only. The lookbehind keeps the second expression linear for many
 * spaces in the middle.
 */
const trimSpaces = (text: string): string => text.replace(/^ +/, '').replace(/(?<! ) +$/, '')

/** SQL: true if the login of the row aliased as `account` was verified, and has not changed since. */
export const hasVerifiedLogin: Sql = raw(
  'exists (select from verified_logins as verified where verified.user_id = account.id and verified.login = account.login)',
)

/**
 * Marks the login as verified if it is this address, at which the user has received mail or which a provider
 * has verified.
 */
export async function recordVerifiedAddress(
  queries: Queries,
  accountId: string,
  address: string,
): Promise<void> {
  const [account] = await queries.query<{ login: string }>(
    sql`select login from users where id = ${accountId}`,
  )
  if (account === undefined || !isSameLogin(account.login, address)) return
  await queries.query(sql`
    insert into verified_logins (user_id, login) values (${accountId}, ${account.login})
    on conflict (user_id) do update set login = excluded.login`)
}

/** The ways to sign in that the settings allow, in addition to external providers. */
export interface SignInMethods {
  readonly passwords: boolean
  /** The domain of passkeys that sign in without a password; undefined if no page accepts them. */
  readonly passkeySignInDomain: string | undefined
}

/** Serializes changes to how an account signs in until the transaction ends. */
export async function lockFactors(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(
    sql`select from pg_advisory_xact_lock(hashtextextended(${`factors ${accountId}`}, 0))`,
  )
}

/**
 * Returns whether the account has any way to sign in. A passkey counts once it has signed in without a
 * password: only then is it known to verify its user.
 */
export async function canSignIn(
  queries: Queries,
  accountId: string,
  { passwords, passkeySignInDomain = '' }: SignInMethods,
): Promise<boolean> {
  const [row] = await queries.query<{ canSignIn: boolean }>(sql`
    select exists (select from outside_identities where user_id = ${accountId})
      or exists (select from passkeys where user_id = ${accountId} and alone_domain = ${passkeySignInDomain})
      -- An account without a password stores a text that is no hash.
      or ${passwords} and exists (select from users where id = ${accountId} and password_hash like '$argon2%') as "canSignIn"`)
  return row?.canSignIn === true
}

export const onlyWayToSignIn =
  'This is your only way to sign in. Connect another one first, or ask an administrator.'

/** SQL: true if the row aliased as `account` must not sign in. */
export const isAccountDeactivatedSql: Sql = raw(
  'exists (select 1 from deactivated_accounts as deactivated where deactivated.user_id = account.id)',
)

/** Stores the language used at sign-in, if known. Skips the write if it is unchanged. */
export async function storeLanguage(
  transaction: Queries,
  accountId: string,
  language: Language | undefined,
): Promise<void> {
  if (language === undefined) return
  await transaction.query(sql`
    insert into account_languages (user_id, language) values (${accountId}, ${language})
    on conflict (user_id) do update set language = excluded.language where account_languages.language <> excluded.language`)
}

/** Returns the language for mails to an account: the chosen one, otherwise that of the last sign-in. */
export async function findLanguage(queries: Queries, accountId: string): Promise<Language> {
  const [row] = await queries.query<{ language: string | null }>(
    sql`
      select coalesce(
        (select language from account_settings where user_id = ${accountId}),
        (select language from account_languages where user_id = ${accountId})
      ) as language`,
  )
  return supportedLanguage(row?.language ?? undefined) ?? 'en'
}
