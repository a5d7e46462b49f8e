import type { Database } from './database.ts'
import { maintenanceLimits } from './failures.ts'
import { raw, type Sql, sql } from './sql.ts'

/** The number of rows per statement. With more rows, a statement would hold its locks for too long. */
export const batchSize = 1000
/** This many batches are a million rows: more than clients without an account can add between two runs. */
const batchesMax = 1000

/** Repeats a statement until it returns fewer than `batchSize` changed rows. */
export async function repeatInBatches(
  database: Pick<Database, 'transaction'>,
  statement: Sql,
): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const changed = await database.transaction(
      (transaction) => transaction.query(statement),
      maintenanceLimits,
    )
    if (changed.length < batchSize) return
  }
}

/** Deletes the rows of a table that meet the condition. Rows that another instance has locked are skipped. */
export function deleteInBatches(
  database: Pick<Database, 'transaction'>,
  { table, key = 'id' }: { readonly table: string; readonly key?: string },
  condition: Sql,
): Promise<void> {
  // The names are constants of the callers, so `raw` cannot inject anything.
  const from = raw(table)
  const columns = raw(key)
  return repeatInBatches(
    database,
    sql`
    delete from ${from} where (${columns}) in (
      select ${columns} from ${from} where ${condition} limit ${batchSize}::int for update skip locked)
    returning 1`,
  )
}

interface PurgeableTable {
  readonly name: string
  readonly table: string
}

/** Deletes rows removed more than `days` ago; 0 keeps all. Children are deleted before their parents. */
export async function purgeRemoved(
  database: Database,
  resources: readonly PurgeableTable[],
  days: number,
): Promise<void> {
  if (days === 0) return
  for (const { name, table } of resources.toReversed()) {
    const purge = sql`select where forget_removed(${name}, ${table}, ${days}::int) > 0`
    let purged: object[]
    do {
      purged = await database.transaction((transaction) => transaction.query(purge), maintenanceLimits)
    } while (purged.length > 0)
  }
}

/**
 * Creates the partitions of the next months, and drops those that ended more than `days` ago. With 0, all are
 * kept.
 */
export async function maintainHistory(database: Database, days: number): Promise<void> {
  await database.transaction(
    (transaction) => transaction.query(sql`select keep_history(${days}::int)`),
    maintenanceLimits,
  )
}
