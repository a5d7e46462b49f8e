import { columnName, serializeFieldTimestamp, serializeRowTimestamp } from '../../db/columns.ts'
import type { Action } from '../../db/rows.ts'
import { raw, type Sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { type ColumnKind, columnKindOf } from '../../records/record-json.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'

/** An entry of the history, as stored. */
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

/** Selects a `StoredChange` from an entry called `entry`. */
export const changeColumns: Sql =
  raw(`entry.sequence, entry.at, entry.resource, entry.row_id as "rowId", entry.action,
  entry.project_id as "projectId", entry.caller as "callerId", entry.client as "clientId", entry.host,
  entry.session as "sessionId", entry.request as "requestId", entry.fields`)

export interface SerializedChange extends Omit<StoredChange, 'sequence' | 'fields'> {
  /** The id is the same in the history, the feed and webhook deliveries. */
  readonly id: string
  readonly before: Values | null
  readonly after: Values | null
}

/** All properties of a change, in the order of CSV files. */
export const changeProperties = [
  'id',
  'at',
  'resource',
  'rowId',
  'action',
  'projectId',
  'callerId',
  'clientId',
  'host',
  'sessionId',
  'requestId',
  'before',
  'after',
] as const satisfies readonly (keyof SerializedChange)[]

type Values = Readonly<Record<string, unknown>>

/**
 * Includes the session and the request only for administrators and for the account that made the change,
 * because they would reveal too much to others.
 */
export function serializeChange(
  { sequence, fields, ...change }: StoredChange,
  reader: Caller,
): SerializedChange {
  const seesSession = reader.isAdministrator || reader.id === change.callerId
  const columns = columnsOf.get(change.resource) ?? []
  const changed = columns.filter(({ storedName }) => storedName in fields)
  const side = (index: 0 | 1): Values =>
    Object.fromEntries(
      changed.map(({ name, storedName, serialize }) => [
        name,
        serialize((fields[storedName] as unknown[])[index]),
      ]),
    )
  const isNew = change.action === 'create'
  return {
    id: String(sequence),
    ...change,
    sessionId: seesSession ? change.sessionId : null,
    requestId: seesSession ? change.requestId : null,
    before: isNew ? null : side(0),
    after: isNew
      ? Object.fromEntries(
          changed.map(({ name, storedName, serialize }) => [name, serialize(fields[storedName])]),
        )
      : side(1),
  }
}

interface HistoryColumn {
  readonly name: string
  readonly storedName: string
  readonly serialize: (value: unknown) => unknown
}

const mapText =
  (serialize: (stored: string) => string) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? serialize(value) : value

/** The history keeps timestamps as the database writes them. */
const serializers: Partial<Record<ColumnKind, HistoryColumn['serialize']>> = {
  timestamp: mapText(serializeFieldTimestamp),
  rowTimestamp: mapText(serializeRowTimestamp),
}

const historyColumn = (resource: Resource, name: string): HistoryColumn => ({
  name,
  storedName: columnName(name),
  serialize: serializers[columnKindOf(resource, name)] ?? ((value) => value),
})

/** Only declared columns are serialized. A column that was removed from its declaration is left out. */
const columnsOf: ReadonlyMap<string, readonly HistoryColumn[]> = new Map(
  resources.map((resource) => [resource.name, resource.columns.map((name) => historyColumn(resource, name))]),
)
