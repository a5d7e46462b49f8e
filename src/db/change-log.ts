import { type RepeatedWork, repeat } from '../model/repeat.ts'
import type { Database, Queries } from './database.ts'
import { maintenanceLimits } from './failures.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/**
 * The transactions that are committed at one instant, as an opaque text. The database function
 * `settled_snapshot()` returns the current one: everything in it can be read on all nodes.
 * `lasting_snapshot()` is no newer than the newest change, so that it stays valid after a failover to a
 * standby.
 */
export type Snapshot = string

/** A snapshot without any transaction, so every change came after it. */
export const firstSnapshot: Snapshot = '1:1:'

export interface Changes {
  readonly resources: readonly string[]
  readonly snapshot: Snapshot
}

export async function currentSnapshot(database: Queries): Promise<Snapshot> {
  const [row] = await database.query<{ snapshot: Snapshot }>(sql`select lasting_snapshot()::text as snapshot`)
  if (!row) throw new Error('The store returned no snapshot.')
  return row.snapshot
}

/**
 * Returns the resources with changes since `snapshot`, and the current snapshot. A change counts if it is in
 * the current snapshot but not in the older one. So none is missed or reported twice, in whatever order
 * transactions commit.
 */
export async function changesSince(database: Queries, snapshot: Snapshot): Promise<Changes> {
  const [row] = await database.query<Changes>(sql`
    with lasting as materialized (select lasting_snapshot() as snapshot)
    select lasting.snapshot::text, array(
      select distinct resource from changes
      -- This condition follows from the next one, and lets PostgreSQL use the index.
      where transaction >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
        and not pg_visible_in_snapshot(transaction, ${snapshot}::pg_snapshot)
        and pg_visible_in_snapshot(transaction, lasting.snapshot)
    ) as resources from lasting`)
  if (!row) throw new Error('The store returned no snapshot.')
  return row
}

/** SQL: the second since 1970 of the newest change to any of these resources; null if there is none. */
export function lastChangeSecond(resources: readonly string[]): Sql {
  const newest = resources.map(newestSequence)
  return sql`(
    select floor(extract(epoch from at))::bigint from changes where sequence = greatest(${join(newest, ', ')})
  )`
}

/**
 * Uses `between` instead of `=`, so that PostgreSQL uses the index by resource. With `=`, the planner scans
 * the newest changes backwards for the resource, which is slow after a large import of another resource.
 */
const newestSequence = (name: string): Sql => {
  // The name is from a declaration and contains no quote.
  const resource = raw(`'${name}'`)
  return sql`(
    select sequence from changes where resource between ${resource} and ${resource}
    order by resource desc, sequence desc limit 1
  )`
}

/** Readers need only the changes since their last poll. Operators may want to look further back. */
const defaultDays = 30
/** Limits the rows that a statement deletes, so that it stays within its time limit. */
const purgeBatchMax = 10_000

/** SQL: deletes a batch, and returns an empty row for each deleted row, which the caller counts. */
const purgeStatement = (days: number) => sql`
  with purged as (
    delete from changes where sequence in (
      select sequence from changes where at < now() - make_interval(days => ${days}::int)
      limit ${purgeBatchMax}::int
    ) returning 1
  ) select from purged`

/** Deletes changes that are older than this many days. */
export async function purgeChanges(database: Database, days = defaultDays): Promise<void> {
  let purged: unknown[]
  do {
    purged = await database.transaction(
      (transaction) => transaction.query(purgeStatement(days)),
      maintenanceLimits,
    )
  } while (purged.length === purgeBatchMax)
}

export interface ChangeWatch {
  /** Resolves once every further commit will be reported. Later calls return the same promise. */
  start(): Promise<void>
  /** Also cancels a start in progress. */
  stop(): void
  /** Returns the seconds since the last successful poll began; 0 if the watch is not started. */
  secondsBehind(): number
}

export interface ChangeWatchOptions {
  readonly database: Database
  /** `since` is the snapshot before these changes. */
  readonly onChanges: (resources: ReadonlySet<string>, since: Snapshot) => void
  readonly onFailure: (error: unknown) => void
}

/** Changes of other processes are noticed within this time. A poll is one cheap statement. */
const pollMilliseconds = 200

/** Reports which resources change: at once for this process, at the next poll for other processes. */
export function watchChanges({ database, onChanges, onFailure }: ChangeWatchOptions): ChangeWatch {
  let snapshot = firstSnapshot
  let starting: Promise<void> | undefined
  let stopping = new AbortController()
  let polling: RepeatedWork | undefined
  let unsubscribeFromCommits: (() => void) | undefined
  let isPolling = false
  let needsAnotherPoll = false
  let polledAt = 0

  async function poll() {
    if (isPolling) {
      needsAnotherPoll = true
      return
    }
    isPolling = true
    try {
      do {
        needsAnotherPoll = false
        const startedAt = performance.now()
        const since = snapshot
        const changes = await changesSince(database, since)
        snapshot = changes.snapshot
        polledAt = startedAt
        if (changes.resources.length > 0) onChanges(new Set(changes.resources), since)
      } while (needsAnotherPoll && polling)
    } catch (error) {
      // The snapshot is kept, so the next poll misses nothing.
      onFailure(error)
    } finally {
      isPolling = false
    }
  }

  async function begin(signal: AbortSignal) {
    const current = await currentSnapshot(database)
    if (signal.aborted) return
    snapshot = current
    polledAt = performance.now()
    polling = repeat({ everyMilliseconds: pollMilliseconds, onFailure }, poll)
    unsubscribeFromCommits = database.onCommit(() => void poll())
  }

  return {
    secondsBehind: () => (polling ? (performance.now() - polledAt) / 1000 : 0),
    start() {
      // A second snapshot would hide the changes since the first one from readers that already rely on it.
      if (starting) return starting
      stopping = new AbortController()
      const attempt = begin(stopping.signal).catch((error) => {
        // If no other start has replaced this one, the next call of `start` tries again.
        if (starting === attempt) starting = undefined
        throw error
      })
      starting = attempt
      return attempt
    },
    stop() {
      stopping.abort()
      // Not awaited: a poll in progress finds `polling` undefined, and ends.
      void polling?.stop()
      unsubscribeFromCommits?.()
      starting = undefined
      polling = undefined
      unsubscribeFromCommits = undefined
    },
  }
}

/** 100 waits of 20 ms take two seconds, which leaves time for the rest of a request. */
const waitMilliseconds = 20
const waitsMax = 100

/**
 * Waits until every transaction that may have written before this call has ended. Returns false if that takes
 * more than two seconds. It compares with a newly assigned transaction number, because numbers above the
 * upper bound of a snapshot may already be in use.
 */
export async function waitUntilSettled(database: Queries): Promise<boolean> {
  const [mark] = await database.query<{ transaction: string }>(
    sql`select pg_current_xact_id()::text as transaction`,
  )
  for (let waits = 0; waits < waitsMax; waits += 1) {
    const [row] = await database.query<{ hasPassed: boolean }>(
      sql`select ${hasSettledBefore(mark?.transaction ?? '')} as "hasPassed"`,
    )
    if (row?.hasPassed) return true
    await new Promise((resolve) => setTimeout(resolve, waitMilliseconds))
  }
  return false
}

/** SQL: true if every transaction with a lower number has ended, on all nodes. */
export const hasSettledBefore = (transaction: string): Sql =>
  sql`pg_snapshot_xmin(settled_snapshot()) >= ${transaction}::xid8`
