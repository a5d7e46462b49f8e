import { randomBytes } from 'node:crypto'
import { column, columnName, selectColumns, tableOf, truncateToMilliseconds } from './columns.ts'
import {
  beforeCte,
  type Condition,
  joinCtes,
  type LockedRows,
  noRejectionSql,
  selectForLock,
  throwIfRejected,
  type Verdict,
  verdictCtes,
} from './conditional-write.ts'
import { duplicateProblem } from './failures.ts'
import {
  type Action,
  changedColumns,
  flagSetters,
  loggedWriteCtes,
  mainCte,
  type Table,
  type TableStatement,
  type TableWrite,
  type Writer,
  writeRows,
  writerSql,
} from './logged-write.ts'
import { join, type Queries, raw, type Sql, sql } from './sql.ts'

export type { Action, Table, Writer } from './logged-write.ts'

/** Maps camelCase names to values. Column names are in snake_case. */
export type Values = Readonly<Record<string, unknown>>
export type Row = Values & { readonly id: string }

/** A row that is inserted in the same statement as another row, such as the membership of a project's creator. */
export interface RelatedRow {
  readonly table: Table
  readonly values: Values
}

interface InsertOptions {
  readonly conditions?: readonly Condition[]
  readonly relatedRows?: readonly RelatedRow[]
}

export async function insertRow(
  queries: Queries,
  table: Table,
  writer: Writer,
  values: Values,
  { conditions = [], relatedRows = [] }: InsertOptions = {},
): Promise<Row> {
  const isConditional = conditions.length > 0
  const writes = [insertStatement({ table, values }, isConditional)]
  for (const row of relatedRows) writes.push(insertStatement(row, isConditional))
  return requireFirst(await write(queries, 'create', writer, writes, { conditions }))
}

export const toColumnNames = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [columnName(name), value]))

function insertStatement({ table, values }: RelatedRow, isConditional: boolean): TableStatement & TableWrite {
  const columns = join(Object.keys(values).map(column), ', ')
  const valueList = join(Object.values(values), ', ')
  const rows = isConditional
    ? sql`select ${valueList} from verdict where ${noRejectionSql}`
    : sql`values (${valueList})`
  const statement = sql`insert into ${tableOf(table)} as row (${columns}) ${rows} returning row.*`
  return { table, statement, content: { insert: values } }
}

export async function updateRow(
  queries: Queries,
  table: Table,
  writer: Writer,
  id: string,
  values: Values,
  conditions: readonly Condition[] = [],
): Promise<Row> {
  if (conditions.length === 0)
    return requireFirst(await updateRows(queries, table, writer, values, sql`row.id = ${id}`))
  const update = {
    table,
    statement: sql`${updateStatement(table, values)} from verdict where row.id = ${id} and ${noRejectionSql} returning row.*`,
    content: { set: values },
    change: { before: beforeCte, columns: changedColumns(table, Object.keys(values)) },
  }
  return requireFirst(await write(queries, 'update', writer, [update], { conditions }))
}

/** Sets the same values in all rows that meet the condition. */
export function updateRows(
  queries: Queries,
  table: Table,
  writer: Writer,
  values: Values,
  where: Sql,
): Promise<Row[]> {
  const set = changedColumns(table, Object.keys(values))
  return rewrite(queries, 'update', writer, { table, update: updateStatement(table, values), set, where })
}

/** Returns the update without its `where`. */
export const updateStatement = (table: Table, values: Values): Sql =>
  sql`update ${tableOf(table)} as row set ${join([...setters(table, values), nextVersion], ', ')}`

/** Marks rows as removed. Rows that are removed by a cascade store the id of the parent in `removed_with`. */
export async function removeRows(
  transaction: Queries,
  table: Table,
  writer: Writer,
  where: Sql,
  removedWith?: Sql,
) {
  const mark = removedWith ? sql`, removed_with = row.${removedWith}` : raw('')
  const update = sql`update ${tableOf(table)} as row set active = false, deleted_at = ${now}${mark}`
  return rewrite(transaction, 'remove', writer, { table, update, set: removalColumns, where })
}

/** Restores rows in their state before the removal. `updatedAt` does not change. */
export async function restoreRows(
  transaction: Queries,
  table: Table,
  writer: Writer,
  where: Sql,
  { hasCascadeParent }: { readonly hasCascadeParent: boolean },
) {
  const mark = hasCascadeParent ? raw(', removed_with = null') : raw('')
  const update = sql`update ${tableOf(table)} as row set active = true, deleted_at = null${mark}`
  return rewrite(transaction, 'restore', writer, { table, update, set: removalColumns, where })
}

/** The columns set by removing and restoring. */
const removalColumns = ['active', 'deletedAt'] as const

/** One timestamp for all rows of a statement. */
const now = truncateToMilliseconds(raw('statement_timestamp()'))

/**
 * Makes every version of a row at least a millisecond later than the previous version, even if the clock was
 * set back. The lock on the row ensures that a change sees the previous version.
 */
export const nextVersion = sql`updated_at = greatest(${now},
  ${truncateToMilliseconds(raw('coalesce(row.updated_at, row.created_at)'))} + interval '1 millisecond')`

/**
 * SQL: true if the locked row `before` has another version. Versions are compared in milliseconds, because
 * `version` may have more decimals.
 */
export const isOtherVersion = (version: unknown): Sql =>
  sql`${truncateToMilliseconds(raw('coalesce(before.updated_at, before.created_at)'))} <> ${truncateToMilliseconds(sql`${version}::timestamptz`)}`

/** Returns the assignments of an UPDATE. */
function setters(table: Table, values: Values): Sql[] {
  const names = Object.keys(values)
  return [
    ...names.map((name) => sql`${column(name)} = ${values[name]}`),
    ...flagSetters(table, names, (name) => values[name]),
  ]
}

interface RewriteOptions {
  readonly table: Table
  /** The update without its condition. */
  readonly update: Sql
  readonly set: readonly string[]
  readonly where: Sql
}

/**
 * Locks the rows in the order of their ids, under the name `before`, and changes them. The history needs
 * their previous values.
 */
function rewrite(
  queries: Queries,
  action: Action,
  writer: Writer,
  { table, update, set, where }: RewriteOptions,
): Promise<Row[]> {
  const rows = selectForLock({
    table: table.table,
    columns: raw('row.*'),
    where,
    strength: 'no key update',
  })
  const statement = sql`${update} from before where row.id = before.id returning row.*`
  const written = { table, statement, content: { update }, change: { before: beforeCte, columns: set } }
  return write(queries, action, writer, [written], { locks: [{ name: beforeCte, rows }] })
}

interface WriteOptions {
  readonly conditions?: readonly Condition[]
  readonly locks?: readonly { readonly name: string; readonly rows: LockedRows }[]
}

/**
 * Writes the rows of one or more tables in one statement, together with the change log and the history, and
 * returns the rows of the first table. The statement locks rows in the order of the conditions, and writes
 * only if all conditions are met. Conditions on locked rows see the newest version. Other rows are seen as
 * they were when the statement began.
 */
async function write(
  queries: Queries,
  action: Action,
  writer: Writer,
  writes: readonly (TableStatement & TableWrite)[],
  { conditions = [], locks = [] }: WriteOptions = {},
): Promise<Row[]> {
  const [main] = writes
  if (!main) return []
  const columns = selectColumns(main.table)
  const written = raw(mainCte)
  const ctes = loggedWriteCtes(action, writerSql(writer), writes)
  const lockCtes = locks.map(({ name, rows }) => ({ name, statement: rows }))
  const statement =
    conditions.length === 0
      ? sql`with ${joinCtes([...lockCtes, ...ctes])} select ${columns} from ${written} as row`
      : sql`with ${joinCtes([...verdictCtes(conditions, 'single'), ...lockCtes, ...ctes])}
          select verdict.rejections, ${columns} from verdict left join ${written} as row on true`
  try {
    const stepInput = { action, writer, conditions, locks, writes, columns }
    const rows = await queries.query<Row & Verdict>(writeRows.attach(stepInput, statement))
    throwIfRejected(conditions, rows[0])
    return rows
  } catch (error) {
    throw duplicateProblem(error, main.table) ?? error
  }
}

function requireFirst(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('A row that was locked or inserted is missing.')
  return row
}

/** UUIDv7 (RFC 9562, method 3): milliseconds, fractions of 1/4096 ms, random bits. Sorts by creation. */
export function newId(): string {
  const milliseconds = performance.timeOrigin + performance.now()
  const whole = Math.floor(milliseconds)
  const bytes = randomBytes(16)
  bytes.writeUIntBE(whole, 0, 6)
  bytes.writeUInt16BE(0x7000 | Math.floor((milliseconds - whole) * 4096), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
