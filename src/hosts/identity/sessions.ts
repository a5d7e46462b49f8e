import { randomBytes } from 'node:crypto'
import type { Database, Queries } from '../../store/database.ts'
import { type Sql, sql } from '../../store/sql.ts'
import { type Account, accountColumns } from './accounts.ts'
import { millisecondsOf, moment } from './moment.ts'

/** A sign-in that stands, with its account as it is now. Times are epoch milliseconds. */
export interface LiveSession extends Account {
  readonly sessionId: string
  readonly signedInAt: number
  readonly expiresAt: number
}

export type StartedSession = Pick<LiveSession, 'sessionId' | 'expiresAt'>

/** The contract's eight hours, counted from the sign-in and never prolonged. */
const sessionMilliseconds = 8 * 60 * 60_000

/** Starts a session unless the account has changed since its password was verified. */
export async function startSession(
  database: Database,
  { accountId, securityStamp }: Account,
  now: number,
): Promise<StartedSession | undefined> {
  const sessionId = randomBytes(16).toString('base64url')
  const expiresAt = now + sessionMilliseconds
  const [started] = await database.transaction((transaction) =>
    transaction.query(sql`
      insert into signin_sessions (id, user_id, security_stamp, created_at, expires_at)
      select ${sessionId}, id, security_stamp, ${moment(now)}, ${moment(expiresAt)} from users
      where id = ${accountId} and active and security_stamp = ${securityStamp}
      returning id`),
  )
  return started === undefined ? undefined : { sessionId, expiresAt }
}

export async function findLiveSession(
  queries: Queries,
  sessionId: string,
  now: number,
): Promise<LiveSession | undefined> {
  const [session] = await queries.query<LiveSession>(sql`
    select ${sessionColumns} from signin_sessions as session
    join users as account on account.id = session.user_id
    where session.id = ${sessionId} and ${isLive(now)}`)
  return session
}

/**
 * Whatever made a session end, it is this: in a query that calls the rows `session` and `account`. A changed password or
 * login needs no further news, because it replaces the account's stamp.
 */
export const isLive = (now: number): Sql => sql`
  session.ended_at is null and session.expires_at > ${moment(now)}
  and account.active and account.security_stamp = session.security_stamp`

export const sessionColumns: Sql = sql`
  ${accountColumns}, session.id as "sessionId",
  ${millisecondsOf(sql`session.created_at`)} as "signedInAt", ${millisecondsOf(sql`session.expires_at`)} as "expiresAt"`

/**
 * Two statements: a successor token that a racing refresh inserts under its share lock on the session is visible only to
 * a statement that begins after the session has been marked.
 */
export async function endSession(database: Database, sessionId: string, now: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(sql`
      update signin_sessions set ended_at = ${moment(now)} where id = ${sessionId} and ended_at is null`)
    await transaction.query(sql`delete from refresh_tokens where session_id = ${sessionId}`)
  })
}
