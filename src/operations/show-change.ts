import type { Caller } from '../model/caller.ts'
import { resources } from '../resources/all.ts'
import type { Resource } from '../resources/define-resource.ts'
import { showMoment, showRowTimestamp } from '../store/column-types.ts'
import { columnName } from '../store/columns.ts'
import type { Action } from '../store/rows.ts'
import { raw, type Sql } from '../store/sql.ts'
import { kindOf } from './show-record.ts'

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
  /** Of a new row its values, of a change `[before, after]`; by the names of the store. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The columns of an entry called `entry`. */
export const changeColumns: Sql =
  raw(`entry.sequence, entry.at, entry.resource, entry.row_id as "rowId", entry.action,
  entry.project_id as "projectId", entry.caller as "callerId", entry.client as "clientId", entry.host,
  entry.session as "sessionId", entry.request as "requestId", entry.fields`)

export interface ShownChange extends Omit<StoredChange, 'sequence' | 'fields'> {
  /** The same in history, feed and deliveries. */
  readonly id: string
  readonly before: Values | null
  readonly after: Values | null
}

type Values = Readonly<Record<string, unknown>>

/** A session and a request are of use to the account that caused the change, and to administrators; to others they would be a hint. */
export function showChange({ sequence, fields, ...change }: StoredChange, reader: Caller): ShownChange {
  const isTold = reader.isAdministrator || reader.id === change.callerId
  const columns = columnsOf.get(change.resource) ?? []
  const kept = columns.filter(({ stored }) => stored in fields)
  const side = (index: 0 | 1): Values =>
    Object.fromEntries(
      kept.map(({ name, stored, show }) => [name, show((fields[stored] as unknown[])[index])]),
    )
  const isNew = change.action === 'create'
  return {
    id: String(sequence),
    ...change,
    sessionId: isTold ? change.sessionId : null,
    requestId: isTold ? change.requestId : null,
    before: isNew ? null : side(0),
    after: isNew
      ? Object.fromEntries(kept.map(({ name, stored, show }) => [name, show(fields[stored])]))
      : side(1),
  }
}

interface KeptColumn {
  readonly name: string
  readonly stored: string
  readonly show: (value: unknown) => unknown
}

const shownText =
  (show: (stored: string) => string) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? show(value) : value

/** History keeps timestamps as the store writes them. */
const shows: Partial<Record<ReturnType<typeof kindOf>, KeptColumn['show']>> = {
  moment: shownText(showMoment),
  rowTimestamp: shownText(showRowTimestamp),
}

const keptColumn = (resource: Resource, name: string): KeptColumn => ({
  name,
  stored: columnName(name),
  show: shows[kindOf(resource, name)] ?? ((value) => value),
})

/** A column that is not declared any more is not shown either. */
const columnsOf: ReadonlyMap<string, readonly KeptColumn[]> = new Map(
  resources.map((resource) => [resource.name, resource.columns.map((name) => keptColumn(resource, name))]),
)
