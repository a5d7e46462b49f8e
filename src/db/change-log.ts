import { type RepeatedWork, repeat } from '../model/repeat.ts'
import type { Database, Queries } from './database.ts'
import { maintenanceLimits } from './failures.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/**
 * The transactions that are committed at one instant. `settled_snapshot()` returns the transactions that can
 * be read on all nodes. `lasting_snapshot()` is no newer than the newest change, so it stays valid after a
 * failover to a standby.
 */
export type Snapshot = string

/** A snapshot that contains no transaction. */
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
 * Returns the current snapshot, and the resources whose changes are in it but not in the older snapshot. No
 * change is missed or reported twice, in whatever order transactions commit.
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

/** SQL: the second since 1970 of the newest change to any of these resources, or null. */
export function lastChangeSecond(resources: readonly string[]): Sql {
  const newest = resources.map(newestSequence)
  return sql`(
    select floor(extract(epoch from at))::bigint from changes where sequence = greatest(${join(newest, ', ')})
  )`
}

/**
 * The planner uses the index by resource because of `between`. It might scan the newest changes of all
 * resources if the condition were `=`.
 */
const newestSequence = (name: string): Sql => {
  // The name comes from a declaration and contains no quote.
  const resource = raw(`'${name}'`)
  return sql`(
    select sequence from changes where resource between ${resource} and ${resource}
    order by resource desc, sequence desc limit 1
  )`
}

/** Readers need only the changes since their last poll. Operators may want to see older changes. */
const defaultDays = 30
/** Limits a statement, so that it stays within its time limit. */
const purgeBatchMax = 10_000

/** SQL: deletes a batch and returns one empty row per deleted row. */
const purgeStatement = (days: number) => sql`
  with purged as (
    delete from changes where sequence in (
      select sequence from changes where at < now() - make_interval(days => ${days}::int)
      limit ${purgeBatchMax}::int
    ) returning 1
  ) select from purged`

/** Deletes changes that are older than this number of days. */
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
  /** Resolves when every later commit will be reported. */
  start(): Promise<void>
  /** Cancels a start in progress as well. */
  stop(): void
  /** Returns the seconds since the last successful poll began, or 0 if the watch is not started. */
  secondsBehind(): number
}

export interface ChangeWatchOptions {
  readonly database: Database
  /** `since` is the snapshot before the changes. */
  readonly onChanges: (resources: ReadonlySet<string>, since: Snapshot) => void
  readonly onFailure: (error: unknown) => void
}

/** Changes of other processes are noticed within this time. */
const pollMilliseconds = 200

/**
 * Reports which resources change. Changes of this process are reported at once, and others at the next poll.
 */
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
      // The snapshot is unchanged, so the next poll misses nothing.
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
      // A second snapshot would hide earlier changes from readers that rely on the first snapshot.
      if (starting) return starting
      stopping = new AbortController()
      const attempt = begin(stopping.signal).catch((error) => {
        // The next call of `start` tries again, unless another start is in progress.
        if (starting === attempt) starting = undefined
        throw error
      })
      starting = attempt
      return attempt
    },
    stop() {
      stopping.abort()
      // A poll in progress ends because `polling` is undefined, so there is no need to wait for it.
      void polling?.stop()
      unsubscribeFromCommits?.()
      starting = undefined
      polling = undefined
      unsubscribeFromCommits = undefined
    },
  }
}

/** 100 waits take two seconds. This leaves time for the rest of a request. */
const waitMilliseconds = 20
const waitsMax = 100

/**
 * Waits until every transaction that may have written before this call has ended. Returns false after two
 * seconds. Numbers above the upper bound of a snapshot may already be in use, so it compares with a new
 * transaction number.
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
