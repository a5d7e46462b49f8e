import type { Database } from './database.ts'
import { limitsOfUpkeep } from './in-time.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Limits each statement, so that none holds many locks for long or hits its time limit. */
export const batchSize = 1000
/** A million rows with the batch size above. The rest waits for the next run. */
const batchesMax = 1000

/**
 * Repeats a statement that changes at most `batchSize` rows and returns one for each, until it finds fewer.
 * It deletes faster than clients without an account can add rows.
 */
export async function inBatches(database: Pick<Database, 'transaction'>, statement: Sql): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const changed = await database.transaction((transaction) => transaction.query(statement), limitsOfUpkeep)
    if (changed.length < batchSize) return
  }
}

/**
 * Deletes the rows of a table that meet the condition. Several instances may run at once: each skips rows
 * that another one has locked.
 */
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

/** Rows that the function in the database deletes at once, so that no statement hits its time limit. */
const purgedAtOnceMax = 1000

/** Deletes rows removed more than this many days ago; 0 keeps all. Children go before their parents. */
export async function purgeRemoved(
  database: Database,
  resources: readonly Kept[],
  days: number,
): Promise<void> {
  if (days === 0) return
  for (const { name, table } of resources.toReversed()) {
    const purge = sql`select forget_removed(${name}, ${table}, ${days}::int) as count`
    for (let count = purgedAtOnceMax; count === purgedAtOnceMax; ) {
      const [row] = await database.transaction(
        (transaction) => transaction.query<{ count: number }>(purge),
        limitsOfUpkeep,
      )
      count = row?.count ?? 0
    }
  }
}

/** Adds partitions for the coming months, and drops those that ended over this many days ago; 0 keeps all. */
export async function keepHistory(database: Database, days: number): Promise<void> {
  await database.transaction(
    (transaction) => transaction.query(sql`select keep_history(${days}::int)`),
    limitsOfUpkeep,
  )
}
