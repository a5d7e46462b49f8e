import type { Database } from './database.ts'
import { sql } from './sql.ts'
import { limitsOfUpkeep } from './time-limits.ts'

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
