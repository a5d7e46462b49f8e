import { randomUUID } from 'node:crypto'
import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { unauthenticated } from '../model/problem.ts'

/**
 * Invalidates everything issued to these accounts before: every live check compares the stamp, and the
 * sessions end. A concurrent sign-in started from the old stamp, so it is invalid too, also after a restore.
 */
export async function endSignIns(transaction: Queries, userIds: readonly string[]): Promise<void> {
  await transaction.query(
    sql`update users set security_stamp = ${randomUUID()} where id = any(${userIds}::uuid[])`,
  )
  await transaction.query(
    sql`update signin_sessions set ended_at = now() where user_id = any(${userIds}::uuid[]) and ended_at is null`,
  )
}

/**
 * Prevents a session from being ended until commit; returns false if it has ended already. Ending it
 * therefore comes after what this transaction creates, and finds it.
 */
export async function holdSignIn(transaction: Queries, sessionId: string): Promise<boolean> {
  const [active] = await transaction.query(
    sql`select 1 from signin_sessions where id = ${sessionId} and ended_at is null for share`,
  )
  return active !== undefined
}

/**
 * Throws if the session has ended. Without a session (the program itself, or a service client) there is
 * nothing to check.
 */
export async function requireSignIn(transaction: Queries, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined && !(await holdSignIn(transaction, sessionId))) throw unauthenticated()
}
