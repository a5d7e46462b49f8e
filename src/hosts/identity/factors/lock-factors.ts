import type { Queries } from '../../../store/database.ts'
import { sql } from '../../../store/sql.ts'

/** Changes of one account's factors take turns until commit, so that what was looked at still holds when it is written. */
export async function lockFactors(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(
    sql`select from pg_advisory_xact_lock(hashtextextended(${`factors ${accountId}`}, 0))`,
  )
}
