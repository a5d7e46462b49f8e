import type { AccessRule } from '../model/access-rule.ts'
import { columnName } from './columns.ts'
import type { Condition, Part } from './conditional-write.ts'
import type { LockedRows } from './locked-rows.ts'
import type { Signature, Writer } from './signature.ts'
import { join, namedStatement, raw, type Sql, sql } from './sql.ts'

/** The properties of a resource that the store needs. */
export interface Table extends Remembered {
  readonly name: string
}

export type Action = 'create' | 'update' | 'remove' | 'restore'

export type { Writer } from './signature.ts'

export interface WrittenTable {
  readonly table: Table
  readonly statement: Sql
  /** Absent for new rows. */
  readonly change?: Change
}

/** Either a new row, or the rows called `before`, which get these values or are set by an update. */
export type Writing =
  | { readonly insert: Readonly<Record<string, unknown>> }
  | { readonly set: Readonly<Record<string, unknown>> }
  | { readonly update: Sql }

export interface WriteOf {
  readonly table: Table
  readonly change?: Change
  readonly writing: Writing
}

/** The pieces of a conditional write. */
export interface LoggedWrite {
  readonly action: Action
  readonly writer: Writer
  readonly conditions: readonly Condition[]
  /** Rows that are locked without a condition. */
  readonly locks?: readonly { readonly name: string; readonly rows: LockedRows }[]
  readonly writes: readonly WriteOf[]
  readonly columns: Sql
}

export const writeRows = namedStatement<LoggedWrite>('write rows')

/** The name of the part that writes the first table. */
export const mainPart = 'written0'

/** The parts that write the rows, and their lines in the change log and in the history. */
export const loggedParts = (action: Action, signature: Signature, writes: readonly WrittenTable[]): Part[] =>
  partsOf(
    action,
    signature,
    writes.map((write) => ({ ...write, statement: sql`${write.statement} returning row.*` })),
  )

/** The same parts, given statements that return the rows they wrote. */
export function partsOf(action: Action, signature: Signature, writes: readonly WrittenTable[]): Part[] {
  const parts = writes.map((written, index) => ({ ...written, name: `written${index}` }))
  const logged = parts.map(
    ({ table, name }) =>
      sql`select ${raw(`'${table.name}', row.id, '${action}'`)}, ${signature.caller} from ${raw(name)} as row${signature.from}`,
  )
  const log = sql`insert into changes (resource, row_id, action, caller) ${join(logged, ' union all ')}
    returning sequence, transaction, at, resource, row_id, action, caller`
  const kept = historyOf(
    parts.map(({ name: now, ...written }) => ({ ...written, now })),
    signature,
  )
  return [...parts, { name: 'logged', statement: log }, { name: 'kept', statement: kept }]
}

/** A table whose rows are kept in the history, and the rule that finds the project of a row. */
interface Remembered {
  readonly table: string
  readonly columns: readonly string[]
  readonly access?: AccessRule
}

export interface Written {
  readonly table: Remembered
  /** The part of the statement that wrote the rows and returns their new state. */
  readonly now: string
  /** The columns that the statement sets, and the part that locked the old rows; absent for new rows. */
  readonly change?: Change | undefined
}

interface Change {
  readonly before: string
  readonly columns: readonly string[]
}

/**
 * Writes the history in the same statement as the change log, so neither can be written without the other.
 * Only declared columns are included: no secret is kept, and no new resource can be forgotten. For a new row
 * its values are kept, for a changed one `[before, after]` of each changed column.
 */
function historyOf(writes: readonly Written[], { origin, from }: Signature): Sql {
  const kept = writes.map(
    ({ table, now, change }) => sql`
      select logged.*, ${fieldsOf(table, change)}, ${origin}
      from logged join ${raw(now)} as row on row.id = logged.row_id${from}
        ${raw(change ? `join ${change.before} as was on was.id = row.id` : '')}`,
  )
  return sql`insert into history (sequence, transaction, at, resource, row_id, action, caller, project_id, fields, session, client, host, request)
    ${join(kept, ' union all ')}`
}

const texts = new WeakMap<Remembered, Map<string, Sql>>()

/** The SQL of project and fields, built once for each table and set of changed columns. */
function fieldsOf(table: Remembered, change: Change | undefined): Sql {
  const ofTable = texts.get(table) ?? new Map<string, Sql>()
  texts.set(table, ofTable)
  const key = change?.columns.join() ?? ''
  const known = ofTable.get(key)
  if (known) return known
  const text = raw(`${projectOf(table)}, ${change ? changedIn(table, change) : valuesOf(table)}`)
  ofTable.set(key, text)
  return text
}

const valuesOf = ({ columns }: Remembered) =>
  `(select to_jsonb(given) from (select ${columns
    .filter((name) => name !== 'id')
    .map((name) => `row.${spelled(name)}`)
    .join(', ')}) as given)`

/** Columns that did not change become null and are stripped. */
const changedIn = (table: Remembered, change: Change) =>
  `jsonb_strip_nulls(jsonb_build_object(${change.columns
    .filter((name) => table.columns.includes(name))
    .map(pairOf)
    .join(', ')}))`

function pairOf(name: string): string {
  const column = spelled(name)
  return `'${column.slice(1, -1)}', case when was.${column} is distinct from row.${column} then jsonb_build_array(was.${column}, row.${column}) end`
}

const spelled = (name: string): string => `"${columnName(name)}"`

/** Catalogs and accounts belong to no project. */
function projectOf({ access }: Remembered): string {
  if (access?.kind !== 'projectMembers') return 'null::uuid'
  const { projectPath } = access
  return projectPath.length === 1
    ? `row.${spelled(projectPath[0])}`
    : '(select project_id from assignments where id = row.assignment_id)'
}
