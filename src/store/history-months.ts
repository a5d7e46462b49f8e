import type { Database } from './database.ts'
import { sql } from './sql.ts'
import { limitsOfUpkeep } from './time-limits.ts'

/** Makes room for the months to come, and forgets whole months that ended more than so many days ago; 0 keeps all. */
export async function keepHistory(database: Database, days: number): Promise<void> {
  await database.transaction(
    (transaction) => transaction.query(sql`select keep_history(${days}::int)`),
    limitsOfUpkeep,
  )
}
