import type { AccessRule } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { column, columnName } from './columns.ts'
import type { Condition, Cte, LockedRows } from './conditional-write.ts'
import type { UniqueKey } from './failures.ts'
import { join, raw, type Sql, sql, stepwiseStatement } from './sql.ts'

/** The properties of a resource that the database needs. */
export interface Table extends HistoryTable {
  readonly name: string
  readonly unique?: UniqueKey
  readonly counter?: Counter
  readonly placeholders?: Placeholders
}

/**
 * Maps a flag to the columns whose values are placeholders while the flag is true. An update of one of these
 * columns clears the flag, unless the update sets the flag itself.
 */
export type Placeholders<Columns extends string = string> = Readonly<
  Partial<Record<Columns, readonly Columns[]>>
>

/**
 * Numbers the rows of each parent. When a row is created or moves to another parent, a trigger locks a row of
 * `table` and assigns the next number.
 */
export interface Counter {
  /** The table with the last number of each parent. */
  readonly table: string
  /** The column that refers to the parent. */
  readonly per: string
  /** The columns that the triggers set. */
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

/** Returns each flag that an update of `set` may clear, with the columns whose changes clear the flag. */
const flagsToClear = (placeholders: Placeholders | undefined, set: readonly string[]) =>
  Object.entries(placeholders ?? {}).flatMap(([flag, flaggedColumns = []]) => {
    const columns = flaggedColumns.filter((name) => set.includes(name))
    return columns.length === 0 || set.includes(flag) ? [] : [{ flag, columns }]
  })

/**
 * Returns the assignments of an UPDATE statement that clear flags. They compare values of the current row, so
 * concurrent changes are included. `newValueOf` returns the new value of a column.
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
  /** Returns the written rows, with all columns. */
  readonly statement: Sql
  /** Absent for new rows. */
  readonly change?: ChangedColumns
}

/**
 * `insert` is a new row. `set` has new values for the rows in the CTE `change.before`. `update` is a complete
 * UPDATE statement for these rows.
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

/** The caller that writes. Undefined if there is none, for example when the store is seeded. */
export type Writer = Pick<Caller, 'id' | 'origin'> | undefined

/** A sharded store performs the write in steps that are built from this input. */
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

/**
 * Returns the CTEs that write the rows, the change log and the history. One statement writes all of them, so none
 * can be missing. The history contains only declared columns and therefore no secrets. It has the values of a new
 * row, and `[before, after]` of each changed column.
 */
export function loggedWriteCtes(
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

/** A table that the history records. The access rule leads from a row to its project. */
interface HistoryTable {
  readonly table: string
  readonly columns: readonly string[]
  /** The columns to record, if they differ from `columns`. */
  readonly historyColumns?: readonly string[]
  readonly access?: AccessRule
}

/** The columns that a statement sets, and the CTE with the rows before the change. */
interface ChangedColumns {
  readonly before: string
  readonly columns: readonly string[]
}

const fieldsSql = new WeakMap<HistoryTable, Map<string, Sql>>()

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

/** Unchanged columns become null and are stripped. */
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

/** The SQL of the writer of a row called `row`. */
export interface WriterSql {
  readonly caller: Sql
  readonly origin: Sql
  /** The source of the values, in addition to the row. */
  readonly from: Sql
}

export const writerSql = (writer: Writer): WriterSql => {
  const { sessionId = null, clientId = null, host = null, requestId = null } = writer?.origin ?? {}
  return {
    caller: sql`${writer?.id ?? null}::uuid`,
    origin: sql`${sessionId}::text, ${clientId}::text, ${host}::text, ${requestId}::text`,
    from: raw(''),
  }
}

/** The SQL of a different writer for each row. `input` has the writers. */
export const inputWriterSql: WriterSql = {
  caller: raw('input.":caller"'),
  origin: raw('input.":session", input.":client", input.":host", input.":request"'),
  from: raw(' join input on input.id = row.id'),
}

/** The columns of the writer in `input`. The colons distinguish them from fields. */
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
