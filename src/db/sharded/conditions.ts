import { type Condition, checkOf, type Locking, type Verdict } from '../conditional-write.ts'
import { type Queries, raw, sql } from '../sql.ts'
import { type KnownRows, knownRows, type StoredRow, withKnown } from './known-rows.ts'
import { placeColumnOf } from './placement.ts'
import { atPlaces, lockPlaces, type Place } from './places.ts'

/**
 * Finds rows, locks their places, and reads them again, because they may have changed during the wait for the
 * lock. A row that moved meanwhile is read in its new place.
 */
export async function lock(
  queries: Queries,
  { table, columns, where, strength }: Locking,
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

/** Locks and checks, and returns which rows were locked under which names. */
export async function ask(
  queries: Queries,
  conditions: readonly Condition[],
  given: readonly KnownRows[] = [],
): Promise<Verdict & { readonly known: readonly KnownRows[] }> {
  const known = [...given]
  const [asked] = given[0]?.rows ?? []
  for (const { locks } of conditions) {
    if (!locks) continue
    const { name, rows } = locks
    const locked = await lock(queries, rows.locking, known)
    // If many rows are written one by one, only the row being written counts as `before`.
    const isAskedOf = ({ id }: StoredRow) => name !== 'before' || !asked || id === asked.id
    known.push(knownRows(name, rows.locking.table, locked.filter(isAskedOf)))
  }
  if (conditions.length === 0) return { refused: 0, known }
  const all = [...known, ...(await assignmentOf(queries, asked))]
  const [verdict] = await queries.query<Verdict>(
    sql`${withKnown(all)} ${checkOf(conditions, asked ? 'each' : 'one')}`,
  )
  return { refused: verdict?.refused ?? 0, known }
}

/**
 * Passes the assignment to the statement that checks the conditions, which otherwise would look it up on its
 * node for each of many rows.
 */
async function assignmentOf(queries: Queries, asked: StoredRow | undefined): Promise<readonly KnownRows[]> {
  if (typeof asked?.assignmentId !== 'string') return []
  const rows = await queries.query<StoredRow>(
    sql`select id, project_id from assignments where id = ${asked.assignmentId}`,
  )
  return [knownRows('assignments', 'assignments', rows)]
}
