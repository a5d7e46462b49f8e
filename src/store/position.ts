import type { Queries } from './queries.ts'
import { type Sql, sql } from './sql.ts'

/** A place in the journal of the store: a server that has come so far has everything that was committed before. */
export interface Position {
  /** Changes with every fail-over; places of different ones cannot be compared. */
  readonly timeline: number
  readonly lsn: string
}

/** What is written to disk has been acknowledged, unless this store does not wait for its disk. */
const here = sql`(case current_setting('synchronous_commit')
  when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end)`

/** Asks the primary; those who ask while a question is under way share the next one, so that many readers cost one. */
export function createPositions(primary: Queries): () => Promise<Position> {
  const ask = async () => {
    const [position] = await primary.query<Position>(sql`
      select here::text as lsn, ('x' || substr(pg_walfile_name(here), 1, 8))::bit(32)::int as timeline
      from (select ${here} as here) as asked`)
    if (!position) throw new Error('The store did not tell its position.')
    return position
  }
  let running: Promise<Position> | undefined
  let next: Promise<Position> | undefined
  const begin = () => {
    const asked = ask()
    running = asked
    next = undefined
    const end = () => {
      if (running === asked) running = undefined
    }
    asked.then(end, end)
    return asked
  }
  return () => {
    if (running === undefined) return begin()
    // It was sent before, and may have been answered before what this caller has to see was committed.
    next ??= running.then(begin, begin)
    return next
  }
}

/** The server has not come there yet. */
export class Behind extends Error {}

/** Whether the server has come there. Asked before a statement, on its connection, it holds for the statement. */
export const isThere = ({ timeline, lsn }: Position): Sql => sql`
  select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn
    and (select timeline_id from pg_control_checkpoint()) = ${timeline}::int as "isThere"`
