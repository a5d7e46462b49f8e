import pg from 'pg'
import { raw, render, type Sql, sql } from './sql.ts'

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
  rowTimestamps.has(name) ? truncateToMilliseconds(sql`row.${column(name)}`) : sql`row.${column(name)}`

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

/**
 * There are two formats of timestamps, both RFC 3339 in UTC. These row timestamps, which the database sets,
 * have milliseconds. Rows of earlier releases have microseconds, which are truncated when they are serialized
 * or compared. All other timestamps have the microseconds that are stored.
 */
const rowTimestamps: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'deletedAt'])

/** Serializes a row timestamp in the database. */
export const rowTimestampSql = (timestamp: Sql): Sql =>
  sql`to_char(${timestamp} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const truncateToMilliseconds = (timestamp: Sql): Sql => sql`date_trunc('milliseconds', ${timestamp})`

/**
 * Converts the timestamp of a field: `2026-01-05 09:00:00.123+00` to `2026-01-05T09:00:00.123Z`. It stays
 * text, because a `Date` would truncate microseconds.
 */
export const serializeFieldTimestamp = (stored: string): string =>
  stored.endsWith('+00') ? `${stored.slice(0, 10)}T${stored.slice(11, -3)}Z` : toUtc(stored)

/** Converts a row timestamp, to the same text as `rowTimestampSql`. */
export function serializeRowTimestamp(stored: string): string {
  const [whole, fraction = ''] = serializeFieldTimestamp(stored).slice(0, -1).split('.')
  return `${whole}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

const timestampWithOffset =
  /^(?<year>\d+)-(?<month>\d\d)-(?<day>\d\d)[ T](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?<fraction>\.\d+)?(?<sign>[+-])(?<hours>\d\d)(:(?<minutes>\d\d))?(:(?<seconds>\d\d))?(?<era> BC)?$/

/**
 * Converts a timestamp with an offset, because a server or pooler may have its own time zone. Historical
 * offsets have seconds, and the conversion may change the year.
 */
function toUtc(stored: string): string {
  const parts = timestampWithOffset.exec(stored)?.groups ?? {}
  const numberOf = (name: string) => Number(parts[name] ?? 0)
  const offset =
    Number(`${parts.sign}1`) * (numberOf('hours') * 3600 + numberOf('minutes') * 60 + numberOf('seconds'))
  const utc = new Date(0)
  utc.setUTCFullYear(
    parts.era ? 1 - numberOf('year') : numberOf('year'),
    numberOf('month') - 1,
    numberOf('day'),
  )
  utc.setUTCHours(numberOf('hour'), numberOf('minute'), numberOf('second') - offset)
  const utcText = utc.toISOString()
  if (!/^\d{4}-/.test(utcText)) throw new Error(`${stored} is outside the range of our timestamps.`)
  return `${utcText.slice(0, 19)}${parts.fraction ?? ''}Z`
}

/** Converts a time of the host's clock, which tests can set. */
export const timestamp = (milliseconds: number): Sql =>
  sql`${new Date(milliseconds).toISOString()}::timestamptz`

/** Converts a stored timestamp to epoch milliseconds. */
export const epochMilliseconds = (stored: Sql): Sql => sql`(extract(epoch from ${stored}) * 1000)::float8`

const { builtins } = pg.types

/** Numeric values are hours, counts and sequences: short enough for a double to be exact. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  // Row timestamps of resources do not arrive here: selectColumn turns them into text in SQL.
  [builtins.TIMESTAMPTZ]: serializeFieldTimestamp,
  [builtins.NUMERIC]: Number,
  [builtins.INT8]: Number,
}

/** The option `types` of a `pg` client. */
export const pgTypeParsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
