import { repeat } from '../model/repeat.ts'
import { type Connections, StandbyBehindError, type WalPosition } from './connections.ts'
import { isStatementMissing, isTimedOut, withDeadline } from './failures.ts'
import { type Queries, sql } from './sql.ts'

/** A server that replays the commits of the primary with a delay. */
export interface Standby {
  readonly connections: Connections
  /** The result of the last check. False before the first. */
  isUsable: boolean
  /** A standby that was behind gets no reads before this time, on the clock of `performance.now()`. */
  skippedUntil: number
}

/** The outcome of a read that might have used a standby. */
export type StandbyOutcome = 'standby' | 'behind' | 'failed' | 'unavailable'

export interface Standbys {
  readonly all: readonly Standby[]
  /**
   * Reads from a standby that has replayed every commit. Without such a standby, or if it fails, reads from
   * the primary.
   */
  read<Result>(
    endsAt: number,
    atStandby: (standby: Standby, position: WalPosition) => Promise<Result>,
    atPrimary: () => Promise<Result>,
  ): Promise<Result>
  readonly outcomes: Readonly<Record<StandbyOutcome, number>>
  close(): Promise<void>
}

/**
 * The interval between checks of each standby. A standby that has recovered is used after the next check.
 * Reads do not wait for an unavailable standby.
 */
const pollMilliseconds = 1000
/** A standby that was behind gets no reads for this time. Most have caught up after a few milliseconds. */
const skipMilliseconds = 20

export function openStandbys(
  connections: readonly Connections[],
  readPosition: () => Promise<WalPosition>,
): Standbys {
  const all = connections.map((each): Standby => ({ connections: each, isUsable: false, skippedUntil: 0 }))
  const outcomes: Record<StandbyOutcome, number> = { standby: 0, behind: 0, failed: 0, unavailable: 0 }
  const watches = all.map(watch)
  let reads = 0

  function choose(): Standby | undefined {
    const now = performance.now()
    const usable = all.filter(({ isUsable, skippedUntil }) => isUsable && skippedUntil <= now)
    reads += 1
    return usable.length === 0 ? undefined : usable[reads % usable.length]
  }

  function record(standby: Standby, error: unknown) {
    if (error instanceof StandbyBehindError) {
      outcomes.behind += 1
      standby.skippedUntil = performance.now() + skipMilliseconds
      return
    }
    outcomes.failed += 1
    // A conflict with the replay (40001) or a bad value (class 22) concerns only this statement. Any other failure
    // concerns the server.
    if (!/^(40001|22)/.test((error as { code?: string }).code ?? '')) standby.isUsable = false
  }

  return {
    all,
    outcomes,
    async read(endsAt, atStandby, atPrimary) {
      if (all.length === 0) return atPrimary()
      const standby = choose()
      const primaryPosition = standby && (await withDeadline(endsAt, readPosition()).catch(() => undefined))
      if (standby === undefined || primaryPosition === undefined) {
        outcomes.unavailable += 1
        return atPrimary()
      }
      try {
        const result = await atStandby(standby, primaryPosition)
        outcomes.standby += 1
        return result
      } catch (error) {
        // A stopped statement would take as long on the primary. A prepared statement is missing only if its
        // preparation was stopped.
        if (isTimedOut(error) || isStatementMissing(error)) throw error
        record(standby, error)
        return atPrimary()
      }
    },
    async close() {
      await Promise.all(watches.map(({ close }) => close()))
    },
  }
}

const limits = { statementMilliseconds: pollMilliseconds }

/** Checks regularly whether the standby can be used. */
function watch(standby: Standby): { close(): Promise<void> } {
  const connection = standby.connections.openPipelined(limits)
  const poll = async () => {
    try {
      await connection.use(
        (client) => standby.connections.run(client, sql`select 1`, limits),
        performance.now() + pollMilliseconds,
      )
      standby.isUsable = true
    } catch {
      standby.isUsable = false
      connection.drop()
    }
  }
  const firstPoll = poll()
  const repetition = repeat({ everyMilliseconds: pollMilliseconds }, poll)
  return {
    async close() {
      await firstPoll
      await repetition.stop()
      await connection.close()
    },
  }
}

/** SQL: the end of the flushed log, or of the whole log if commits are acknowledged before a flush. */
const endOfLog = sql`(case current_setting('synchronous_commit')
  when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end)`

/** Queries the primary. Callers that arrive during a query share the next one. */
export function createWalPositionReader(primary: Queries): () => Promise<WalPosition> {
  const read = async () => {
    const [position] = await primary.query<WalPosition>(sql`
      select here::text as lsn, ('x' || substr(pg_walfile_name(here), 1, 8))::bit(32)::int as timeline
      from (select ${endOfLog} as here) as log`)
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
