import { beforeCte, type Condition, conditionsSql, type RowLock, type Verdict } from '../conditional-write.ts'
import { join, type Queries, raw, type Sql, sql } from '../sql.ts'
import { assignmentFields, atPlaces, lockPlaces, type Place, placeColumnOf } from './places.ts'

/** A row as stored, with the names of columns as keys. */
export type StoredRow = Readonly<Record<string, unknown>>

/** Rows that an earlier statement returned, as a CTE of a later one. */
export interface KnownRows {
  readonly name: string
  readonly rows: readonly StoredRow[]
  readonly statement: Sql
}

/** Selects given rows, with some or all columns of a table. Passes any number of them as one parameter. */
export const selectGivenRows = (table: string, rows: readonly StoredRow[]): Sql =>
  sql`select * from jsonb_populate_recordset(null::${raw(`"${table}"`)}, ${JSON.stringify(rows)}::jsonb)`

export const knownRows = (name: string, table: string, rows: readonly StoredRow[]): KnownRows => ({
  name,
  rows,
  statement: selectGivenRows(table, rows),
})

/** Returns the `with` clause for a statement that uses these rows. */
const withKnown = (known: readonly KnownRows[]): Sql =>
  known.length === 0
    ? raw('')
    : sql`with ${join(
        known.map(({ name, statement }) => sql`${raw(`"${name}"`)} as (${statement})`),
        ', ',
      )}`

/**
 * Finds rows, locks their places, and reads them again, because they may have changed while waiting for the
 * lock. A row that has moved meanwhile is read from its new place.
 */
export async function lock(
  queries: Queries,
  { table, columns, where, strength }: RowLock,
  known: readonly KnownRows[] = [],
): Promise<StoredRow[]> {
  const place = raw(placeColumnOf(table) ? ', row.assignment_id' : '')
  const from = sql`from ${raw(`"${table}"`)} as row where ${where}`
  const found = await queries.query<Place>(sql`${withKnown(known)} select row.id${place} ${from}`)
  if (found.length === 0) return []
  const locked = await lockPlaces(
    queries,
    table,
    found.map(({ id }) => id),
    strength,
  )
  if (locked.length === 0) return []
  return queries.query(
    sql`${withKnown(known)} select ${columns} ${from} and ${atPlaces(table, locked)} order by row.id`,
  )
}

/** Locks the rows of the conditions, checks the conditions, and returns the locked rows under their names. */
export async function lockAndCheck(
  queries: Queries,
  conditions: readonly Condition[],
  inputRows: readonly KnownRows[] = [],
): Promise<Verdict & { readonly known: readonly KnownRows[] }> {
  const known = [...inputRows]
  const [inputRow] = inputRows[0]?.rows ?? []
  for (const { locks } of conditions) {
    if (!locks) continue
    const { name, rows } = locks
    const locked = await lock(queries, rows.lock, known)
    // If many rows are written one by one, `before` has only the row that is being written.
    const isWritten = ({ id }: StoredRow) => name !== beforeCte || !inputRow || id === inputRow.id
    known.push(knownRows(name, rows.lock.table, locked.filter(isWritten)))
  }
  if (conditions.length === 0) return { rejections: 0, known }
  // The statement that checks the conditions of an input row cannot query the nodes of the assignments that
  // the row refers to.
  const ids = assignmentFields.map((name) => inputRow?.[name]).filter((id) => typeof id === 'string')
  const all = ids.length > 0 ? [...known, await readAssignments(queries, ids)] : known
  const [verdict] = await queries.query<Verdict>(
    sql`${withKnown(all)} ${conditionsSql(conditions, inputRow ? 'perInputRow' : 'single')}`,
  )
  if (verdict === undefined) throw new Error('The conditions of a write were not checked.')
  return { rejections: verdict.rejections, known }
}

/** Reads the projects of assignments for a statement that cannot query their nodes itself. */
export const readAssignments = async (queries: Queries, ids: readonly unknown[]): Promise<KnownRows> => {
  const hasId = ids.length === 1 ? sql`id = ${ids[0]}` : sql`id = any(${ids}::uuid[])`
  return knownRows(
    'assignments',
    'assignments',
    await queries.query<StoredRow>(sql`select id, project_id from assignments where ${hasId}`),
  )
}
