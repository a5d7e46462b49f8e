import { column, selectColumns, tableOf } from './columns.ts'
import { type Asked, type Condition, lockedRows, permitted, writeEachIf } from './conditional-write.ts'
import { idTaken, loginTaken } from './failures.ts'
import {
  type Action,
  type LoggedWrite,
  loggedParts,
  mainPart,
  signatureColumns,
  signatureTypes,
  signedBy,
  signedInInput,
  type Table,
  type WriteOf,
  type Writer,
  type WrittenTable,
} from './logged-write.ts'
import { type AlsoInserted, columnsOf, nextVersion, type Row, type Values } from './rows.ts'
import { join, namedStatement, type Queries, raw, type Sql, sql } from './sql.ts'

/** Rows that one statement writes or rejects one by one. All have the same columns. */
export interface ManyRows {
  readonly table: Table
  readonly rows: readonly (Values & { readonly id: string; readonly position: number })[]
  /** The database types of their columns, and of values that conditions need but no column holds. */
  readonly types: Readonly<Record<string, string>>
  readonly conditions: readonly Condition[]
}

/** One writer for all rows, or one for each row, in their order: the callers of a batch are unrelated. */
export type Writers = { readonly one: Writer } | { readonly each: readonly Writer[] }

/** Refers, in a condition, to a value of the row that is being written. */
export const inputOf = (name: string): Sql => raw(`input."${name}"`)

/** Refers, in a condition, to the writer of the row, where each row has its own. */
export const writerOfInput = inputOf(':caller')

/** A row that is inserted together with the row that has this id. */
export type AlsoWith = AlsoInserted & { readonly with: string }

export async function insertEach(
  queries: Queries,
  writers: Writers,
  many: ManyRows,
  also: readonly AlsoWith[],
): Promise<Asked<Row>[]> {
  const names = Object.keys(many.types)
  const given = names.map((name) => raw(`verdict."${name}"`))
  const main = {
    table: many.table,
    // A duplicate key must not fail the other rows.
    statement: sql`insert into ${tableOf(many.table)} as row (${join(names.map(column), ', ')})
      select ${join(given, ', ')} from verdict where ${permitted} order by verdict.position on conflict do nothing`,
  }
  const written = [main, ...alsoInserted(also)]
  const writesOf = (row: GivenRow) =>
    [{ table: many.table, values: valuesIn(row, names) }, ...also.filter((one) => one.with === row.id)].map(
      (one) => ({ table: one.table, writing: { insert: one.values } }),
    )
  const asked = await writeEach(queries, 'create', writers, many, { written, writesOf })
  // No condition rejected these rows, and still they were not written: their id or login was taken.
  const skipped = asked.filter(({ problem, written }) => !problem && !written)
  if (skipped.length === 0) return asked
  const ids = many.rows.filter(({ position }) => skipped.some((one) => one.position === position))
  const taken = await queries.query<Row>(
    sql`select id from ${tableOf(many.table)} where id = any(${ids.map(({ id }) => id)}::uuid[])`,
  )
  return asked.map((one) => {
    if (!skipped.includes(one)) return one
    const row = ids.find(({ position }) => position === one.position)
    return { ...one, problem: taken.some(({ id }) => id === row?.id) ? idTaken() : loginTaken() }
  })
}

/** `set` names the columns that change. */
export function updateEach(
  queries: Queries,
  writers: Writers,
  many: ManyRows,
  set: readonly string[],
): Promise<Asked<Row>[]> {
  const changes = join(
    [...set.map((name) => sql`${column(name)} = ${raw(`verdict."${name}"`)}`), nextVersion],
    ', ',
  )
  const statement = sql`update ${tableOf(many.table)} as row set ${changes}
    from verdict where row.id = verdict.id and ${permitted}`
  const change = { before: 'before', columns: [...set, 'updatedAt'] }
  const written = [{ table: many.table, statement, change }]
  const writesOf = (row: GivenRow) => [{ table: many.table, change, writing: { set: valuesIn(row, set) } }]
  return writeEach(queries, 'update', writers, many, { written, writesOf })
}

const valuesIn = (row: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, row[name]]))

type GivenRow = ManyRows['rows'][number]

interface Writes {
  readonly written: readonly WrittenTable[]
  /** Returns the writes that belong to one row. */
  readonly writesOf: (row: GivenRow) => readonly WriteOf[]
}

/** The pieces of a write of many rows. */
export interface LoggedWriteEach extends Omit<LoggedWrite, 'writes' | 'locks'> {
  readonly rows: ManyRows['rows']
  /** The part called `input`, with these rows. */
  readonly inputOf: (rows: ManyRows['rows']) => Sql
  readonly writesOf: Writes['writesOf']
}

export const writeEachRow = namedStatement<LoggedWriteEach>('write each row')

function writeEach(
  queries: Queries,
  action: Action,
  writers: Writers,
  { table, rows, types, conditions }: ManyRows,
  { written, writesOf }: Writes,
): Promise<Asked<Row>[]> {
  const columns = selectColumns(table)
  const answer = { columns, from: mainPart }
  if ('each' in writers) {
    const signed = rows.map((row, index) => ({ ...row, ...signatureColumns(writers.each[index]) }))
    const input = inputFrom(signed, { ...types, ...signatureTypes })
    const parts = loggedParts(action, signedInInput, written)
    return writeEachIf<Row>(queries, input, conditions.map(skippingLocked), parts, answer, (one) => one)
  }
  const { one: writer } = writers
  const parts = loggedParts(action, signedBy(writer), written)
  const inputOf = (some: ManyRows['rows']) => inputFrom(some, types)
  const pieces = { action, writer, conditions, columns, rows, inputOf, writesOf }
  return writeEachIf<Row>(queries, inputOf(rows), conditions, parts, answer, (statement) =>
    writeEachRow.of(pieces, statement),
  )
}

/** A caller's rows must not wait for rows that others refer to, so a locked row counts as missing. */
function skippingLocked(condition: Condition): Condition {
  if (!condition.locks) return condition
  const { name, rows } = condition.locks
  const rowsNow = lockedRows({ ...rows.locking, isOfInput: name === 'before', skipsLocked: true })
  return { ...condition, locks: { name, rows: rowsNow } }
}

/** Passes any number of rows as one parameter. */
function inputFrom(rows: readonly Values[], types: ManyRows['types']): Sql {
  const columns = Object.entries({ ...types, position: 'integer' }).map(([name, type]) => `"${name}" ${type}`)
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as input (${raw(columns.join(', '))})`
}

/** One part for each table, with the rows whose main row was written. */
function alsoInserted(also: readonly AlsoWith[]): WrittenTable[] {
  const tables = [...new Set(also.map(({ table }) => table))]
  return tables.map((table) => {
    const rows = also.filter((one) => one.table === table)
    const names = Object.keys(rows[0]?.values ?? {})
    const json = JSON.stringify(rows.map(({ values }) => columnsOf(values)))
    const statement = sql`insert into ${tableOf(table)} as row (${join(names.map(column), ', ')})
      select ${join(
        names.map((name) => sql`also.${column(name)}`),
        ', ',
      )}
      from json_populate_recordset(null::${tableOf(table)}, ${json}::json) with ordinality as also
      join unnest(${rows.map((row) => row.with)}::uuid[]) with ordinality as main (id, number)
        on main.number = also.ordinality
      where main.id in (select id from ${raw(mainPart)})`
    return { table, statement }
  })
}
