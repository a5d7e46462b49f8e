import type { Queries } from './database.ts'
import { sql } from './sql.ts'

/**
 * Tells the moment, in seconds since 1970 by the store's clock, before which every transaction that wrote anything has
 * ended. Whatever a later statement does not see will carry a later time, however slowly it is committed.
 */
export type SettledUntil = () => Promise<number>

/** Old enough to ask again: validators have whole seconds. */
const freshMilliseconds = 500

interface Mark {
  /** The store's clock, read before `transaction` was given out. */
  readonly second: number
  readonly transaction: string
}

export function createSettledTime(
  database: Queries,
  now: () => number = () => performance.now(),
): SettledUntil {
  let settled = 0
  let pending: Mark | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  async function ask() {
    pending ??= await setMark(database)
    if (!(await hasPassed(database, pending))) return
    settled = pending.second
    pending = undefined
  }

  return async () => {
    // While one caller asks, the others take what is known: it stays true for ever.
    if (now() - askedAt >= freshMilliseconds) {
      askedAt = now()
      await ask()
    }
    return settled
  }
}

/** Every transaction that wrote before this moment has an older number than the one that this takes. */
async function setMark(database: Queries): Promise<Mark> {
  const [mark] = await database.query<Mark>(sql`
    select extract(epoch from statement_timestamp())::float8 as second, pg_current_xact_id()::text as transaction`)
  if (!mark) throw new Error('The store did not tell its time.')
  return mark
}

async function hasPassed(database: Queries, { transaction }: Mark): Promise<boolean> {
  const [row] = await database.query<{ passed: boolean }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${transaction}::xid8 as passed`,
  )
  return row?.passed === true
}
