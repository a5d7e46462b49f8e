import {
  beforeCte,
  type Condition,
  conditionsSql,
  joinCtes,
  type RowLock,
  type Verdict,
} from '../conditional-write.ts'
import { violatedUniqueConstraint } from '../failures.ts'
import { type LoggedWrite, loggedWriteCtes, type Table, type TableWrite, writerSql } from '../logged-write.ts'
import type { LoggedManyWrite } from '../many-rows.ts'
import { toColumnNames, updateStatement } from '../rows.ts'
import { join, type Queries, raw, type Sql, sql } from '../sql.ts'
import {
  assignmentFields,
  atPlaces,
  isReferenceTable,
  lockPlaces,
  lockReferenceTables,
  movePlace,
  type Place,
  placeColumnOf,
  placeOf,
  releasePlace,
  type StoredRow,
  takePlaces,
} from './places.ts'

/** Rows that an earlier statement returned, as a CTE of a later one. */
interface KnownRows {
  readonly name: string
  readonly rows: readonly StoredRow[]
  readonly statement: Sql
}

/** Selects given rows, with some or all columns of a table. Passes any number of them as one parameter. */
const selectGivenRows = (table: string, rows: readonly StoredRow[]): Sql =>
  sql`select * from jsonb_populate_recordset(null::${raw(`"${table}"`)}, ${JSON.stringify(rows)}::jsonb)`

const knownRows = (name: string, table: string, rows: readonly StoredRow[]): KnownRows => ({
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
 * Finds rows, locks their places, and reads them again, because they may have changed during the wait. A row
 * that has moved is read from its new place.
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
const readAssignments = async (queries: Queries, ids: readonly unknown[]): Promise<KnownRows> => {
  const hasId = ids.length === 1 ? sql`id = ${ids[0]}` : sql`id = any(${ids}::uuid[])`
  return knownRows(
    'assignments',
    'assignments',
    await queries.query<StoredRow>(sql`select id, project_id from assignments where ${hasId}`),
  )
}

/**
 * Locks rows and checks the conditions. If all are met, writes each table, the change log and the history,
 * which are on the coordinator.
 */
export async function write(
  queries: Queries,
  { action, writer, conditions, locks = [], writes, columns }: LoggedWrite,
  inputRows: readonly KnownRows[] = [],
): Promise<StoredRow[]> {
  const verdict = await lockAndCheck(queries, conditions, inputRows)
  if (verdict.rejections !== 0) return [{ rejections: verdict.rejections }]
  const known = [...verdict.known]
  for (const { name, rows } of locks)
    known.push(knownRows(name, rows.lock.table, await lock(queries, rows.lock, known)))
  const written: (TableWrite & { readonly statement: Sql })[] = []
  const assignmentIds = new Set<unknown>()
  let count = 0
  for (const tableWrite of writes) {
    const { table } = tableWrite.table
    const rows = await writeTable(queries, tableWrite, known)
    count += rows.length
    written.push({ ...tableWrite, statement: selectGivenRows(table, rows) })
    if (placeColumnOf(table)) for (const { assignment_id } of rows) assignmentIds.add(assignment_id)
  }
  if (count === 0) return []
  if (assignmentIds.size > 0) known.push(await readAssignments(queries, [...assignmentIds]))
  await queries.query(commitInTwoPhases)
  const ctes = [...known, ...loggedWriteCtes(action, writerSql(writer), written)]
  return queries.query(sql`with ${joinCtes(ctes)} select 0 as rejections, ${columns} from written0 as row`)
}

/** Writes one row after another. */
export async function writeEach(
  queries: Queries,
  { rows, inputStatementOf, writesOf, ...shared }: LoggedManyWrite,
): Promise<StoredRow[]> {
  const results: StoredRow[] = []
  for (const row of rows) {
    const inputRows = [{ name: 'input', rows: [row], statement: inputStatementOf([row]) }]
    const [written] = await emptyIfDuplicate(() =>
      write(queries, { ...shared, writes: writesOf(row) }, inputRows),
    )
    results.push({ rejections: 0, ...written, position: row.position, writtenId: written?.id ?? null })
  }
  return results
}

/** A duplicate key must not fail the other rows. */
async function emptyIfDuplicate(run: () => Promise<StoredRow[]>): Promise<StoredRow[]> {
  try {
    return await run()
  } catch (error) {
    if (violatedUniqueConstraint(error) === undefined) throw error
    return []
  }
}

/** Writes the rows of one table, and returns their new state. */
async function writeTable(
  queries: Queries,
  { table, content }: TableWrite,
  known: readonly KnownRows[],
): Promise<readonly StoredRow[]> {
  if ('insert' in content) {
    const values = toColumnNames(content.insert)
    return insert(queries, table, { ...values, ...(await generateForNewRow(queries, table.table, values)) })
  }
  if ('update' in content) return update(queries, known, { table: table.table, update: content.update })
  const { assignmentId, ...otherValues } = content.set
  const moves = assignmentId !== undefined && placeColumnOf(table.table) !== undefined
  return update(queries, known, {
    table: table.table,
    update: updateStatement(table, {
      ...(moves ? otherValues : content.set),
      ...(await generateForChangedRow(queries, table.table, content.set, known)),
    }),
    movesTo: moves ? assignmentId : undefined,
  })
}

/** Generates the values that triggers set in a store of one node (migration 0099). */
async function generateForNewRow(queries: Queries, table: string, values: StoredRow): Promise<StoredRow> {
  if (table === 'assignments')
    return oneRow(
      queries,
      sql`select number, initial_rank(number) as rank from next_assignment_number(${values.project_id}::uuid) as number`,
    )
  if (table !== 'projects') return {}
  if (values.key === undefined) return oneRow(queries, sql`select free_project_key(${values.name}) as key`)
  await queries.query(sql`select take_project_key(${values.id}::uuid, null, ${values.key})`)
  return {}
}

async function generateForChangedRow(
  queries: Queries,
  table: string,
  { projectId, key }: StoredRow,
  known: readonly KnownRows[],
): Promise<StoredRow> {
  const [before] = known.find(({ name }) => name === beforeCte)?.rows ?? []
  if (!before) return {}
  const { id, project_id: from, number, key: formerKey } = before
  if (table === 'projects' && key !== undefined && key !== formerKey)
    await queries.query(sql`select take_project_key(${id}::uuid, ${formerKey}, ${key})`)
  if (table !== 'assignments' || projectId === undefined || from === projectId) return {}
  return oneRow(
    queries,
    sql`select number, initial_rank(number) as rank
      from moved_assignment_number(${id}::uuid, ${from}::uuid, ${number}::int, ${projectId}::uuid) as number`,
  )
}

const oneRow = async (queries: Queries, statement: Sql): Promise<StoredRow> =>
  (await queries.query<StoredRow>(statement))[0] ?? {}

/**
 * Makes the transaction commit in two phases, by writing to a table that the nodes know. Otherwise, a
 * transaction that writes to a single other node would commit there first and on the coordinator afterwards.
 * A crash in between would leave a row without its history.
 */
const commitInTwoPhases = sql`delete from two_phase_commits where id = 0`

async function insert(
  queries: Queries,
  { table, unique }: Table,
  values: StoredRow,
): Promise<readonly StoredRow[]> {
  const place = placeOf(table, values)
  const uniqueIndex = unique?.index
  await lockReferenceTables(queries, table, uniqueIndex ? 'update' : 'share')
  const [inserted] = await takePlaces(queries, table, [place])
  if (inserted === undefined) throw duplicateOf(`${table}_pkey`)
  const exists = async () =>
    (await queries.query(sql`select 1 from ${raw(`"${table}"`)} where id = ${place.id}`)).length > 0
  // In a reference table, `on conflict` would block all other inserts until this transaction ends.
  if (isReferenceTable(table) && !uniqueIndex) {
    if (await exists()) throw duplicateOf(`${table}_pkey`)
    return queries.query(sql`${insertStatement(table, values)} returning row.*`)
  }
  // A duplicate must not abort the transaction, which may belong to a batch.
  const rows = await queries.query<StoredRow>(
    sql`${insertStatement(table, values)} on conflict do nothing returning row.*`,
  )
  if (rows.length > 0) return rows
  if (!uniqueIndex || (await exists())) throw duplicateOf(`${table}_pkey`)
  await releasePlace(queries, table, place.id)
  throw duplicateOf(uniqueIndex)
}

/** Returns the error that PostgreSQL reports for a duplicate key. */
const duplicateOf = (constraint: string) =>
  Object.assign(new Error('A row with this key exists.'), { code: '23505', constraint })

function insertStatement(table: string, values: StoredRow): Sql {
  const columns = Object.keys(values)
  const valueList = columns.map((column) => sql`${values[column]}`)
  return sql`insert into ${raw(`"${table}"`)} as row (${raw(columns.map((column) => `"${column}"`).join(', '))})
    values (${join(valueList, ', ')})`
}

/** Updates the locked rows `before`. If `movesTo` is set, moves them to the node of that assignment. */
async function update(
  queries: Queries,
  known: readonly KnownRows[],
  {
    table,
    update: change,
    movesTo,
  }: { readonly table: string; readonly update: Sql; readonly movesTo?: unknown },
): Promise<readonly StoredRow[]> {
  const before = known.find(({ name }) => name === beforeCte)?.rows ?? []
  if (before.length === 0) return []
  const places = before.map((row) => placeOf(table, row))
  const rows = await queries.query<StoredRow>(sql`${change} where ${atPlaces(table, places)} returning row.*`)
  if (movesTo === undefined) return rows
  const moved: StoredRow[] = []
  for (const row of rows)
    moved.push(row.assignment_id === movesTo ? row : await moveRow(queries, table, row, movesTo))
  return moved
}

/** Deletes and inserts the row, because an update cannot move a row to another node. */
async function moveRow(queries: Queries, table: string, row: StoredRow, to: unknown): Promise<StoredRow> {
  const place = placeOf(table, row)
  await queries.query(sql`delete from ${raw(`"${table}"`)} as row where ${atPlaces(table, [place])}`)
  const moved = { ...row, assignment_id: to }
  await queries.query(insertStatement(table, moved))
  await movePlace(queries, table, placeOf(table, moved))
  return moved
}
