import type { LockStrength } from '../conditional-write.ts'
import { type Queries, raw, type Sql, sql } from '../sql.ts'

/** Small tables that most statements read, replicated to every node. Parents come before children. */
export const referenceTables = [
  'organizations',
  'assignment_types',
  'workflows',
  'impediments',
  'users',
  'projects',
  'user_projects',
  'labels',
] as const

export const isReferenceTable = (table: string): boolean =>
  (referenceTables as readonly string[]).includes(table)

/** Rows that belong to an assignment are stored on its node. */
export const assignmentTables = [
  'appointments',
  'assignment_impediments',
  'user_assignments',
  'comments',
  'assignment_labels',
  'assignment_dependencies',
  'attachments',
] as const

/** The fields of all resources that refer to assignments. */
export const assignmentFields = ['assignmentId', 'blockedById', 'parentId'] as const

/**
 * Foreign keys to assignments that a sharded store cannot enforce, because the referenced row may be on another
 * node, or because the table is local.
 */
export const droppedReferences = [
  { table: 'assignment_dependencies', constraint: 'assignment_dependencies_blocked_by_id_fkey' },
  { table: 'assignment_addresses', constraint: 'assignment_addresses_assignment_id_fkey' },
  { table: 'assignments', constraint: 'assignments_parent_id_fkey' },
  { table: 'watches', constraint: 'watches_assignment_id_fkey' },
] as const

/** Tables that `distribute` creates: the places of all rows, and a table that always stays empty. */
export const ownTables = ['row_places', 'two_phase_commits'] as const

/** Returns the column that determines the node of a row. Statements with this column query a single node. */
export const placeColumnOf = (table: string): 'assignment_id' | undefined =>
  (assignmentTables as readonly string[]).includes(table) ? 'assignment_id' : undefined

/** A row as stored, with the names of columns as keys. */
export type StoredRow = Readonly<Record<string, unknown>>

/**
 * The node on which a row is stored. The table `row_places` of the coordinator has an entry for each row. The
 * entry is locked instead of the row, because a sharded store cannot lock rows on several nodes. Its primary
 * key ensures that ids are unique.
 */
export interface Place {
  readonly id: string
  /** The row is stored on the node of this assignment. */
  readonly assignment_id?: string | null
}

/** Returns the condition for these rows, with which a statement queries only their nodes. */
export function atPlaces(table: string, places: readonly Place[]): Sql {
  const ids = places.map(({ id }) => id)
  const hasId = ids.length === 1 ? sql`row.id = ${ids[0]}` : sql`row.id = any(${ids}::uuid[])`
  if (placeColumnOf(table) === undefined) return hasId
  const keys = [...new Set(places.map(({ assignment_id }) => assignment_id))]
  return keys.length === 1
    ? sql`${hasId} and row.assignment_id = ${keys[0]}`
    : sql`${hasId} and row.assignment_id = any(${keys}::uuid[])`
}

export const placeOf = (table: string, values: StoredRow): Place => ({
  id: values.id as string,
  assignment_id: placeColumnOf(table) ? (values.assignment_id as string) : null,
})

/** Locks rows in the order of their ids until the transaction ends. Returns their places after the wait. */
export async function lockPlaces(
  queries: Queries,
  table: string,
  ids: readonly string[],
  strength: LockStrength,
): Promise<Place[]> {
  if (strength !== 'key share') await lockReferenceTables(queries, table, 'update')
  const lock = () =>
    queries.query<Place>(sql`
      select id, assignment_id from row_places where table_name = ${table} and id = any(${ids}::uuid[])
      order by id for ${raw(strength)}`)
  const locked = await lock()
  if (locked.length === ids.length) return locked
  // Rows that were not written by these statements, such as rows of a backup, have no entry yet.
  const missing = ids.filter((id) => locked.every((place) => place.id !== id))
  const placeColumns = raw(placeColumnOf(table) ? 'id, assignment_id' : 'id')
  const added = await queries.query<Place>(
    sql`select ${placeColumns} from ${raw(`"${table}"`)} where id = any(${missing}::uuid[])`,
  )
  if (added.length === 0) return locked
  await takePlaces(queries, table, added)
  return lock()
}

/**
 * Locks all reference tables together if `table` is one of them. Several transactions may insert into them at
 * once, but only one may update them. Citus locks the tables one by one, so two transactions that change
 * several tables could deadlock.
 */
export async function lockReferenceTables(
  queries: Queries,
  table: string,
  strength: 'update' | 'share',
): Promise<void> {
  if (!isReferenceTable(table)) return
  await queries.query(
    sql`select id from row_places where table_name = '' and id = ${referenceTablesLockId}::uuid for ${raw(strength)}`,
  )
}

export const referenceTablesLockId = '00000000-0000-0000-0000-000000000000'

/** Inserts places. Returns their ids, without the ids that were already taken. */
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
