import { type Asked, type Condition, permitted, writeEachIf } from './conditional-write.ts'
import type { Queries } from './database.ts'
import {
  type AlsoInserted,
  column,
  columnName,
  idTaken,
  loggedParts,
  loginTaken,
  mainPart,
  nextVersion,
  type Row,
  shownColumns,
  type Table,
  tableOf,
  type Values,
  type Writer,
  type WrittenTable,
} from './rows.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** Rows that one statement writes or refuses, each by itself. All have the same columns. */
export interface ManyRows {
  readonly table: Table
  readonly rows: readonly (Values & { readonly id: string; readonly position: number })[]
  /** The types of their columns in the store, and of what is only asked for. */
  readonly types: Readonly<Record<string, string>>
  readonly conditions: readonly Condition[]
}

/** A value of each row, for conditions. */
export const inputOf = (name: string): Sql => raw(`input."${name}"`)

/** What is inserted together with the row that has this id. */
export type AlsoWith = AlsoInserted & { readonly with: string }

export async function insertEach(
  queries: Queries,
  writer: Writer,
  many: ManyRows,
  also: readonly AlsoWith[],
): Promise<Asked<Row>[]> {
  const names = Object.keys(many.types)
  const given = names.map((name) => raw(`verdict."${name}"`))
  const main = {
    table: many.table,
    // A key that is taken is no reason to fail for the others.
    statement: sql`insert into ${tableOf(many.table)} as row (${join(names.map(column), ', ')})
      select ${join(given, ', ')} from verdict where ${permitted} order by verdict.position on conflict do nothing`,
  }
  const asked = await writeEach(queries, many, loggedParts('create', writer, [main, ...alsoInserted(also)]))
  const untold = asked.filter(({ refusal, written }) => !refusal && !written)
  if (untold.length === 0) return asked
  const ids = many.rows.filter(({ position }) => untold.some((one) => one.position === position))
  const taken = await queries.query<Row>(
    sql`select id from ${tableOf(many.table)} where id = any(${ids.map(({ id }) => id)}::uuid[])`,
  )
  return asked.map((one) => {
    if (!untold.includes(one)) return one
    const row = ids.find(({ position }) => position === one.position)
    return { ...one, refusal: taken.some(({ id }) => id === row?.id) ? idTaken() : loginTaken() }
  })
}

/** `set` are the columns that change. */
export function updateEach(
  queries: Queries,
  writer: Writer,
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
  return writeEach(queries, many, loggedParts('update', writer, [{ table: many.table, statement, change }]))
}

const writeEach = (
  queries: Queries,
  { table, rows, types, conditions }: ManyRows,
  parts: ReturnType<typeof loggedParts>,
): Promise<Asked<Row>[]> =>
  writeEachIf<Row>(queries, inputFrom(rows, types), conditions, parts, {
    columns: shownColumns(table),
    from: mainPart,
  })

/** One parameter, whatever the number of rows. */
function inputFrom(rows: ManyRows['rows'], types: ManyRows['types']): Sql {
  const columns = Object.entries({ ...types, position: 'integer' }).map(([name, type]) => `"${name}" ${type}`)
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as input (${raw(columns.join(', '))})`
}

/** For each table one part, of the rows whose main row was written. */
function alsoInserted(also: readonly AlsoWith[]): WrittenTable[] {
  const tables = [...new Set(also.map(({ table }) => table))]
  return tables.map((table) => {
    const rows = also.filter((one) => one.table === table)
    const names = Object.keys(rows[0]?.values ?? {})
    const json = JSON.stringify(
      rows.map(({ values }) =>
        Object.fromEntries(Object.entries(values).map(([name, value]) => [columnName(name), value])),
      ),
    )
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
