import { type Repetition, repeat } from '../model/repeat.ts'
import type { Database, Queries } from './database.ts'
import { limitsOfUpkeep } from './in-time.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** The state committed at one instant. Opaque, so that another database may fill it differently. */
export type Snapshot = string

export interface Changes {
  readonly resources: readonly string[]
  readonly snapshot: Snapshot
}

/**
 * Returns the resources with changes that became visible since `snapshot`, none missed and none twice, in
 * whatever order their transactions committed: a row counts when it is settled now and was not in the older
 * snapshot.
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

/** The second of the newest change to any of these resources; null when the log no longer has one. */
export function lastChangeSecond(resources: readonly string[]): Sql {
  const newest = resources.map(newestOf)
  return sql`(
    select floor(extract(epoch from at))::bigint from changes where sequence = greatest(${join(newest, ', ')})
  )`
}

/**
 * Not compared with `=`: the planner would expect a frequent resource among the newest changes, and read all
 * of them backwards, which may include a large import of another resource. Only the index by resource has
 * this order.
 */
const newestOf = (name: string): Sql => {
  const resource = raw(`'${name}'`)
  return sql`(
    select sequence from changes where resource between ${resource} and ${resource}
    order by resource desc, sequence desc limit 1
  )`
}

/** No reader looks back further than its last poll; the days are for people who investigate what happened. */
const daysByDefault = 30
/** Rows deleted per statement, so that none hits its time limit after a long break. */
const purgedAtOnceMax = 10_000

const purging = (days: number) => sql`
  with forgotten as (
    delete from changes where sequence in (
      select sequence from changes where at < now() - make_interval(days => ${days}::int)
      limit ${purgedAtOnceMax}::int
    ) returning 1
  ) select from forgotten`

export async function purgeChanges(database: Database, days = daysByDefault): Promise<void> {
  let purged: unknown[]
  do {
    purged = await database.transaction((transaction) => transaction.query(purging(days)), limitsOfUpkeep)
  } while (purged.length === purgedAtOnceMax)
}

export interface ChangeWatch {
  /** Resolves once every change committed from now on will be reported. */
  start(): Promise<void>
  stop(): void
  /** Returns how old the known state may be; 0 without watchers. */
  secondsBehind(): number
}

export interface ChangeWatchOptions {
  readonly database: Database
  /** `since` is the snapshot known before these changes. */
  readonly onChanges: (resources: ReadonlySet<string>, since: Snapshot) => void
  readonly onFailure: (error: unknown) => void
}

/** Changes by other processes are noticed within this time, at the cost of one cheap statement. */
const pollMilliseconds = 200

/**
 * Reports which resources changed, on any instance or host: this process at once, others at the next poll.
 */
export function watchChanges({ database, onChanges, onFailure }: ChangeWatchOptions): ChangeWatch {
  let snapshot: Snapshot | undefined
  let polling: Repetition | undefined
  let ignoreCommits: (() => void) | undefined
  let isPolling = false
  let isPollWanted = false
  let lookedAt = 0

  async function poll() {
    if (isPolling) {
      isPollWanted = true
      return
    }
    isPolling = true
    try {
      do {
        isPollWanted = false
        const askedAt = performance.now()
        const since = snapshot
        const changes = await changesSince(database, since)
        snapshot = changes.snapshot
        lookedAt = askedAt
        if (since !== undefined && changes.resources.length > 0) onChanges(new Set(changes.resources), since)
      } while (isPollWanted && polling)
    } catch (error) {
      // The snapshot is kept, so the next poll misses nothing.
      onFailure(error)
    } finally {
      isPolling = false
    }
  }

  return {
    secondsBehind: () => (polling ? (performance.now() - lookedAt) / 1000 : 0),
    async start() {
      if (polling) return
      snapshot = (await changesSince(database, undefined)).snapshot
      lookedAt = performance.now()
      polling ??= repeat({ everyMilliseconds: pollMilliseconds, onFailure }, poll)
      ignoreCommits ??= database.onCommit(() => void poll())
    },
    stop() {
      void polling?.stop()
      ignoreCommits?.()
      polling = undefined
      ignoreCommits = undefined
    },
  }
}

const waitMilliseconds = 20
const waitsMax = 100

/**
 * Waits until every transaction that may have written by now has ended; false when that takes more than two
 * seconds. The mark is a transaction number assigned now, because a snapshot does not include transactions
 * that began after the last one that ended.
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
