import { unauthenticated } from '../model/problem.ts'
import type { Queries } from '../store/database.ts'
import { sql } from '../store/sql.ts'

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
