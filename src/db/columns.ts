import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { raw, render, type Sql, sql } from './sql.ts'

/** Names come from declarations, so there are few of them, and each is converted once. */
const columns = new Map<string, Sql>()

/** API names are camelCase, column names snake_case. */
export const columnName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function column(name: string): Sql {
  const known = columns.get(name)
  if (known) return known
  const spelled = raw(`"${columnName(name)}"`)
  columns.set(name, spelled)
  return spelled
}

/** The database sets these; clients never do. */
const rowTimestamps: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'deletedAt'])

/**
 * RFC 3339 in UTC with milliseconds: a version has no more digits than a JavaScript `Date` keeps. Rows
 * written by earlier releases hold microseconds, which are cut wherever such a column is shown or compared.
 */
export const timestampText = (timestamp: Sql): Sql =>
  sql`to_char(${timestamp} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const toMilliseconds = (timestamp: Sql): Sql => sql`date_trunc('milliseconds', ${timestamp})`

/** A column of a row called `row`, in the precision that clients were shown. */
export const comparedColumn = (name: string): Sql =>
  rowTimestamps.has(name) ? toMilliseconds(sql`row.${column(name)}`) : sql`row.${column(name)}`

/** A column of a row called `row` under its camelCase name. */
export const selectColumn = (name: string): Sql => {
  const stored = sql`row.${column(name)}`
  return sql`${rowTimestamps.has(name) ? timestampText(stored) : stored} as ${raw(`"${name}"`)}`
}

export const tableOf = ({ table }: { readonly table: string }): Sql => raw(`"${table}"`)

/** The columns of a table that are shown, for example in the history. */
interface WithColumns {
  readonly columns: readonly string[]
}

const columnLists = new WeakMap<WithColumns, Sql>()

/** The columns of a row called `row`, under their camelCase names. */
export function selectColumns(table: WithColumns): Sql {
  const known = columnLists.get(table)
  if (known) return known
  const list = raw(table.columns.map((name) => render(selectColumn(name)).text).join(', '))
  columnLists.set(table, list)
  return list
}

const { builtins } = pg.types

/** `pg` and `Date` would cut off microseconds, so timestamps stay text, in the form of the contract. */
export const serializeTimestamp = (stored: string): string =>
  stored.endsWith('+00') ? `${stored.slice(0, 10)}T${stored.slice(11, -3)}Z` : inUtc(stored)

/** Like `serializeTimestamp`, but with milliseconds, as `timestampText` writes it. */
export function serializeRowTimestamp(stored: string): string {
  const [whole, fraction = ''] = serializeTimestamp(stored).slice(0, -1).split('.')
  return `${whole}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

const otherZone =
  /^(?<year>\d+)-(?<month>\d\d)-(?<day>\d\d)[ T](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?<fraction>\.\d+)?(?<sign>[+-])(?<hours>\d\d)(:(?<minutes>\d\d))?(:(?<seconds>\d\d))?(?<era> BC)?$/

/**
 * A server or pooler may have its own time zone. Before zones were in whole minutes, offsets had seconds too,
 * and there the first and last day that we store may lie in the adjacent year.
 */
function inUtc(stored: string): string {
  const parts = otherZone.exec(stored)?.groups ?? {}
  const of = (name: string) => Number(parts[name] ?? 0)
  const offset = Number(`${parts.sign}1`) * (of('hours') * 3600 + of('minutes') * 60 + of('seconds'))
  const utc = new Date(0)
  utc.setUTCFullYear(parts.era ? 1 - of('year') : of('year'), of('month') - 1, of('day'))
  utc.setUTCHours(of('hour'), of('minute'), of('second') - offset)
  const utcText = utc.toISOString()
  if (!/^\d{4}-/.test(utcText)) throw new Error(`${stored} is outside the range of our timestamps.`)
  return `${utcText.slice(0, 19)}${parts.fraction ?? ''}Z`
}

/** Our exact numbers are small: hours, counts, sequences. All of them are represented exactly by a double. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.TIMESTAMPTZ]: serializeTimestamp,
  [builtins.NUMERIC]: Number,
  [builtins.INT8]: Number,
}

export const columnTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/**
 * UUIDv7 (RFC 9562, method 3): milliseconds, fractions of 1/4096 ms, random bits, so ids sort by creation.
 */
export function newId(): string {
  const milliseconds = performance.timeOrigin + performance.now()
  const whole = Math.floor(milliseconds)
  const bytes = randomBytes(16)
  bytes.writeUIntBE(whole, 0, 6)
  bytes.writeUInt16BE(0x7000 | Math.floor((milliseconds - whole) * 4096), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
