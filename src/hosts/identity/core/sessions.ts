import { randomBytes } from 'node:crypto'
import { administratorColumns, type PossibleAdministrator } from '../../../accounts/administrators.ts'
import { endLinksOfAccount, endLinksOfSessions } from '../../../accounts/sessions.ts'
import {
  hasVerifiedLogin,
  isAccountDeactivatedSql,
  lockFactors,
  storeLanguage,
} from '../../../accounts/sign-in.ts'
import { epochMilliseconds, timestamp } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { raw, type Sql, sql } from '../../../db/sql.ts'
import type { Language } from '../../../model/language.ts'
import type { Identity } from './endpoint.ts'

/** The current data of an account. Tokens are issued from them. */
export interface Account extends PossibleAdministrator {
  readonly accountId: string
  readonly name: string
  readonly securityStamp: string
  readonly factorChanges: number
  /** True if the login is a verified email address. */
  readonly hasVerifiedLogin: boolean
}

/** SQL: the number of changes of the factors. The row must be called `account`. */
export const factorChangeCountSql: Sql = raw(
  'coalesce((select changed.count from factor_changes as changed where changed.user_id = account.id), 0)',
)

/** SQL: the columns of an account. The row must be called `account`. */
export const accountColumns: Sql = sql`${raw(
  'account.id as "accountId", account.name, account.security_stamp as "securityStamp"',
)}, ${factorChangeCountSql}::int as "factorChanges", ${hasVerifiedLogin} as "hasVerifiedLogin", ${administratorColumns}`

/** Finds the active account with this login. Returns undefined if there is none, or two as in some old stores. */
export async function findActiveAccount(
  queries: Queries,
  login: string,
): Promise<(Account & { readonly passwordHash: string }) | undefined> {
  const accounts = await queries.query<Account & { passwordHash: string }>(sql`
    select ${accountColumns}, account.password_hash as "passwordHash" from users as account
    where lower(trim(account.login)) = lower(trim(${login})) and account.active and not ${isAccountDeactivatedSql} limit 2`)
  return accounts.length === 1 ? accounts[0] : undefined
}

/** Finds the account if it is active and not deactivated. */
export async function findAccountById(queries: Queries, id: string): Promise<Account | undefined> {
  const [account] = await queries.query<Account>(sql`
    select ${accountColumns} from users as account
    where account.id = ${id} and account.active and not ${isAccountDeactivatedSql}`)
  return account
}

/** An active session and the current data of its account. Times are epoch milliseconds. */
export interface ActiveSession extends Account {
  readonly sessionId: string
  readonly signedInAt: number
  /**
   * The time of the last authentication. At an external provider, it may be much earlier than the sign-in. It
   * is 0 if the time is unknown.
   */
  readonly authenticatedAt: number
  readonly expiresAt: number
  /** The authentication methods (RFC 8176). Null if there was no second factor or passkey. */
  readonly methods: readonly string[] | null
}

export interface StartedSession extends Pick<ActiveSession, 'sessionId' | 'expiresAt'> {
  /** Sessions of other accounts in the same browser. The new session replaces them. */
  readonly endedSessionIds: readonly string[]
}

/** The contract prescribes eight hours from the sign-in. */
const sessionMilliseconds = 8 * 60 * 60_000

/** The origin of a sign-in. The user can see it later. */
export interface SignInSource {
  readonly clientId: string
  readonly address: string
  readonly userAgent: string | undefined
  /** Earlier sessions of the browser. Sessions of other accounts are ended. */
  readonly earlierSessionIds: readonly string[]
  /** The requested language of the pages, if any. */
  readonly language: Language | undefined
  /** The authentication methods (RFC 8176). Undefined without a second factor or passkey. */
  readonly methods?: readonly string[]
  /** Undefined for a sign-in without an external provider. */
  readonly federated?: FederatedSignIn | undefined
}

export interface FederatedSignIn {
  readonly provider: string
  readonly identityId: string
  /** The time of the authentication at the provider, if known. */
  readonly authenticatedAt: number | undefined
  /**
   * The encrypted identity token, a hint for the sign-out at the provider. Undefined if it is too long for a
   * URL, or if the sign-in had a second step.
   */
  readonly sealedToken?: string | undefined
}

/**
 * Stores a new session. Returns undefined if the account or its factors have changed since the
 * authentication.
 */
export async function insertSession(
  { database, now }: Pick<Identity, 'database' | 'now'>,
  { accountId, securityStamp, factorChanges }: Account,
  { clientId, address, userAgent, earlierSessionIds, language, methods, federated }: SignInSource,
): Promise<StartedSession | undefined> {
  const sessionId = randomBytes(16).toString('base64url')
  const at = now()
  const startedAt = timestamp(at)
  const expiresAt = at + sessionMilliseconds
  return database.transaction(async (transaction) => {
    // If a concurrent change of factors comes later, it ends this session. If it comes first, the session is
    // not created.
    await lockFactors(transaction, accountId)
    if (federated && !(await lockIdentity(transaction, accountId, federated))) return undefined
    const [started] = await transaction.query(sql`
      insert into signin_sessions
        (id, user_id, security_stamp, created_at, last_used_at, expires_at, client_id, address, user_agent, methods,
        provider, outside_identity_id, outside_token, proved_at)
      select ${sessionId}, id, security_stamp, ${startedAt}, ${startedAt}, ${timestamp(expiresAt)},
        ${clientId}, ${address}, ${userAgent ?? null}, ${methods ?? null}::text[],
        ${federated?.provider ?? null}, ${federated?.identityId ?? null}::uuid, ${federated?.sealedToken ?? null},
        ${federated?.authenticatedAt === undefined ? null : timestamp(federated.authenticatedAt)}::timestamptz
      from users as account where id = ${accountId} and active and security_stamp = ${securityStamp}
        and ${factorChangeCountSql} = ${factorChanges}
      returning id`)
    if (started === undefined) return undefined
    await storeLanguage(transaction, accountId, language)
    await transaction.query(sql`
      insert into last_sign_ins (user_id, at) values (${accountId}, ${startedAt})
      on conflict (user_id) do update set at = greatest(last_sign_ins.at, excluded.at)`)
    const ofOtherAccounts = sql`id = any(${earlierSessionIds}::text[]) and user_id <> ${accountId}`
    return { sessionId, expiresAt, endedSessionIds: await endSessions(transaction, ofOtherAccounts, now()) }
  })
}

/** Locks the external identity until the commit. Returns false if it was disconnected. */
async function lockIdentity(
  transaction: Queries,
  accountId: string,
  { identityId }: FederatedSignIn,
): Promise<boolean> {
  const [locked] = await transaction.query(
    sql`select 1 from outside_identities where id = ${identityId} and user_id = ${accountId} for key share`,
  )
  return locked !== undefined
}

export async function findActiveSession(
  identity: Pick<Identity, 'database' | 'settings' | 'now'>,
  sessionId: string,
): Promise<ActiveSession | undefined> {
  const [session] = await identity.database.query<ActiveSession>(sql`
    select ${sessionColumns} from signin_sessions as session
    join users as account on account.id = session.user_id
    where session.id = ${sessionId} and ${isSessionActiveSql(identity)}`)
  return session
}

/**
 * SQL: true if a session is active. The rows must be called `session` and `account`. A changed password or
 * login changes the security stamp of the account, and thereby ends its sessions.
 */
export const isSessionActiveSql = ({ settings, now }: Pick<Identity, 'settings' | 'now'>): Sql => sql`
  session.ended_at is null and session.expires_at > ${timestamp(now())}
  and account.active and account.security_stamp = session.security_stamp
  ${isUsedRecentlySql(settings.inactivityMinutes, now())}`

/** `last_used_at` is null for old sessions. */
const isUsedRecentlySql = (inactivityMinutes: number, now: number): Sql =>
  inactivityMinutes === 0
    ? raw('')
    : sql`and coalesce(session.last_used_at, session.created_at) > ${timestamp(now - inactivityMinutes * 60_000)}`

export const sessionColumns: Sql = sql`
  ${accountColumns}, session.id as "sessionId", session.methods,
  ${epochMilliseconds(sql`session.created_at`)} as "signedInAt",
  ${epochMilliseconds(sql`case when session.provider is null then session.created_at else coalesce(session.proved_at, 'epoch') end`)}
    as "authenticatedAt",
  ${epochMilliseconds(sql`session.expires_at`)} as "expiresAt"`

/**
 * Ends sessions in two statements. A concurrent refresh may insert a token while it holds the lock on the
 * session. Only a later statement sees that token.
 */
async function endSessions(transaction: Queries, condition: Sql, now: number): Promise<readonly string[]> {
  const ended = await transaction.query<{ id: string }>(
    sql`update signin_sessions set ended_at = ${timestamp(now)} where ${condition} and ended_at is null returning id`,
  )
  const ids = ended.map(({ id }) => id)
  if (ids.length > 0)
    await transaction.query(sql`delete from refresh_tokens where session_id = any(${ids}::text[])`)
  return ids
}

/** Ends all sessions of the account except one, and the links that were created in them. */
export async function endOtherSessions(
  transaction: Queries,
  accountId: string,
  keptSessionId: string | undefined,
  now: number,
): Promise<void> {
  await endSessions(transaction, sql`user_id = ${accountId} and id <> ${keptSessionId ?? ''}`, now)
  await endLinksOfAccount(transaction, accountId, keptSessionId)
}

/** Ends a session. Returns false if it has already ended. Links that were created in it stay valid. */
export async function endSession(
  { database, now }: Pick<Identity, 'database' | 'now'>,
  sessionId: string,
): Promise<boolean> {
  const ended = await database.transaction((transaction) =>
    endSessions(transaction, sql`id = ${sessionId}`, now()),
  )
  return ended.length > 0
}

/** Ends a stolen session and the links that were created in it. */
export const endStolenSession = (
  { database, now }: Pick<Identity, 'database' | 'now'>,
  sessionId: string,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const ended = await endSessions(transaction, sql`id = ${sessionId}`, now())
    await endLinksOfSessions(transaction, [sessionId])
    return ended.length > 0
  })
