import type { AccessRule } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { columnName } from './columns.ts'
import type { Condition, LockedRows, Part } from './conditional-write.ts'
import { join, namedStatement, raw, type Sql, sql } from './sql.ts'

/** The properties of a resource that the store needs. */
export interface Table extends Remembered {
  readonly name: string
}

export type Action = 'create' | 'update' | 'remove' | 'restore'

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

/** Undefined for writes without a caller, such as those of the seed. */
export type Writer = Pick<Caller, 'id' | 'origin'> | undefined

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
export function loggedParts(action: Action, signature: Signature, writes: readonly WrittenTable[]): Part[] {
  const returning: WrittenTable[] = []
  for (const write of writes) returning.push({ ...write, statement: sql`${write.statement} returning row.*` })
  return partsOf(action, signature, returning)
}

/**
 * The same parts, given statements that return the rows they wrote. One statement writes the history and the change log, so neither can
 * be written without the other. Only declared columns are included: no secret is kept, and no new resource can be forgotten. For a new
 * row its values are kept, for a changed one `[before, after]` of each changed column.
 */
export function partsOf(
  action: Action,
  { caller, origin, from }: Signature,
  writes: readonly WrittenTable[],
): Part[] {
  const parts: Part[] = []
  const logged: Sql[] = []
  const kept: Sql[] = []
  for (const { table, statement, change } of writes) {
    const name = `written${parts.length}`
    const written = raw(name)
    parts.push({ name, statement })
    logged.push(
      sql`select ${raw(`'${table.name}', row.id, '${action}'`)}, ${caller} from ${written} as row${from}`,
    )
    kept.push(sql`
      select logged.*, ${fieldsOf(table, change)}, ${origin}
      from logged join ${written} as row on row.id = logged.row_id${from}
        ${raw(change ? `join ${change.before} as was on was.id = row.id` : '')}`)
  }
  const log = sql`insert into changes (resource, row_id, action, caller) ${join(logged, ' union all ')}
    returning sequence, transaction, at, resource, row_id, action, caller`
  const keep = sql`insert into history (sequence, transaction, at, resource, row_id, action, caller, project_id, fields, session, client, host, request)
    ${join(kept, ' union all ')}`
  return [...parts, { name: 'logged', statement: log }, { name: 'kept', statement: keep }]
}

/** A table whose rows are kept in the history, and the rule that finds the project of a row. */
interface Remembered {
  readonly table: string
  readonly columns: readonly string[]
  readonly access?: AccessRule
}

/** The columns that a statement sets, and the part that locked the rows in their old state. */
interface Change {
  readonly before: string
  readonly columns: readonly string[]
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

/** The author of a row called `row`, as the change log and the history record it. */
export interface Signature {
  readonly caller: Sql
  readonly origin: Sql
  /** The source of these values, in addition to the row. */
  readonly from: Sql
}

/** Signs all rows of a statement with one writer. */
export const signedBy = (writer: Writer): Signature => {
  const { sessionId = null, clientId = null, host = null, requestId = null } = writer?.origin ?? {}
  return {
    caller: sql`${writer?.id ?? null}::uuid`,
    origin: sql`${sessionId}::text, ${clientId}::text, ${host}::text, ${requestId}::text`,
    from: raw(''),
  }
}

/** Signs each row with the writer in the row of `input` with the same id. */
export const signedInInput: Signature = {
  caller: raw('input.":caller"'),
  origin: raw('input.":session", input.":client", input.":host", input.":request"'),
  from: raw(' join input on input.id = row.id'),
}

/** No field has these names. */
export const signatureTypes = {
  ':caller': 'uuid',
  ':session': 'text',
  ':client': 'text',
  ':host': 'text',
  ':request': 'text',
} as const

/** The values of a writer in a row of `input`. */
export const signatureColumns = (
  writer: Writer,
): Readonly<Record<keyof typeof signatureTypes, string | null>> => {
  const { sessionId = null, clientId = null, host = null, requestId = null } = writer?.origin ?? {}
  return {
    ':caller': writer?.id ?? null,
    ':session': sessionId,
    ':client': clientId,
    ':host': host,
    ':request': requestId,
  }
}
