import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { collectViolations, forbidden, notFound, parseObject } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { invalidateAccounts } from './active-sessions.ts'
import { revokeMailedLinksOfSessions } from './links.ts'

/** An active session, as its user and administrators see it. */
export interface Session {
  readonly id: string
  readonly userId: string
  /**
   * The client that requested the sign-in; null, like the next three, for sessions from before this was
   * stored.
   */
  readonly clientId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  /** The external provider used to sign in; null for a password. */
  readonly provider: string | null
  /** The last time the client requested tokens. */
  readonly lastUsedAt: string | null
  readonly createdAt: string
  readonly expiresAt: string
  /** Whether the request itself was made in this session. */
  readonly isCurrent: boolean
}

/** The caller and the session of the request. */
export interface SessionCaller {
  readonly caller: Caller
  readonly sessionId: string | undefined
}

/** Only the newest sessions are listed. */
export const sessionsListedMax = 100

/** Lists the caller's own sessions, or those of any account for administrators. */
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

export interface SessionContext {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

const sessionEndedEvent = (caller: Caller, outcome: 'on request' | 'all of the account') =>
  ({ event: 'session-ended', outcome, ...callerDetails(caller), by: caller.id }) as const

/** Ends all of these sessions or none; callers who are not administrators can end only their own. */
export async function endSessions(
  { database, securityLog }: SessionContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const ids = parseSessionIds(parseObject(body).ids)
  const ended = await database.transaction(async (transaction) => {
    // Rows are locked in a fixed order so that concurrent calls cannot deadlock.
    const found = await transaction.query<{ id: string; userId: string }>(sql`
      select id, user_id as "userId" from signin_sessions
      where id = any(${ids}::text[]) and ended_at is null and expires_at > now()
        and (${caller.isAdministrator} or user_id = ${caller.id})
      order by id for no key update`)
    if (found.length < ids.length) throw notFound('Session')
    await transaction.query(sql`update signin_sessions set ended_at = now() where id = any(${ids}::text[])`)
    await revokeMailedLinksOfSessions(transaction, ids)
    // Refresh tokens are not deleted: they end with the session, and this host has no privilege on them.
    return found
  })
  for (const { id: session, userId: account } of ended)
    securityLog?.({ ...sessionEndedEvent(caller, 'on request'), account, session })
}

/** Invalidates everything issued to an account, including tokens of service clients that act as it. */
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
  securityLog?.({ ...sessionEndedEvent(caller, 'all of the account'), account: userId, session: undefined })
}

export function requireSelfOrAdministrator(caller: Caller, userId: string, subject = 'sessions'): void {
  if (userId !== caller.id && !caller.isAdministrator)
    throw forbidden(`Only administrators may see and end the ${subject} of others.`)
}

export function parseUserId(input: unknown): string | undefined {
  if (input === undefined || input === null || input === '') return undefined
  const reading = uuid.parse(input, 'UserId')
  if ('value' in reading) return reading.value
  const violations = collectViolations()
  violations.add('userId', ...reading.problems)
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

/** The identity host creates session ids of 128 bits, in base64url. */
const isSessionId = (input: unknown): boolean => typeof input === 'string' && /^[\w-]{1,64}$/.test(input)
