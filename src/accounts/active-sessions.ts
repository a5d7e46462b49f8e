import { randomUUID } from 'node:crypto'
import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { unauthenticated } from '../model/problem.ts'

/**
 * Invalidates everything issued to these accounts so far: every session check compares the security stamp, and the
 * sessions are marked as ended. A sign-in in progress still carries the old stamp, so it fails too, even if the
 * account is removed and restored meanwhile.
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
 * Locks a session so that it cannot be ended before commit; returns false if it has already ended. A concurrent end
 * waits for the commit, and then also ends what this transaction created. The bearer token was already checked for
 * expiry and stamp, so only a concurrent end matters here.
 */
export async function lockSession(transaction: Queries, sessionId: string): Promise<boolean> {
  const [active] = await transaction.query(
    sql`select 1 from signin_sessions where id = ${sessionId} and ended_at is null for share`,
  )
  return active !== undefined
}

/**
 * Locks a session until commit, and throws if it has ended. Without a session (the program itself, or a service client)
 * there is nothing to check.
 */
export async function lockActiveSession(transaction: Queries, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined && !(await lockSession(transaction, sessionId))) throw unauthenticated()
}
