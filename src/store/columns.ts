import { raw, render, type Sql, sql } from './sql.ts'

/** Names come from declarations, so there are few of them, and each is spelled for the store once. */
const columns = new Map<string, Sql>()

/** camelCase names outside, snake_case columns inside. */
export const columnName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function column(name: string): Sql {
  const known = columns.get(name)
  if (known) return known
  const spelled = raw(`"${columnName(name)}"`)
  columns.set(name, spelled)
  return spelled
}

/** Set by the store itself, never by a client. */
const rowTimestamps: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'deletedAt'])

/**
 * RFC 3339 in UTC with milliseconds: a version is shown with no more digits than a JavaScript `Date` keeps. Rows that were
 * written by earlier releases hold microseconds, which are cut wherever such a column is shown or compared.
 */
export const timestampText = (timestamp: Sql): Sql =>
  sql`to_char(${timestamp} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const toMilliseconds = (timestamp: Sql): Sql => sql`date_trunc('milliseconds', ${timestamp})`

/** A column of a row called `row`, as it is compared with what clients were shown. */
export const comparedColumn = (name: string): Sql =>
  rowTimestamps.has(name) ? toMilliseconds(sql`row.${column(name)}`) : sql`row.${column(name)}`

/** A column of a row called `row` under its camelCase name. */
export const shownColumn = (name: string): Sql => {
  const stored = sql`row.${column(name)}`
  return sql`${rowTimestamps.has(name) ? timestampText(stored) : stored} as ${raw(`"${name}"`)}`
}

export const tableOf = ({ table }: { readonly table: string }): Sql => raw(`"${table}"`)

/** What a row shows of a table, such as one that history keeps. */
interface Shown {
  readonly columns: readonly string[]
}

const columnLists = new WeakMap<Shown, Sql>()

/** The columns of a row called `row`, under their camelCase names. */
export function shownColumns(table: Shown): Sql {
  const known = columnLists.get(table)
  if (known) return known
  const list = raw(table.columns.map((name) => render(shownColumn(name)).text).join(', '))
  columnLists.set(table, list)
  return list
}
