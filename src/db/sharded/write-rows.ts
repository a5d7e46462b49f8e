import { listOf } from '../conditional-write.ts'
import { violatedUniqueConstraint } from '../failures.ts'
import { type LoggedWrite, partsOf, signedBy, type WriteOf } from '../logged-write.ts'
import type { LoggedWriteEach } from '../many-rows.ts'
import { columnsOf, updating } from '../rows.ts'
import { join, type Queries, raw, type Sql, sql } from '../sql.ts'
import { ask, lock } from './conditions.ts'
import { type KnownRows, knownRows, type StoredRow } from './known-rows.ts'
import { isReferenceTable, placeColumnOf } from './placement.ts'
import { atPlaces, movePlace, placeOf, releasePlace, takePlaces, waitForTurn } from './places.ts'

/**
 * Locks rows, checks the conditions, writes each table if none rejects, and appends to the change log and the
 * history, which are kept on the coordinator.
 */
export async function write(
  queries: Queries,
  { action, writer, conditions, locks = [], writes, columns }: LoggedWrite,
  given: readonly KnownRows[] = [],
): Promise<StoredRow[]> {
  const asked = await ask(queries, conditions, given)
  if (asked.refused !== 0) return [{ refused: asked.refused }]
  const known = [...asked.known]
  for (const { name, rows } of locks)
    known.push(knownRows(name, rows.locking.table, await lock(queries, rows.locking, known)))
  const written: (WriteOf & { readonly statement: Sql })[] = []
  const assignmentIds = new Set<unknown>()
  let count = 0
  for (const one of writes) {
    const { table } = one.table
    const rows = await writeOne(queries, one, known)
    count += rows.length
    written.push({ ...one, statement: knownRows('', table, rows).statement })
    if (placeColumnOf(table)) for (const { assignment_id } of rows) assignmentIds.add(assignment_id)
  }
  if (count === 0) return []
  if (assignmentIds.size > 0) known.push(await assignmentsWith(queries, [...assignmentIds]))
  await queries.query(commitInTwoPhases)
  const parts = [...known, ...partsOf(action, signedBy(writer), written)]
  return queries.query(sql`with ${listOf(parts)} select 0 as refused, ${columns} from written0 as row`)
}

/** Writes one row after another. */
export async function writeEach(
  queries: Queries,
  { rows, inputOf, writesOf, ...shared }: LoggedWriteEach,
): Promise<StoredRow[]> {
  const answered: StoredRow[] = []
  for (const row of rows) {
    const given = [{ name: 'input', rows: [row], statement: inputOf([row]) }]
    const [one] = await unlessTaken(() => write(queries, { ...shared, writes: writesOf(row) }, given))
    answered.push({ refused: 0, ...one, position: row.position, writtenId: one?.id ?? null })
  }
  return answered
}

/** A duplicate key must not fail the other rows. */
async function unlessTaken(run: () => Promise<StoredRow[]>): Promise<StoredRow[]> {
  try {
    return await run()
  } catch (error) {
    if (violatedUniqueConstraint(error) === undefined) throw error
    return []
  }
}

/** Writes the rows of one table, given the locked ones, and returns their new state. */
function writeOne(
  queries: Queries,
  { table, writing }: WriteOf,
  known: readonly KnownRows[],
): Promise<readonly StoredRow[]> {
  if ('insert' in writing) return insert(queries, table.table, columnsOf(writing.insert))
  if ('update' in writing) return update(queries, known, { table: table.table, update: writing.update })
  const { assignmentId, ...others } = writing.set
  const moves = assignmentId !== undefined && placeColumnOf(table.table) !== undefined
  return update(queries, known, {
    table: table.table,
    update: updating(table, moves ? others : writing.set),
    movesTo: moves ? assignmentId : undefined,
  })
}

/** The history records the project of a row, and cannot query the nodes within its own statement. */
const assignmentsWith = async (queries: Queries, ids: readonly unknown[]): Promise<KnownRows> => {
  const isOne = ids.length === 1 ? sql`id = ${ids[0]}` : sql`id = any(${ids}::uuid[])`
  return knownRows(
    'assignments',
    'assignments',
    await queries.query<StoredRow>(sql`select id, project_id from assignments where ${isOne}`),
  )
}

/**
 * A transaction that writes on a single other node would commit there first and here afterwards, and a crash
 * in between would leave a row without its history. Writing to a table that the nodes know makes it commit in
 * two phases.
 */
const commitInTwoPhases = sql`delete from two_phase_commits where id = 0`

async function insert(queries: Queries, table: string, values: StoredRow): Promise<readonly StoredRow[]> {
  const place = placeOf(table, values)
  const otherKey = otherKeys[table]
  await waitForTurn(queries, table, otherKey ? 'update' : 'share')
  const [taken] = await takePlaces(queries, table, [place])
  if (taken === undefined) throw duplicateOf(`${table}_pkey`)
  const isThere = async () =>
    (await queries.query(sql`select 1 from ${raw(`"${table}"`)} where id = ${place.id}`)).length > 0
  // On tables that every node has, `on conflict` would block all other inserts until this transaction ends.
  if (isReferenceTable(table) && !otherKey) {
    if (await isThere()) throw duplicateOf(`${table}_pkey`)
    return queries.query(sql`${insertionOf(table, values)} returning row.*`)
  }
  // A duplicate must not abort the transaction, which may be that of a batch.
  const rows = await queries.query<StoredRow>(
    sql`${insertionOf(table, values)} on conflict do nothing returning row.*`,
  )
  if (rows.length > 0) return rows
  if (!otherKey || (await isThere())) throw duplicateOf(`${table}_pkey`)
  await releasePlace(queries, table, place.id)
  throw duplicateOf(otherKey)
}

/** Unique keys other than the id. */
const otherKeys: Readonly<Record<string, string>> = { users: 'users_login_active' }

/** The error that PostgreSQL reports for a duplicate key. */
const duplicateOf = (constraint: string) =>
  Object.assign(new Error('A row with this key exists.'), { code: '23505', constraint })

function insertionOf(table: string, values: StoredRow): Sql {
  const columns = Object.keys(values)
  const given = columns.map((column) => sql`${values[column]}`)
  return sql`insert into ${raw(`"${table}"`)} as row (${raw(columns.map((column) => `"${column}"`).join(', '))})
    values (${join(given, ', ')})`
}

/** Changes the rows known as `before`. `movesTo` is the assignment whose node they move to, if any. */
async function update(
  queries: Queries,
  known: readonly KnownRows[],
  {
    table,
    update: change,
    movesTo,
  }: { readonly table: string; readonly update: Sql; readonly movesTo?: unknown },
): Promise<readonly StoredRow[]> {
  const before = known.find(({ name }) => name === 'before')?.rows ?? []
  if (before.length === 0) return []
  const places = before.map((row) => placeOf(table, row))
  const rows = await queries.query<StoredRow>(sql`${change} where ${atPlaces(table, places)} returning row.*`)
  if (movesTo === undefined) return rows
  const moved: StoredRow[] = []
  for (const row of rows)
    moved.push(row.assignment_id === movesTo ? row : await moveRow(queries, table, row, movesTo))
  return moved
}

/** Deletes and inserts the row, because an update cannot move it to another node. */
async function moveRow(queries: Queries, table: string, row: StoredRow, to: unknown): Promise<StoredRow> {
  const place = placeOf(table, row)
  await queries.query(sql`delete from ${raw(`"${table}"`)} as row where ${atPlaces(table, [place])}`)
  const moved = { ...row, assignment_id: to }
  await queries.query(insertionOf(table, moved))
  await movePlace(queries, table, placeOf(table, moved))
  return moved
}
