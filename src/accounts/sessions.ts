import { randomUUID } from 'node:crypto'
import type { Database, Queries } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { collectViolations, forbidden, notFound, parseObject, unauthenticated } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'

export interface Session {
  readonly id: string
  readonly userId: string
  /**
   * The client that requested the sign-in. Older sessions have null here, in `address`, `userAgent` and
   * `lastUsedAt`.
   */
  readonly clientId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  /** The external provider of the sign-in, or null after a sign-in with a password. */
  readonly provider: string | null
  /** The last time at which the client requested tokens. */
  readonly lastUsedAt: string | null
  readonly createdAt: string
  readonly expiresAt: string
  /** True for the session of the request. */
  readonly isCurrent: boolean
}

interface SessionCaller {
  readonly caller: Caller
  readonly sessionId: string | undefined
}

/** Only the newest sessions are listed. */
export const sessionsListedMax = 100

/** Lists the sessions of the caller, or of any account if the caller is an administrator. */
export async function listSessions(
  database: Database,
  { caller, sessionId }: SessionCaller,
  query: Readonly<Record<string, unknown>>,
): Promise<readonly Session[]> {
  const userId = parseUserId(query.userId) ?? caller.id
  requireSelfOrAdministrator(caller, userId)
  return database.query<Session>(sql`
    select session.id, user_id as "userId", client_id as "clientId", address, user_agent as "userAgent", provider,
      session.last_used_at as "lastUsedAt", session.created_at as "createdAt", expires_at as "expiresAt",
      session.id = ${sessionId ?? ''} as "isCurrent"
    from signin_sessions as session
    join users as account on account.id = session.user_id and account.security_stamp = session.security_stamp
    where user_id = ${userId} and account.active and ended_at is null and expires_at > now()
    order by session.created_at desc, session.id limit ${sessionsListedMax}::int`)
}

interface SessionContext {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

const sessionEndedEvent = (caller: Caller, outcome: 'on request' | 'all of the account') =>
  ({ event: 'session-ended', outcome, ...callerDetails(caller), by: caller.id }) as const

/** Ends all of these sessions or none. Only administrators can end the sessions of other users. */
export async function endSessions(
  { database, securityLog }: SessionContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const ids = parseSessionIds(parseObject(body).ids)
  const endedSessions = await database.transaction(async (transaction) => {
    // Rows are locked in a fixed order, so that concurrent calls cannot deadlock.
    const sessions = await transaction.query<{ id: string; userId: string }>(sql`
      select id, user_id as "userId" from signin_sessions
      where id = any(${ids}::text[]) and ended_at is null and expires_at > now()
        and (${caller.isAdministrator} or user_id = ${caller.id})
      order by id for no key update`)
    if (sessions.length < ids.length) throw notFound('Session')
    await transaction.query(sql`update signin_sessions set ended_at = now() where id = any(${ids}::text[])`)
    await endLinksOfSessions(transaction, ids)
    // Refresh tokens are not deleted, because the REST host may not write their table. They are invalid
    // without the session.
    return sessions
  })
  for (const { id: session, userId: account } of endedSessions)
    securityLog?.({ ...sessionEndedEvent(caller, 'on request'), account, session })
}

/**
 * Ends all sessions of an account and invalidates all of its tokens, including the tokens of service clients.
 */
export async function endAllSessions(
  { database, securityLog }: SessionContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const userId = parseUserId(parseObject(body).userId) ?? caller.id
  requireSelfOrAdministrator(caller, userId)
  await database.transaction(async (transaction) => {
    const [account] = await transaction.query(
      sql`select 1 from users where id = ${userId} and active for no key update`,
    )
    if (!account) throw notFound('User')
    await invalidateAccounts(transaction, [userId])
  })
  // All sessions end, so the event names none, not even the caller's.
  securityLog?.({ ...sessionEndedEvent(caller, 'all of the account'), account: userId, session: undefined })
}

/** Throws unless the caller owns the account or is an administrator. */
export function requireSelfOrAdministrator(caller: Caller, userId: string, subject = 'sessions'): void {
  if (userId !== caller.id && !caller.isAdministrator)
    throw forbidden(`Only administrators may see and end the ${subject} of others.`)
}

export function parseUserId(input: unknown): string | undefined {
  if (input === undefined || input === null || input === '') return undefined
  const parsed = uuid.parse(input, 'UserId')
  if ('value' in parsed) return parsed.value
  const violations = collectViolations()
  violations.add('userId', ...parsed.problems)
  violations.throwIfAny()
  return undefined
}

export const sessionIdsMax = 100

function parseSessionIds(input: unknown): readonly string[] {
  const ids = Array.isArray(input) ? [...new Set(input)] : []
  const violations = collectViolations()
  if (input === undefined || input === null) violations.add('ids', 'Ids is required.')
  else if (ids.length < 1 || ids.length > sessionIdsMax || !ids.every(isSessionId))
    violations.add('ids', `Ids must contain 1 to ${sessionIdsMax} ids of sessions.`)
  violations.throwIfAny()
  return ids
}

/** Session ids are 128 random bits in base64url. */
const isSessionId = (input: unknown): boolean => typeof input === 'string' && /^[\w-]{1,64}$/.test(input)

/**
 * Invalidates everything that was issued to these accounts. Every check of a token or session compares the
 * security stamp. A sign-in in progress fails because it has the old stamp.
 */
export async function invalidateAccounts(transaction: Queries, userIds: readonly string[]): Promise<void> {
  await transaction.query(
    sql`update users set security_stamp = ${randomUUID()} where id = any(${userIds}::uuid[])`,
  )
  await transaction.query(
    sql`update signin_sessions set ended_at = now() where user_id = any(${userIds}::uuid[]) and ended_at is null`,
  )
}

/**
 * Locks a session until the commit. Returns false if the session has ended. If another transaction ends the
 * session, it waits for this commit, and then also ends what this transaction has created.
 */
export async function lockSession(transaction: Queries, sessionId: string): Promise<boolean> {
  const [active] = await transaction.query(
    sql`select 1 from signin_sessions where id = ${sessionId} and ended_at is null for share`,
  )
  return active !== undefined
}

/**
 * Locks a session until the commit, and throws if the session has ended. Operators and service clients have
 * no session.
 */
export async function lockActiveSession(transaction: Queries, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined && !(await lockSession(transaction, sessionId))) throw unauthenticated()
}

/** Ends unused links that these sessions created, and mails with links that they requested. */
export async function endLinksOfSessions(transaction: Queries, sessionIds: readonly string[]): Promise<void> {
  await endLinks(transaction, sql`maker_session_id = any(${sessionIds}::text[])`)
}

/**
 * Ends unused links that an account created, and mails with links that it requested, except those of the
 * session `keptSessionId`.
 */
export async function endLinksOfAccount(
  transaction: Queries,
  accountId: string,
  keptSessionId?: string,
): Promise<void> {
  await endLinks(
    transaction,
    sql`made_by = ${accountId} and maker_session_id is distinct from ${keptSessionId ?? ''}`,
  )
}

async function endLinks(transaction: Queries, condition: Sql): Promise<void> {
  await transaction.query(
    sql`update account_links set ended_at = now() where ${condition} and used_at is null and ended_at is null`,
  )
  // Mails for other purposes contain no one-time link.
  await transaction.query(
    sql`update mails set ended_at = now() where ${condition} and purpose in ('password', 'invitation') and ended_at is null`,
  )
}
