import type { Database } from './database.ts'
import { limitsOfUpkeep } from './in-time.ts'
import { raw, type Sql, sql } from './sql.ts'

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

interface Kept {
  readonly name: string
  readonly table: string
}

/** As many as the function in the store deletes at once, so that no statement runs into its time limit. */
const forgottenAtOnceMax = 1000

/** Deletes what was removed more than so many days ago; 0 keeps all. Those that refer come before those they refer to. */
export async function forgetRemoved(
  database: Database,
  resources: readonly Kept[],
  days: number,
): Promise<void> {
  if (days === 0) return
  for (const { name, table } of resources.toReversed()) {
    const forget = sql`select forget_removed(${name}, ${table}, ${days}::int) as count`
    for (let count = forgottenAtOnceMax; count === forgottenAtOnceMax; ) {
      const [row] = await database.transaction(
        (transaction) => transaction.query<{ count: number }>(forget),
        limitsOfUpkeep,
      )
      count = row?.count ?? 0
    }
  }
}

/** Makes room for the months to come, and forgets whole months that ended more than so many days ago; 0 keeps all. */
export async function keepHistory(database: Database, days: number): Promise<void> {
  await database.transaction(
    (transaction) => transaction.query(sql`select keep_history(${days}::int)`),
    limitsOfUpkeep,
  )
}
