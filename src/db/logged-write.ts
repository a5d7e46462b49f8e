import type { AccessRule } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { column, columnName } from './columns.ts'
import type { Condition, Cte, LockedRows } from './conditional-write.ts'
import type { UniqueKey } from './failures.ts'
import { join, raw, type Sql, sql, stepwiseStatement } from './sql.ts'

/** The properties of a resource that the store needs. */
export interface Table extends HistoryTable {
  readonly name: string
  readonly unique?: UniqueKey
  readonly counter?: Counter
  readonly placeholders?: Placeholders
}

/**
 * Maps a flag to the columns whose values are placeholders while it is true. An update that changes one of
 * these columns sets the flag to false, unless it names the flag.
 */
export type Placeholders<Columns extends string = string> = Readonly<
  Partial<Record<Columns, readonly Columns[]>>
>

/**
 * Numbers rows within their parent. When a row is created or moves to another parent, a trigger locks the row
 * of the parent in `table` and assigns the next number.
 */
export interface Counter {
  /** The table that stores the last number assigned within each parent. */
  readonly table: string
  /** The column of the numbered row that has the id of the parent. */
  readonly per: string
  /** The columns that the triggers set: the number, and the columns derived from it. */
  readonly generates: readonly string[]
}

/** Returns the columns that an update changes, including cleared flags and columns that triggers set. */
export const changedColumns = (
  { counter, placeholders }: Table,
  set: readonly string[],
): readonly string[] => [
  ...set,
  ...flagsToClear(placeholders, set).map(({ flag }) => flag),
  ...(counter && set.includes(counter.per) ? counter.generates : []),
  'updatedAt',
]

/** Returns each flag that an update of `set` may clear, with the columns whose changes clear it. */
const flagsToClear = (placeholders: Placeholders | undefined, set: readonly string[]) =>
  Object.entries(placeholders ?? {}).flatMap(([flag, flaggedColumns = []]) => {
    const columns = flaggedColumns.filter((name) => set.includes(name))
    return columns.length === 0 || set.includes(flag) ? [] : [{ flag, columns }]
  })

/**
 * Returns the assignments of an UPDATE that clear the flags of `flagsToClear`. The comparison is part of the
 * UPDATE, so it uses the current `row`, including concurrent changes. `newValueOf` returns the new value of a
 * column.
 */
export const flagSetters = (
  table: Table,
  set: readonly string[],
  newValueOf: (name: string) => unknown,
): Sql[] =>
  flagsToClear(table.placeholders, set).map(({ flag, columns }) => {
    const unchanged = columns.map((name) => sql`row.${column(name)} = ${newValueOf(name)}`)
    return sql`${column(flag)} = row.${column(flag)} and ${join(unchanged, ' and ')}`
  })

export type Action = 'create' | 'update' | 'remove' | 'restore'

export interface TableStatement {
  readonly table: Table
  readonly statement: Sql
  /** Absent for new rows. */
  readonly change?: ChangedColumns
}

/**
 * `insert` is a new row, `set` has new values for the rows in the CTE `change.before`, and `update` is a
 * complete UPDATE statement for those rows.
 */
export type WriteContent =
  | { readonly insert: Readonly<Record<string, unknown>> }
  | { readonly set: Readonly<Record<string, unknown>> }
  | { readonly update: Sql }

export interface TableWrite {
  readonly table: Table
  readonly change?: ChangedColumns
  readonly content: WriteContent
}

/** The caller that writes. Undefined for writes without a caller, such as seeding. */
export type Writer = Pick<Caller, 'id' | 'origin'> | undefined

/** The input with which a sharded store performs a conditional write. */
export interface LoggedWrite {
  readonly action: Action
  readonly writer: Writer
  readonly conditions: readonly Condition[]
  /** Rows that are locked without a condition. */
  readonly locks?: readonly { readonly name: string; readonly rows: LockedRows }[]
  readonly writes: readonly TableWrite[]
  readonly columns: Sql
}

export const writeRows = stepwiseStatement<LoggedWrite>('write rows')

/** The name of the CTE that writes the first table. */
export const mainCte = 'written0'

/** Returns the CTEs that write the rows, the change log and the history. */
export function loggedWriteCtes(action: Action, writer: WriterSql, writes: readonly TableStatement[]): Cte[] {
  const returning: TableStatement[] = []
  for (const write of writes) returning.push({ ...write, statement: sql`${write.statement} returning row.*` })
  return writeAndLogCtes(action, writer, returning)
}

/**
 * Returns the same CTEs as `loggedWriteCtes`, for statements that return the rows they wrote. One statement
 * writes rows, change log and history, so none of them can be missing. The history only has declared columns,
 * which excludes secrets. It has the values of a new row, and `[before, after]` of each column that changed.
 */
export function writeAndLogCtes(
  action: Action,
  { caller, origin, from }: WriterSql,
  writes: readonly TableStatement[],
): Cte[] {
  const ctes: Cte[] = []
  const logRows: Sql[] = []
  const historyRows: Sql[] = []
  for (const { table, statement, change } of writes) {
    const name = `written${ctes.length}`
    const written = raw(name)
    ctes.push({ name, statement })
    logRows.push(
      sql`select ${raw(`'${table.name}', row.id, '${action}'`)}, ${caller} from ${written} as row${from}`,
    )
    historyRows.push(sql`
      select logged.*, ${projectAndFields(table, change)}, ${origin}
      from logged join ${written} as row on row.id = logged.row_id${from}
        ${raw(change ? `join ${change.before} as was on was.id = row.id` : '')}`)
  }
  const insertChanges = sql`insert into changes (resource, row_id, action, caller) ${join(logRows, ' union all ')}
    returning sequence, transaction, at, resource, row_id, action, caller`
  const insertHistory = sql`insert into history (sequence, transaction, at, resource, row_id, action, caller, project_id, fields, session, client, host, request)
    ${join(historyRows, ' union all ')}`
  return [...ctes, { name: 'logged', statement: insertChanges }, { name: 'kept', statement: insertHistory }]
}

/** A table that the history records, and the access rule, which leads from a row to its project. */
interface HistoryTable {
  readonly table: string
  readonly columns: readonly string[]
  /** The columns to record, if they differ from `columns`. */
  readonly historyColumns?: readonly string[]
  readonly access?: AccessRule
}

/** The columns that a statement sets, and the name of the CTE that has the rows before the change. */
interface ChangedColumns {
  readonly before: string
  readonly columns: readonly string[]
}

const fieldsSql = new WeakMap<HistoryTable, Map<string, Sql>>()

/** Returns the SQL of `project_id` and `fields`. It is built once per table and set of changed columns. */
function projectAndFields(table: HistoryTable, change: ChangedColumns | undefined): Sql {
  const cache = fieldsSql.get(table) ?? new Map<string, Sql>()
  fieldsSql.set(table, cache)
  const key = change?.columns.join() ?? ''
  const cached = cache.get(key)
  if (cached) return cached
  const text = raw(`${projectOf(table)}, ${change ? changedFields(table, change) : newFields(table)}`)
  cache.set(key, text)
  return text
}

const newFields = ({ columns, historyColumns = columns }: HistoryTable) =>
  `(select to_jsonb(given) from (select ${historyColumns
    .filter((name) => name !== 'id')
    .map((name) => `row.${quotedColumn(name)}`)
    .join(', ')}) as given)`

/** Columns that did not change become null and are stripped. */
const changedFields = ({ columns, historyColumns = columns }: HistoryTable, change: ChangedColumns) =>
  `jsonb_strip_nulls(jsonb_build_object(${change.columns
    .filter((name) => historyColumns.includes(name))
    .map(beforeAndAfter)
    .join(', ')}))`

function beforeAndAfter(name: string): string {
  const quoted = quotedColumn(name)
  return `'${columnName(name)}', case when was.${quoted} is distinct from row.${quoted} then jsonb_build_array(was.${quoted}, row.${quoted}) end`
}

const quotedColumn = (name: string): string => `"${columnName(name)}"`

/** Catalogs and accounts belong to no project. */
function projectOf({ access }: HistoryTable): string {
  if (access?.kind !== 'projectMembers') return 'null::uuid'
  const { projectPath } = access
  return projectPath.length === 1
    ? `row.${quotedColumn(projectPath[0])}`
    : '(select project_id from assignments where id = row.assignment_id)'
}

/** SQL of the writer of a row called `row`, as the change log and the history record it. */
export interface WriterSql {
  readonly caller: Sql
  readonly origin: Sql
  /** The source of these values, in addition to the row. */
  readonly from: Sql
}

/** Records one writer for all rows of a statement. */
export const writerSql = (writer: Writer): WriterSql => {
  const { sessionId = null, clientId = null, host = null, requestId = null } = writer?.origin ?? {}
  return {
    caller: sql`${writer?.id ?? null}::uuid`,
    origin: sql`${sessionId}::text, ${clientId}::text, ${host}::text, ${requestId}::text`,
    from: raw(''),
  }
}

/** Records a separate writer for each row: the writer in the row of `input` with the same id. */
export const inputWriterSql: WriterSql = {
  caller: raw('input.":caller"'),
  origin: raw('input.":session", input.":client", input.":host", input.":request"'),
  from: raw(' join input on input.id = row.id'),
}

/** The columns of `input` for the writer. The colons distinguish their names from names of fields. */
export const writerColumnTypes = {
  ':caller': 'uuid',
  ':session': 'text',
  ':client': 'text',
  ':host': 'text',
  ':request': 'text',
} as const

/** The values of a writer in a row of `input`. */
export const writerColumns = (
  writer: Writer,
): Readonly<Record<keyof typeof writerColumnTypes, string | null>> => {
  const { sessionId = null, clientId = null, host = null, requestId = null } = writer?.origin ?? {}
  return {
    ':caller': writer?.id ?? null,
    ':session': sessionId,
    ':client': clientId,
    ':host': host,
    ':request': requestId,
  }
}
