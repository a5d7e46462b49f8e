import type { Queries } from '../store/database.ts'
import { sql } from '../store/sql.ts'

/** After new credentials nothing issued before works: every live check compares the stamp, and the sessions are over. */
export async function endSignIns(transaction: Queries, userId: string): Promise<void> {
  await transaction.query(sql`update users set security_stamp = gen_random_uuid() where id = ${userId}`)
  await transaction.query(
    sql`update signin_sessions set ended_at = now() where user_id = ${userId} and ended_at is null`,
  )
}
