import {
  column,
  columnName,
  serializeRowTimestamp,
  serializeTimestamp,
  timestampText,
} from '../db/columns.ts'
import type { Action, Row } from '../db/rows.ts'
import { join, raw, render, type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import type { WireKind } from '../model/field.ts'
import { resources } from '../resources/all.ts'
import type { Listed, Resource } from '../resources/define-resource.ts'

/** A stored row as every host serializes it: its columns in their order; nulls are included. */
export function serializeRecord({ columns }: Listed, row: Row): Readonly<Record<string, unknown>> {
  const record: Record<string, unknown> = {}
  for (const name of columns) record[name] = row[name]
  return record
}

type Kind = WireKind | 'rowTimestamp' | 'flag'

/** The kinds of the columns that are no fields. */
const commonKinds: Readonly<Record<string, Kind>> = {
  id: 'uuid',
  createdAt: 'rowTimestamp',
  updatedAt: 'rowTimestamp',
  deletedAt: 'rowTimestamp',
  active: 'flag',
}

/** The kind of a column that is shown. */
const kindOf = ({ fields }: Listed, name: string): Kind => (fields[name]?.wire ?? commonKinds[name]) as Kind

/** Serializes a value as JSON, or null. Only texts need escaping. */
const jsonOf: Readonly<Record<Kind, (value: Sql) => Sql>> = {
  text: (value) => sql`to_json(${value})::text`,
  uuid: (value) => sql`'"' || ${value} || '"'`,
  timestamp: (value) => sql`'"' || replace((${value} at time zone 'UTC')::text, ' ', 'T') || 'Z"'`,
  rowTimestamp: (value) => sql`'"' || ${timestampText(value)} || '"'`,
  number: (value) => sql`trim_scale(${value})::text`,
  wholeNumber: (value) => sql`${value}::text`,
  flag: (value) => sql`${value}::text`,
}

const recordTexts = new WeakMap<Listed, Sql>()

/**
 * Serializes a row called `row` as JSON in the database, with exactly the same text. That costs the database
 * a tenth more time than returning the values, and saves the host far more than that.
 */
export function recordText(listed: Listed): Sql {
  const known = recordTexts.get(listed)
  if (known) return known
  const members = listed.columns.map((name, index) => {
    const start = raw(`'${index === 0 ? '{' : ','}"${name}":'`)
    return sql`${start} || coalesce(${jsonOf[kindOf(listed, name)](sql`row.${column(name)}`)}, 'null')`
  })
  const text = raw(render(sql`${join(members, ' || ')} || '}'`).text)
  recordTexts.set(listed, text)
  return text
}

/** Serializes rows as a JSON array, in their order, but no rows that a page skips. */
export const arrayOf = (listed: Listed, rows: Sql): Sql =>
  sql`(select coalesce('[' || string_agg(${recordText(listed)}, ',') || ']', '[]') from (${rows}) as row)`

/** An entry of the history as it is stored. */
export interface StoredChange {
  readonly sequence: number
  readonly at: string
  readonly resource: string
  readonly rowId: string
  readonly action: Action
  readonly projectId: string | null
  readonly callerId: string | null
  readonly clientId: string | null
  readonly host: string | null
  readonly sessionId: string | null
  readonly requestId: string | null
  /** The values of a new row, or `[before, after]` for each changed column, by column name. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The columns of an entry called `entry`. */
export const changeColumns: Sql =
  raw(`entry.sequence, entry.at, entry.resource, entry.row_id as "rowId", entry.action,
  entry.project_id as "projectId", entry.caller as "callerId", entry.client as "clientId", entry.host,
  entry.session as "sessionId", entry.request as "requestId", entry.fields`)

export interface SerializedChange extends Omit<StoredChange, 'sequence' | 'fields'> {
  /** The same id in history, feed and deliveries. */
  readonly id: string
  readonly before: Values | null
  readonly after: Values | null
}

type Values = Readonly<Record<string, unknown>>

/**
 * Session and request are included for the account that caused the change and for administrators; to others
 * they would reveal too much.
 */
export function serializeChange(
  { sequence, fields, ...change }: StoredChange,
  reader: Caller,
): SerializedChange {
  const seesSession = reader.isAdministrator || reader.id === change.callerId
  const columns = columnsOf.get(change.resource) ?? []
  const kept = columns.filter(({ stored }) => stored in fields)
  const side = (index: 0 | 1): Values =>
    Object.fromEntries(
      kept.map(({ name, stored, serialize }) => [name, serialize((fields[stored] as unknown[])[index])]),
    )
  const isNew = change.action === 'create'
  return {
    id: String(sequence),
    ...change,
    sessionId: seesSession ? change.sessionId : null,
    requestId: seesSession ? change.requestId : null,
    before: isNew ? null : side(0),
    after: isNew
      ? Object.fromEntries(kept.map(({ name, stored, serialize }) => [name, serialize(fields[stored])]))
      : side(1),
  }
}

interface KeptColumn {
  readonly name: string
  readonly stored: string
  readonly serialize: (value: unknown) => unknown
}

const serializedText =
  (serialize: (stored: string) => string) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? serialize(value) : value

/** The history keeps timestamps as the database writes them. */
const serializers: Partial<Record<ReturnType<typeof kindOf>, KeptColumn['serialize']>> = {
  timestamp: serializedText(serializeTimestamp),
  rowTimestamp: serializedText(serializeRowTimestamp),
}

const keptColumn = (resource: Resource, name: string): KeptColumn => ({
  name,
  stored: columnName(name),
  serialize: serializers[kindOf(resource, name)] ?? ((value) => value),
})

/** A column that is no longer declared is not shown. */
const columnsOf: ReadonlyMap<string, readonly KeptColumn[]> = new Map(
  resources.map((resource) => [resource.name, resource.columns.map((name) => keptColumn(resource, name))]),
)
