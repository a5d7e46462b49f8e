import type { Database, Queries } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { type Language, supportedLanguage } from '../model/language.ts'
import { invalid, notFound, parseFields } from '../model/problem.ts'
import { withoutHiddenCharacters } from '../model/text.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { endLinksOfSessions, requireSelfOrAdministrator } from './sessions.ts'

/**
 * Normalizes a login for comparisons in which a false match is safe, for example to reserve logins of
 * administrators.
 */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()

/**
 * Returns whether a login has invisible characters or unusual white space, which could make it look like
 * another login.
 */
export function hasHiddenCharacters(login: string): boolean {
  const visible = login.trim().replaceAll(' ', '')
  return withoutHiddenCharacters(visible) !== visible || /\p{Zs}/u.test(visible)
}

/**
 * Returns whether PostgreSQL considers both logins equal in every locale. A false match would give rights
 * away. Locales differ in how they convert letters other than A to Z to lower case, so those letters must be
 * equal.
 */
export const isSameLogin = (one: string, other: string): boolean =>
  lowerAscii(trimSpaces(one)) === lowerAscii(trimSpaces(other))

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * PostgreSQL's `trim` removes only plain spaces. The lookbehind keeps the expression linear for many spaces.
 */
const trimSpaces = (text: string): string => text.replace(/^ +/, '').replace(/(?<! ) +$/, '')

/** SQL: true if the current login of the row called `account` was verified. */
export const hasVerifiedLogin: Sql = raw(
  'exists (select from verified_logins as verified where verified.user_id = account.id and verified.login = account.login)',
)

/**
 * Marks the login as verified if it equals this address. The user has received mail at the address, or a
 * provider has verified it.
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

/** The ways to sign in that the settings allow, apart from external providers. */
export interface SignInMethods {
  readonly passwords: boolean
  /** The domain of passkeys that sign in without a password. Undefined if no page accepts them. */
  readonly passkeySignInDomain: string | undefined
}

/** Locks the ways in which an account signs in until the commit. */
export async function lockFactors(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(
    sql`select from pg_advisory_xact_lock(hashtextextended(${`factors ${accountId}`}, 0))`,
  )
}

/**
 * Returns whether the account has any way to sign in. A passkey counts only after a sign-in without a
 * password, because only then is it known to verify its user.
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

/** SQL: true if the user of the row called `account` must not sign in. */
export const isAccountDeactivatedSql: Sql = raw(
  'exists (select 1 from deactivated_accounts as deactivated where deactivated.user_id = account.id)',
)

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

/**
 * Returns the language for mails to an account: the chosen language, or else the language of the last
 * sign-in.
 */
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

/** An external identity connected with an account, as its user and administrators see it. */
interface ExternalIdentity {
  readonly id: string
  readonly userId: string
  /** The provider's id in the settings of the identity host. */
  readonly provider: string
  readonly issuer: string
  readonly label: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** The maximum number of identities of an account. */
export const identitiesMax = 20

export async function listIdentities(
  database: Database,
  caller: Caller,
  userId: string,
): Promise<readonly ExternalIdentity[]> {
  requireSelfOrAdministrator(caller, userId, 'identities')
  return database.query<ExternalIdentity>(sql`
    select id, user_id as "userId", provider, issuer, label, created_at as "createdAt", last_used_at as "lastUsedAt"
    from outside_identities where user_id = ${userId} order by created_at desc, id limit ${identitiesMax}::int`)
}

interface IdentityContext {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

/**
 * Disconnects an external identity and ends the sessions that it started. Users cannot remove their last way
 * to sign in. The lock prevents concurrent removals of other identities and of passkeys.
 */
export async function disconnectIdentity(
  { database, securityLog }: IdentityContext,
  caller: Caller,
  body: unknown,
  methods: SignInMethods,
): Promise<void> {
  const { id } = parseFields(body, { id: uuid })
  const { userId, provider } = await database.transaction(async (transaction) => {
    const [found] = await transaction.query<{ userId: string; provider: string }>(sql`
      select user_id as "userId", provider from outside_identities
      where id = ${id} and (${caller.isAdministrator} or user_id = ${caller.id})`)
    if (!found) throw notFound('Identity')
    await lockFactors(transaction, found.userId)
    const [ended] = await transaction.query(sql`delete from outside_identities where id = ${id} returning id`)
    if (!ended) throw notFound('Identity')
    if (found.userId === caller.id && !(await canSignIn(transaction, caller.id, methods)))
      throw invalid({ id: [onlyWayToSignIn] })
    // Links outlive a sign-out, so the links of sessions that have already ended are ended, too.
    const startedByIdentity = sql`user_id = ${found.userId} and outside_identity_id = ${id}`
    const sessions = await transaction.query<{ id: string }>(
      sql`select id from signin_sessions where ${startedByIdentity}`,
    )
    await transaction.query(
      sql`update signin_sessions set ended_at = now() where ${startedByIdentity} and ended_at is null`,
    )
    await endLinksOfSessions(
      transaction,
      sessions.map((session) => session.id),
    )
    return found
  })
  securityLog?.({
    event: 'identity-disconnected',
    ...callerDetails(caller),
    account: userId,
    by: caller.id,
    provider,
  })
}
