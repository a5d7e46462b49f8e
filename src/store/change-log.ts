import type { Queries } from './database.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** What the store had committed at one moment. Opaque; an engine other than PostgreSQL may fill it differently. */
export type Snapshot = string

export interface Changes {
  readonly resources: readonly string[]
  readonly snapshot: Snapshot
}

/**
 * The resources with changes that became visible since `snapshot`, none missed and none twice, in whatever order their
 * transactions committed: a row counts when it is visible now and was not in the older snapshot.
 */
export async function changesSince(database: Queries, snapshot: Snapshot | undefined): Promise<Changes> {
  const [row] = await database.query<Changes>(
    snapshot === undefined
      ? sql`select pg_current_snapshot()::text as snapshot, array[]::text[] as resources`
      : sql`select pg_current_snapshot()::text as snapshot, array(
          select distinct resource from changes
          where transaction >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
            and not pg_visible_in_snapshot(transaction, ${snapshot}::pg_snapshot)
        ) as resources`,
  )
  if (!row) throw new Error('The store did not tell its snapshot.')
  return row
}

/**
 * The second of the newest change to these resources, or null while an answer with it might hide a later one: as long as
 * that second is not over, or any transaction is still open whose changes may carry an earlier time than its commit.
 */
export function lastModified(resources: readonly string[]): Sql {
  const newest = resources.map(
    (name) => sql`(select max(sequence) from changes where resource = ${raw(`'${name}'`)})`,
  )
  return sql`(
    select floor(extract(epoch from at))::bigint from changes
    where sequence = greatest(${join(newest, ', ')})
      and at < date_trunc('second', statement_timestamp())
      and pg_snapshot_xmin(pg_current_snapshot()) = pg_snapshot_xmax(pg_current_snapshot())
  )`
}

/** Changes older than this are forgotten; no reader looks back further than its last poll. */
const daysKept = 30

export async function forgetOldChanges(database: Queries): Promise<void> {
  await database.query(sql`delete from changes where at < now() - make_interval(days => ${daysKept}::int)`)
}
