import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { collectViolations, forbidden, missing, readObject } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { endLinksOf } from './links.ts'
import { endSignIns } from './sign-ins.ts'

/** A sign-in that stands, as its owner and administrators see it. */
export interface Session {
  readonly id: string
  readonly userId: string
  /** The client that asked for the sign-in; null for a sign-in from before this was stored, as are the next three. */
  readonly clientId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  /** The outside provider by which somebody has signed in; null for a password. */
  readonly provider: string | null
  /** When its client asked for tokens last. */
  readonly lastUsedAt: string | null
  readonly createdAt: string
  readonly expiresAt: string
  /** Whether the request itself belongs to it. */
  readonly isCurrent: boolean
}

/** Who asks, and by which sign-in. */
export interface SessionCaller {
  readonly caller: Caller
  readonly sessionId: string | undefined
}

/** The newest come first; nobody looks through more. */
export const sessionsListedMax = 100

/** The sessions of the own account, or of any account for administrators. */
export async function listSessions(
  database: Database,
  { caller, sessionId }: SessionCaller,
  query: Readonly<Record<string, unknown>>,
): Promise<readonly Session[]> {
  const userId = readUserId(query.userId) ?? caller.id
  requireOwnOrAdministrator(caller, userId)
  return database.query<Session>(sql`
    select session.id, user_id as "userId", client_id as "clientId", address, user_agent as "userAgent", provider,
      session.last_used_at as "lastUsedAt", session.created_at as "createdAt", expires_at as "expiresAt",
      session.id = ${sessionId ?? ''} as "isCurrent"
    from signin_sessions as session
    join users as account on account.id = session.user_id and account.security_stamp = session.security_stamp
    where user_id = ${userId} and account.active and ended_at is null and expires_at > now()
    order by session.created_at desc, session.id limit ${sessionsListedMax}::int`)
}

export interface SessionEnding {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

const endedBy = (caller: Caller) =>
  ({ event: 'session-ended', outcome: 'on request', ...callerDetails(caller), by: caller.id }) as const

/** Ends these sessions, all or none; anyone who is not an administrator sees their own only. */
export async function endSessions(
  { database, securityLog }: SessionEnding,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const ids = readSessionIds(readObject(body).ids)
  const ended = await database.transaction(async (transaction) => {
    // Locked in one order, so that two of these at once do not wait for each other.
    const found = await transaction.query<{ id: string; userId: string }>(sql`
      select id, user_id as "userId" from signin_sessions
      where id = any(${ids}::text[]) and ended_at is null and expires_at > now()
        and (${caller.isAdministrator} or user_id = ${caller.id})
      order by id for no key update`)
    if (found.length < ids.length) throw missing('Session')
    await transaction.query(sql`update signin_sessions set ended_at = now() where id = any(${ids}::text[])`)
    await endLinksOf(transaction, ids)
    // Its refresh tokens are not deleted: they end with it, and this host has no right to them.
    return found
  })
  for (const { id: session, userId: account } of ended)
    securityLog?.({ ...endedBy(caller), account, session })
}

/** Ends everything an account has been issued, tokens of service clients that act as it included. */
export async function endAllSessions(
  { database, securityLog }: SessionEnding,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const userId = readUserId(readObject(body).userId) ?? caller.id
  requireOwnOrAdministrator(caller, userId)
  await database.transaction(async (transaction) => {
    const [account] = await transaction.query(
      sql`select 1 from users where id = ${userId} and active for no key update`,
    )
    if (!account) throw missing('User')
    await endSignIns(transaction, [userId])
  })
  securityLog?.({ ...endedBy(caller), outcome: 'all of the account', account: userId, session: undefined })
}

export function requireOwnOrAdministrator(caller: Caller, userId: string, what = 'sessions'): void {
  if (userId !== caller.id && !caller.isAdministrator)
    throw forbidden(`Only administrators may see and end the ${what} of others.`)
}

export function readUserId(input: unknown): string | undefined {
  if (input === undefined || input === null || input === '') return undefined
  const reading = uuid.read(input, 'UserId')
  if ('value' in reading) return reading.value
  const violations = collectViolations()
  violations.add('userId', ...reading.problems)
  violations.refuseIfAny()
  return undefined
}

export const endedAtOnceMax = 100

function readSessionIds(input: unknown): readonly string[] {
  const ids = Array.isArray(input) ? [...new Set(input)] : []
  const violations = collectViolations()
  if (input === undefined || input === null) violations.add('ids', 'Ids is required.')
  else if (ids.length < 1 || ids.length > endedAtOnceMax || !ids.every(isSessionId))
    violations.add('ids', `Ids must contain 1 to ${endedAtOnceMax} ids of sessions.`)
  violations.refuseIfAny()
  return ids
}

/** As the identity host makes them: 128 bits in base64url. */
const isSessionId = (input: unknown): boolean => typeof input === 'string' && /^[\w-]{1,64}$/.test(input)
