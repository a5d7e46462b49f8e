import { randomUUID } from 'node:crypto'
import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { unauthenticated } from '../model/problem.ts'

/**
 * Nothing issued to these accounts before works afterwards: every live check compares the stamp, and the sessions are
 * over. A sign-in that runs at the same time started from the old stamp, so it is over too, also after a restore.
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
 * Keeps a sign-in from being ended until commit; false where it has ended already. So its end comes after what this transaction
 * makes, and finds it.
 */
export async function holdSignIn(transaction: Queries, sessionId: string): Promise<boolean> {
  const [standing] = await transaction.query(
    sql`select 1 from signin_sessions where id = ${sessionId} and ended_at is null for share`,
  )
  return standing !== undefined
}

/** The same for what is refused then; none for what the program does by itself, or a service client. */
export async function requireSignIn(transaction: Queries, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined && !(await holdSignIn(transaction, sessionId))) throw unauthenticated()
}
