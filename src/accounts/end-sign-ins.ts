import { randomUUID } from 'node:crypto'
import type { Queries } from '../store/database.ts'
import { sql } from '../store/sql.ts'

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
