import type { Database } from './database.ts'
import { raw, type Sql, sql } from './sql.ts'
import { limitsOfUpkeep } from './time-limits.ts'

/** Rows per statement, so that none holds many locks for long or runs into its time limit. */
export const batchSize = 1000
/** With the batch size above, a million rows. The rest waits for the next time. */
const batchesMax = 1000

/**
 * Runs a statement that changes `batchSize` rows at most and returns one for each, until it finds fewer: what strangers add meanwhile
 * is no more than it takes away.
 */
export async function inBatches(database: Pick<Database, 'transaction'>, statement: Sql): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const changed = await database.transaction((transaction) => transaction.query(statement), limitsOfUpkeep)
    if (changed.length < batchSize) return
  }
}

/** Deletes the rows of a table that meet the condition. Several instances may do so at once: each takes rows that nobody else has. */
export function deleteInBatches(
  database: Pick<Database, 'transaction'>,
  { table, key = 'id' }: { readonly table: string; readonly key?: string },
  condition: Sql,
): Promise<void> {
  const [from, columns] = [raw(table), raw(key)]
  return inBatches(
    database,
    sql`
    delete from ${from} where (${columns}) in (
      select ${columns} from ${from} where ${condition} limit ${batchSize}::int for update skip locked)
    returning 1`,
  )
}
