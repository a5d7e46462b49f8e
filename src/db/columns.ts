import pg from 'pg'
import { raw, render, type Sql, sql } from './sql.ts'
import { rowTimestampSql, rowTimestamps, serializeFieldTimestamp, toMilliseconds } from './timestamps.ts'

/** A cache of quoted columns. Their names come from declarations, so it stays small. */
const quotedColumns = new Map<string, Sql>()

/** API names are camelCase, column names snake_case. */
export const columnName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function column(name: string): Sql {
  const cached = quotedColumns.get(name)
  if (cached) return cached
  const quoted = raw(`"${columnName(name)}"`)
  quotedColumns.set(name, quoted)
  return quoted
}

/** Returns a column of a row called `row`, in the precision that clients receive. */
export const comparableColumn = (name: string): Sql =>
  rowTimestamps.has(name) ? toMilliseconds(sql`row.${column(name)}`) : sql`row.${column(name)}`

/** Selects a column of a row called `row` under its camelCase name. */
export const selectColumn = (name: string): Sql => {
  const stored = sql`row.${column(name)}`
  return sql`${rowTimestamps.has(name) ? rowTimestampSql(stored) : stored} as ${raw(`"${name}"`)}`
}

export const tableOf = ({ table }: { readonly table: string }): Sql => raw(`"${table}"`)

/** The columns that responses contain, by their camelCase names. */
interface SerializedColumns {
  readonly columns: readonly string[]
}

const columnLists = new WeakMap<SerializedColumns, Sql>()

/** Selects the columns of a row called `row` under their camelCase names. */
export function selectColumns(table: SerializedColumns): Sql {
  const cached = columnLists.get(table)
  if (cached) return cached
  const list = raw(table.columns.map((name) => render(selectColumn(name)).text).join(', '))
  columnLists.set(table, list)
  return list
}

const { builtins } = pg.types

/** Numeric values are hours, counts and sequences: short enough for a double to be exact. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  // Row timestamps do not arrive here: selectColumn turns them into text in SQL.
  [builtins.TIMESTAMPTZ]: serializeFieldTimestamp,
  [builtins.NUMERIC]: Number,
  [builtins.INT8]: Number,
}

/** The option `types` of a `pg` client. */
export const pgTypeParsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
