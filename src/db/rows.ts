import { column, columnName, selectColumns, tableOf, toMilliseconds } from './columns.ts'
import {
  type Condition,
  type LockedRows,
  listOf,
  lockedRows,
  permitted,
  rejectBy,
  type Verdict,
  verdictOf,
} from './conditional-write.ts'
import { duplicateProblem } from './failures.ts'
import {
  type Action,
  loggedParts,
  mainPart,
  signedBy,
  type Table,
  type WriteOf,
  type Writer,
  type WrittenTable,
  writeRows,
} from './logged-write.ts'
import { join, type Queries, raw, type Sql, sql } from './sql.ts'

export type { Action, Table, Writer } from './logged-write.ts'

/** Has camelCase keys, while columns are in snake_case. */
export type Values = Readonly<Record<string, unknown>>
export type Row = Values & { readonly id: string }

/** A row that is inserted together with another one, such as its first link. */
export interface AlsoInserted {
  readonly table: Table
  readonly values: Values
}

interface InsertOptions {
  readonly conditions?: readonly Condition[]
  readonly also?: readonly AlsoInserted[]
}

export async function insertRow(
  queries: Queries,
  table: Table,
  writer: Writer,
  values: Values,
  { conditions = [], also = [] }: InsertOptions = {},
): Promise<Row> {
  const isConditional = conditions.length > 0
  const writes = [insertion({ table, values }, isConditional)]
  for (const row of also) writes.push(insertion(row, isConditional))
  return first(await write(queries, 'create', writer, writes, { conditions }))
}

export const columnsOf = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [columnName(name), value]))

function insertion({ table, values }: AlsoInserted, isConditional: boolean): WrittenTable & WriteOf {
  const columns = join(Object.keys(values).map(column), ', ')
  const given = join(Object.values(values), ', ')
  const rows = isConditional ? sql`select ${given} from verdict where ${permitted}` : sql`values (${given})`
  const statement = sql`insert into ${tableOf(table)} as row (${columns}) ${rows}`
  return { table, statement, writing: { insert: values } }
}

export async function updateRow(
  queries: Queries,
  table: Table,
  writer: Writer,
  id: string,
  values: Values,
  conditions: readonly Condition[] = [],
): Promise<Row> {
  const update = updating(table, values)
  const set = [...Object.keys(values), 'updatedAt']
  if (conditions.length === 0)
    return first(await rewrite(queries, 'update', writer, { table, update, set, which: sql`row.id = ${id}` }))
  const statement = sql`${update} from verdict where row.id = ${id} and ${permitted}`
  const written = { table, statement, writing: { set: values }, change: { before: 'before', columns: set } }
  return first(await write(queries, 'update', writer, [written], { conditions }))
}

/** The update without its condition. */
export const updating = (table: Table, values: Values): Sql =>
  sql`update ${tableOf(table)} as row set ${join([...assignments(values), nextVersion], ', ')}`

/** Marks rows as removed. Rows removed along with a parent record that parent. */
export async function removeRows(
  transaction: Queries,
  table: Table,
  writer: Writer,
  which: Sql,
  removedWith?: Sql,
) {
  const mark = removedWith ? sql`, removed_with = row.${removedWith}` : raw('')
  const update = sql`update ${tableOf(table)} as row set active = false, deleted_at = ${now}${mark}`
  return rewrite(transaction, 'remove', writer, { table, update, set: presence, which })
}

/** Restores rows as they were; `updatedAt` does not change. */
export async function restoreRows(
  transaction: Queries,
  table: Table,
  writer: Writer,
  which: Sql,
  isRemovedWithParent: boolean,
) {
  const mark = isRemovedWithParent ? raw(', removed_with = null') : raw('')
  const update = sql`update ${tableOf(table)} as row set active = true, deleted_at = null${mark}`
  return rewrite(transaction, 'restore', writer, { table, update, set: presence, which })
}

/** The columns set by removing and restoring. */
const presence = ['active', 'deletedAt'] as const

/** One timestamp for all rows of a statement. */
const now = toMilliseconds(raw('statement_timestamp()'))

/**
 * Every change of a row is at least a millisecond later than the previous one, even when several fall into
 * one tick of the clock or the clock was set back. The lock on the row guarantees this: the second of two
 * changes sees the result of the first.
 */
export const nextVersion = sql`updated_at = greatest(${now},
  ${toMilliseconds(raw('coalesce(row.updated_at, row.created_at)'))} + interval '1 millisecond')`

/** Whether the locked row `before` has changed since this version, which may have more digits. */
export const isOtherVersion = (version: unknown): Sql =>
  sql`${toMilliseconds(raw('coalesce(before.updated_at, before.created_at)'))} <> ${toMilliseconds(sql`${version}::timestamptz`)}`

const assignments = (values: Values): Sql[] =>
  Object.keys(values).map((name) => sql`${column(name)} = ${values[name]}`)

interface Rewriting {
  readonly table: Table
  /** The update without its condition. */
  readonly update: Sql
  readonly set: readonly string[]
  readonly which: Sql
}

/**
 * Locks the rows under the name `before`, in the order of their ids, and changes them: the history needs
 * their previous values.
 */
function rewrite(
  queries: Queries,
  action: Action,
  writer: Writer,
  { table, update, set, which }: Rewriting,
): Promise<Row[]> {
  const rows = lockedRows({
    table: table.table,
    columns: raw('row.*'),
    where: which,
    strength: 'no key update',
  })
  const statement = sql`${update} from before where row.id = before.id`
  const written = { table, statement, writing: { update }, change: { before: 'before', columns: set } }
  return write(queries, action, writer, [written], { locks: [{ name: 'before', rows }] })
}

interface WriteOptions {
  readonly conditions?: readonly Condition[]
  readonly locks?: readonly { readonly name: string; readonly rows: LockedRows }[]
}

/**
 * Writes the rows of one or more tables in one statement, with a row in the change log and in the history for
 * each, and returns those of the first table. The statement first locks rows, in the order of the conditions,
 * and writes only if no condition rejects it. Under READ COMMITTED a row whose lock had to be waited for is read
 * again after the wait, so a condition on a locked row sees its newest version; everything else is as it was
 * when the statement began.
 */
async function write(
  queries: Queries,
  action: Action,
  writer: Writer,
  writes: readonly (WrittenTable & WriteOf)[],
  { conditions = [], locks = [] }: WriteOptions = {},
): Promise<Row[]> {
  const [main] = writes
  if (!main) return []
  const columns = selectColumns(main.table)
  const written = raw(mainPart)
  const parts = loggedParts(action, signedBy(writer), writes)
  const locked = locks.map(({ name, rows }) => ({ name, statement: rows }))
  const statement =
    conditions.length === 0
      ? sql`with ${listOf([...locked, ...parts])} select ${columns} from ${written} as row`
      : sql`with ${listOf([...verdictOf(conditions, 'one'), ...locked, ...parts])}
          select verdict.refused, ${columns} from verdict left join ${written} as row on true`
  try {
    const pieces = { action, writer, conditions, locks, writes, columns }
    const rows = await queries.query<Row & Verdict>(writeRows.of(pieces, statement))
    rejectBy(conditions, rows[0])
    return rows
  } catch (error) {
    throw duplicateProblem(error, main.table) ?? error
  }
}

function first(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('A row that was locked or inserted is missing.')
  return row
}
