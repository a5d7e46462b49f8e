import type { Queries } from './database.ts'
import { sql } from './sql.ts'

const waitMilliseconds = 20
const waitsMax = 100

/**
 * Waits until every transaction that may have written by now has ended; false when that takes more than two seconds. The mark is a
 * transaction number taken now: a snapshot does not know transactions that began after the last one that has ended.
 */
export async function hasSettled(database: Queries): Promise<boolean> {
  const [mark] = await database.query<{ next: string }>(sql`select pg_current_xact_id()::text as next`)
  for (let waits = 0; waits < waitsMax; waits += 1) {
    const [row] = await database.query<{ isOver: boolean }>(
      sql`select pg_snapshot_xmin(settled_snapshot()) >= ${mark?.next}::xid8 as "isOver"`,
    )
    if (row?.isOver) return true
    await new Promise((resolve) => setTimeout(resolve, waitMilliseconds))
  }
  return false
}
