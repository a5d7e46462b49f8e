import type { Strength } from '../conditional-write.ts'
import { type Queries, raw, type Sql, sql } from '../sql.ts'
import { isReferenceTable, placeColumnOf } from './placement.ts'

/**
 * The node on which a row is kept. `row_places`, a table that only the coordinator has, has a line for each
 * row. That line is locked instead of the row, because a sharded store cannot lock rows on several nodes; its
 * primary key keeps ids unique.
 */
export interface Place {
  readonly id: string
  /** The row is kept on the node of this assignment. */
  readonly assignment_id?: string | null
}

/** The condition that finds these rows and queries only the nodes that have them. */
export function atPlaces(table: string, places: readonly Place[]): Sql {
  const ids = places.map(({ id }) => id)
  const isOne = ids.length === 1 ? sql`row.id = ${ids[0]}` : sql`row.id = any(${ids}::uuid[])`
  if (placeColumnOf(table) === undefined) return isOne
  const keys = [...new Set(places.map(({ assignment_id }) => assignment_id))]
  return keys.length === 1
    ? sql`${isOne} and row.assignment_id = ${keys[0]}`
    : sql`${isOne} and row.assignment_id = any(${keys}::uuid[])`
}

export const placeOf = (table: string, values: Readonly<Record<string, unknown>>): Place => ({
  id: values.id as string,
  assignment_id: placeColumnOf(table) ? (values.assignment_id as string) : null,
})

/** Locks rows in the order of their ids until the transaction ends, and returns where they are then kept. */
export async function lockPlaces(
  queries: Queries,
  table: string,
  ids: readonly string[],
  strength: Strength,
): Promise<Place[]> {
  if (strength !== 'key share') await waitForTurn(queries, table, 'update')
  const lock = () =>
    queries.query<Place>(sql`
      select id, assignment_id from row_places where table_name = ${table} and id = any(${ids}::uuid[])
      order by id for ${raw(strength)}`)
  const locked = await lock()
  if (locked.length === ids.length) return locked
  // Rows that were not written by these statements, such as those of a backup, have no line yet.
  const missing = ids.filter((id) => locked.every((place) => place.id !== id))
  const added = await queries.query<Place>(sql`
    select id${raw(placeColumnOf(table) ? ', assignment_id' : '')} from ${raw(`"${table}"`)} where id = any(${missing}::uuid[])`)
  if (added.length === 0) return locked
  await takePlaces(queries, table, added)
  return lock()
}

/**
 * Tables that every node has are changed by one transaction at a time; many may insert while none changes.
 * Citus enforces this itself, but table by table: two transactions that change several tables could deadlock,
 * so one lock covers all of them.
 */
export async function waitForTurn(
  queries: Queries,
  table: string,
  strength: 'update' | 'share',
): Promise<void> {
  if (!isReferenceTable(table)) return
  await queries.query(
    sql`select id from row_places where table_name = '' and id = ${turnId}::uuid for ${raw(strength)}`,
  )
}

export const turnId = '00000000-0000-0000-0000-000000000000'

/** Returns those of the ids that were not taken yet. */
export async function takePlaces(
  queries: Queries,
  table: string,
  places: readonly Place[],
): Promise<readonly string[]> {
  const rows = await queries.query<Place>(sql`
    insert into row_places (table_name, id, assignment_id)
    select ${table}, id, assignment_id from jsonb_populate_recordset(null::row_places, ${JSON.stringify(places)}::jsonb)
    order by id on conflict do nothing returning id`)
  return rows.map(({ id }) => id)
}

export async function releasePlace(queries: Queries, table: string, id: string): Promise<void> {
  await queries.query(sql`delete from row_places where table_name = ${table} and id = ${id}`)
}

export async function movePlace(
  queries: Queries,
  table: string,
  { id, assignment_id }: Place,
): Promise<void> {
  await queries.query(sql`
    update row_places set assignment_id = ${assignment_id} where table_name = ${table} and id = ${id}`)
}
