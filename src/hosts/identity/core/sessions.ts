import { randomBytes } from 'node:crypto'
import { endLinksOf, endLinksOfAccount } from '../../../accounts/links.ts'
import { rememberLanguage } from '../../../accounts/login.ts'
import type { Queries } from '../../../db/database.ts'
import { raw, type Sql, sql } from '../../../db/sql.ts'
import type { Language } from '../../../model/language.ts'
import { millisecondsOf, moment } from '../values/timestamps.ts'
import { type Account, accountColumns, factorChangesOf } from './accounts.ts'
import type { Identity } from './identity.ts'

/** A sign-in that stands, with its account as it is now. Times are epoch milliseconds. */
export interface LiveSession extends Account {
  readonly sessionId: string
  readonly signedInAt: number
  /** When the person last proved who they are, as far as is known: at an outside provider that may be long before. */
  readonly provedAt: number
  readonly expiresAt: number
  /** How the person proved themselves (RFC 8176); null for a password alone. */
  readonly methods: readonly string[] | null
}

export interface StartedSession extends Pick<LiveSession, 'sessionId' | 'expiresAt'> {
  /** Sessions of other accounts in the same browser, which this one replaces. */
  readonly endedSessionIds: readonly string[]
}

/** The contract's eight hours, counted from the sign-in and never prolonged. */
const sessionMilliseconds = 8 * 60 * 60_000

/** Where a sign-in comes from: what its owner is shown of it later. */
export interface SignInOrigin {
  readonly clientId: string
  readonly address: string
  readonly userAgent: string | undefined
  /** The browser's sessions until now; those of other accounts end. */
  readonly earlierSessionIds: readonly string[]
  /** What its pages spoke, where the client or the browser said so. */
  readonly language: Language | undefined
  /** Beyond a password alone. */
  readonly methods?: readonly string[]
  /** None for a sign-in that was proved here. */
  readonly outside?: OutsideSignIn | undefined
}

export interface OutsideSignIn {
  /** The provider's id in the settings. */
  readonly provider: string
  readonly identityId: string
  /** When the person proved who they are there; none where nobody says. */
  readonly provedAt: number | undefined
  /** For the sign-out there, sealed; none for one too long to be sent back. */
  readonly sealedToken?: string | undefined
}

/** Starts a session unless the account, or what it must be proved with, has changed since its password was verified. */
export async function startSession(
  { database, now }: Pick<Identity, 'database' | 'now'>,
  { accountId, securityStamp, factorChanges }: Account,
  { clientId, address, userAgent, earlierSessionIds, language, methods, outside }: SignInOrigin,
): Promise<StartedSession | undefined> {
  const sessionId = randomBytes(16).toString('base64url')
  const startedAt = moment(now())
  const expiresAt = now() + sessionMilliseconds
  return database.transaction(async (transaction) => {
    // While a factor is being changed: either comes first, and ends or refuses the other.
    await lockFactors(transaction, accountId)
    if (outside && !(await holdIdentity(transaction, accountId, outside))) return undefined
    const [started] = await transaction.query(sql`
      insert into signin_sessions
        (id, user_id, security_stamp, created_at, last_used_at, expires_at, client_id, address, user_agent, methods,
        provider, outside_identity_id, outside_token, proved_at)
      select ${sessionId}, id, security_stamp, ${startedAt}, ${startedAt}, ${moment(expiresAt)},
        ${clientId}, ${address}, ${userAgent ?? null}, ${methods ?? null}::text[],
        ${outside?.provider ?? null}, ${outside?.identityId ?? null}::uuid, ${outside?.sealedToken ?? null},
        ${outside?.provedAt === undefined ? null : moment(outside.provedAt)}::timestamptz
      from users as account where id = ${accountId} and active and security_stamp = ${securityStamp}
        and ${factorChangesOf} = ${factorChanges}
      returning id`)
    if (started === undefined) return undefined
    await rememberLanguage(transaction, accountId, language)
    const others = sql`id = any(${earlierSessionIds}::text[]) and user_id <> ${accountId}`
    return { sessionId, expiresAt, endedSessionIds: await endRows(transaction, others, now()) }
  })
}

/** Keeps the identity by which somebody came from being disconnected until commit; false where it is gone already. */
async function holdIdentity(
  transaction: Queries,
  accountId: string,
  { identityId }: OutsideSignIn,
): Promise<boolean> {
  const [held] = await transaction.query(
    sql`select 1 from outside_identities where id = ${identityId} and user_id = ${accountId} for key share`,
  )
  return held !== undefined
}

export async function findLiveSession(
  identity: Pick<Identity, 'database' | 'settings' | 'now'>,
  sessionId: string,
): Promise<LiveSession | undefined> {
  const [session] = await identity.database.query<LiveSession>(sql`
    select ${sessionColumns} from signin_sessions as session
    join users as account on account.id = session.user_id
    where session.id = ${sessionId} and ${isLive(identity)}`)
  return session
}

/**
 * The condition under which a session is live, for queries that call the rows `session` and `account`. A changed password or
 * login gives the account a new security stamp, so sessions with the old stamp are over without being marked as ended.
 */
export const isLive = ({ settings, now }: Pick<Identity, 'settings' | 'now'>): Sql => sql`
  session.ended_at is null and session.expires_at > ${moment(now())}
  and account.active and account.security_stamp = session.security_stamp
  ${isInUse(settings.inactivityMinutes, now())}`

/** A session without a time of last use began before such times were kept. */
const isInUse = (inactivityMinutes: number, now: number): Sql =>
  inactivityMinutes === 0
    ? raw('')
    : sql`and coalesce(session.last_used_at, session.created_at) > ${moment(now - inactivityMinutes * 60_000)}`

export const sessionColumns: Sql = sql`
  ${accountColumns}, session.id as "sessionId", session.methods,
  ${millisecondsOf(sql`session.created_at`)} as "signedInAt",
  ${millisecondsOf(sql`case when session.provider is null then session.created_at else coalesce(session.proved_at, 'epoch') end`)}
    as "provedAt",
  ${millisecondsOf(sql`session.expires_at`)} as "expiresAt"`

/**
 * Two statements: a successor token that a racing refresh inserts under its share lock on the session is visible only to
 * a statement that begins after the session has been marked.
 */
async function endRows(transaction: Queries, which: Sql, now: number): Promise<readonly string[]> {
  const ended = await transaction.query<{ id: string }>(
    sql`update signin_sessions set ended_at = ${moment(now)} where ${which} and ended_at is null returning id`,
  )
  const ids = ended.map(({ id }) => id)
  if (ids.length > 0)
    await transaction.query(sql`delete from refresh_tokens where session_id = any(${ids}::text[])`)
  return ids
}

/** Ends all other sessions of the account, and the links made in them. The session that makes the request stays, if there is one. */
export async function endOtherSessions(
  transaction: Queries,
  accountId: string,
  keptSessionId: string | undefined,
  now: number,
): Promise<void> {
  await endRows(transaction, sql`user_id = ${accountId} and id <> ${keptSessionId ?? ''}`, now)
  await endLinksOfAccount(transaction, accountId, keptSessionId)
}

/** False when the session had already ended. What the person made before they signed out stays. */
export async function endSession(
  { database, now }: Pick<Identity, 'database' | 'now'>,
  sessionId: string,
): Promise<boolean> {
  const ended = await database.transaction((transaction) =>
    endRows(transaction, sql`id = ${sessionId}`, now()),
  )
  return ended.length > 0
}

/** The same of one that somebody else has got hold of, with what it has made. */
export const endStolenSession = (
  { database, now }: Pick<Identity, 'database' | 'now'>,
  sessionId: string,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const ended = await endRows(transaction, sql`id = ${sessionId}`, now())
    await endLinksOf(transaction, [sessionId])
    return ended.length > 0
  })

/** Changes of one account's factors take turns until commit, so that what was looked at still holds when it is written. */
export async function lockFactors(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(
    sql`select from pg_advisory_xact_lock(hashtextextended(${`factors ${accountId}`}, 0))`,
  )
}
