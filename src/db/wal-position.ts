import { type Queries, type Sql, sql } from './sql.ts'

/** A position in the write-ahead log. A server that has replayed it has every commit before it. */
export interface WalPosition {
  /** Changes with every failover; positions of different timelines cannot be compared. */
  readonly timeline: number
  readonly lsn: string
}

/** SQL: the end of the flushed log, or of the whole log if commits are acknowledged before a flush. */
const primaryPosition = sql`(case current_setting('synchronous_commit')
  when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end)`

/** Queries the primary. Callers that arrive during a query share the next one. */
export function createWalPositionReader(primary: Queries): () => Promise<WalPosition> {
  const read = async () => {
    const [position] = await primary.query<WalPosition>(sql`
      select here::text as lsn, ('x' || substr(pg_walfile_name(here), 1, 8))::bit(32)::int as timeline
      from (select ${primaryPosition} as here) as log`)
    if (!position) throw new Error('The store returned no position.')
    return position
  }
  let running: Promise<WalPosition> | undefined
  let next: Promise<WalPosition> | undefined
  const begin = () => {
    const request = read()
    running = request
    next = undefined
    const end = () => {
      if (running === request) running = undefined
    }
    request.then(end, end)
    return request
  }
  return () => {
    if (running === undefined) return begin()
    // The running query was sent earlier, so its answer may be older than a commit that this caller has to
    // see.
    next ??= running.then(begin, begin)
    return next
  }
}

/** The server has not replayed the position yet. */
export class StandbyBehindError extends Error {}

/**
 * Checks whether the server has replayed the position. Sent on the same connection before a statement, it
 * guarantees that the statement sees that position.
 */
export const hasReplayed = ({ timeline, lsn }: WalPosition): Sql => sql`
  select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn
    and (select timeline_id from pg_control_checkpoint()) = ${timeline}::int as "hasReplayed"`
