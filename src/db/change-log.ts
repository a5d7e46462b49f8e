import { type RepeatedWork, repeat } from '../model/repeat.ts'
import type { Database, Queries } from './database.ts'
import { maintenanceLimits } from './deadline.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/**
 * The state committed at one instant. Its text is opaque to callers. `settled_snapshot()` is the current one: everything in it can be
 * read, on all nodes. `lasting_snapshot()` is the same, but no newer than the newest change, so that it stays valid after a failover.
 */
export type Snapshot = string

/** Precedes every change. */
export const firstSnapshot: Snapshot = '1:1:'

export interface Changes {
  readonly resources: readonly string[]
  readonly snapshot: Snapshot
}

/**
 * Returns the resources with changes that became visible since `snapshot`. No change is missed or reported twice,
 * regardless of the order in which transactions commit: a change counts if it is settled now and was not visible in
 * the older snapshot.
 */
export async function changesSince(database: Queries, snapshot: Snapshot | undefined): Promise<Changes> {
  const [row] = await database.query<Changes>(
    snapshot === undefined
      ? sql`select lasting_snapshot()::text as snapshot, array[]::text[] as resources`
      : sql`
        with lasting as materialized (select lasting_snapshot() as snapshot)
        select lasting.snapshot::text, array(
          select distinct resource from changes
          where transaction >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
            and not pg_visible_in_snapshot(transaction, ${snapshot}::pg_snapshot)
            and pg_visible_in_snapshot(transaction, lasting.snapshot)
        ) as resources from lasting`,
  )
  if (!row) throw new Error('The store returned no snapshot.')
  return row
}

/** Selects the time of the newest change to any of these resources, in whole seconds since 1970; null if there is none. */
export function lastChangeSecond(resources: readonly string[]): Sql {
  const newest = resources.map(newestSequence)
  return sql`(
    select floor(extract(epoch from at))::bigint from changes where sequence = greatest(${join(newest, ', ')})
  )`
}

/**
 * Uses `between` instead of `=`, so that PostgreSQL uses the index by resource. With `=`, the planner scans the
 * newest changes backwards for the resource, which is slow after a large import of another one.
 */
const newestSequence = (name: string): Sql => {
  const resource = raw(`'${name}'`)
  return sql`(
    select sequence from changes where resource between ${resource} and ${resource}
    order by resource desc, sequence desc limit 1
  )`
}

/** Readers only need the changes since their last poll. Operators may want to look further back. */
const defaultDays = 30
/** Limits the rows that a statement deletes, so that it stays within its time limit. */
const purgeBatchMax = 10_000

/** Returns a row without columns for each deleted row, so that they can be counted. */
const purgeStatement = (days: number) => sql`
  with purged as (
    delete from changes where sequence in (
      select sequence from changes where at < now() - make_interval(days => ${days}::int)
      limit ${purgeBatchMax}::int
    ) returning 1
  ) select from purged`

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
  /** Resolves once every change committed from now on will be reported. */
  start(): Promise<void>
  stop(): void
  /** Returns the seconds since the last successful poll began; 0 if not started. */
  secondsBehind(): number
}

export interface ChangeWatchOptions {
  readonly database: Database
  /** `since` is the snapshot known before these changes. */
  readonly onChanges: (resources: ReadonlySet<string>, since: Snapshot) => void
  readonly onFailure: (error: unknown) => void
}

/** Changes by other processes are noticed within this time. A poll is one cheap statement. */
const pollMilliseconds = 200

/**
 * Reports which resources changed. Changes by this process are reported at once, those by others at the next poll.
 */
export function watchChanges({ database, onChanges, onFailure }: ChangeWatchOptions): ChangeWatch {
  let snapshot: Snapshot | undefined
  let starting: Promise<void> | undefined
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
        if (since !== undefined && changes.resources.length > 0) onChanges(new Set(changes.resources), since)
      } while (needsAnotherPoll && polling)
    } catch (error) {
      // The snapshot is kept, so the next poll misses nothing.
      onFailure(error)
    } finally {
      isPolling = false
    }
  }

  async function start() {
    snapshot = (await changesSince(database, undefined)).snapshot
    polledAt = performance.now()
    polling = repeat({ everyMilliseconds: pollMilliseconds, onFailure }, poll)
    unsubscribeFromCommits = database.onCommit(() => void poll())
  }

  return {
    secondsBehind: () => (polling ? (performance.now() - polledAt) / 1000 : 0),
    start() {
      // Shared, because a second snapshot would hide the changes since the first from readers that have begun.
      starting ??= start().catch((error) => {
        starting = undefined
        throw error
      })
      return starting
    },
    stop() {
      void polling?.stop()
      unsubscribeFromCommits?.()
      starting = undefined
      polling = undefined
      unsubscribeFromCommits = undefined
    },
  }
}

const waitMilliseconds = 20
const waitsMax = 100

/**
 * Waits until every transaction that may have written before this call has ended. Returns false if that takes more
 * than two seconds. The mark is a newly assigned transaction number: the upper bound of a snapshot may be lower than
 * numbers that are already in use.
 */
export async function waitUntilSettled(database: Queries): Promise<boolean> {
  const [mark] = await database.query<{ next: string }>(sql`select pg_current_xact_id()::text as next`)
  for (let waits = 0; waits < waitsMax; waits += 1) {
    const [row] = await database.query<{ hasPassed: boolean }>(
      sql`select ${hasSettledBefore(mark?.next ?? '')} as "hasPassed"`,
    )
    if (row?.hasPassed) return true
    await new Promise((resolve) => setTimeout(resolve, waitMilliseconds))
  }
  return false
}

/** True if every transaction with a lower number has ended, on all nodes. */
export const hasSettledBefore = (transaction: string): Sql =>
  sql`pg_snapshot_xmin(settled_snapshot()) >= ${transaction}::xid8`
