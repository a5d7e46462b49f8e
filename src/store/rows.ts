import type { Caller } from '../model/caller.ts'
import { duplicate } from '../model/problem.ts'
import type { Queries } from './database.ts'
import { violatedUniqueConstraint } from './failures.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** camelCase names outside, snake_case columns inside. */
export type Values = Readonly<Record<string, unknown>>
export type Row = Values & { readonly id: string }

/** What the store has to know of a resource. */
export interface Table {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
}

export type Action = 'create' | 'update' | 'remove' | 'restore'

/** Whoever writes without a caller, such as the seed. */
type Writer = Pick<Caller, 'id'> | undefined

export const column = (name: string): Sql =>
  raw(`"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`)

export const tableOf = ({ table }: Table): Sql => raw(`"${table}"`)

/** The columns of a row called `row`, under their camelCase names. */
export const shownColumns = ({ columns }: Table): Sql =>
  join(
    columns.map((name) => sql`row.${column(name)} as ${raw(`"${name}"`)}`),
    ', ',
  )

export async function insertRow(
  transaction: Queries,
  table: Table,
  writer: Writer,
  values: Values,
): Promise<Row> {
  const names = Object.keys(values)
  const columns = join(names.map(column), ', ')
  const given = join(
    names.map((name) => sql`${values[name]}`),
    ', ',
  )
  const insert = sql`insert into ${tableOf(table)} (${columns}) values (${given})`
  return first(await write(transaction, table, 'create', writer, insert))
}

export async function updateRow(
  transaction: Queries,
  table: Table,
  writer: Writer,
  id: string,
  values: Values,
): Promise<Row> {
  const changes = [...assignments(values), nextVersion]
  const update = sql`update ${tableOf(table)} set ${join(changes, ', ')} where id = ${id}`
  return first(await write(transaction, table, 'update', writer, update))
}

/** Marks rows removed. Those that went along with a parent keep which one it was. */
export async function removeRows(
  transaction: Queries,
  table: Table,
  writer: Writer,
  which: Sql,
  removedWith?: Sql,
) {
  const mark = removedWith ? sql`, removed_with = ${removedWith}` : raw('')
  const update = sql`update ${tableOf(table)} set active = false, deleted_at = clock_timestamp()${mark} where ${which}`
  return write(transaction, table, 'remove', writer, update)
}

/** Brings rows back as they were; `updatedAt` does not move. */
export async function restoreRows(
  transaction: Queries,
  table: Table,
  writer: Writer,
  which: Sql,
  goesAlong: boolean,
) {
  const mark = goesAlong ? raw(', removed_with = null') : raw('')
  const update = sql`update ${tableOf(table)} set active = true, deleted_at = null${mark} where ${which}`
  return write(transaction, table, 'restore', writer, update)
}

/** A version strictly grows, also when two changes fall into one tick of the clock. */
const nextVersion = raw(
  `updated_at = greatest(clock_timestamp(), coalesce(updated_at, created_at) + interval '1 microsecond')`,
)

const assignments = (values: Values): Sql[] =>
  Object.keys(values).map((name) => sql`${column(name)} = ${values[name]}`)

/** Runs one writing statement and appends a row to the change log for each row it wrote. */
async function write(
  transaction: Queries,
  table: Table,
  action: Action,
  writer: Writer,
  statement: Sql,
): Promise<Row[]> {
  try {
    return await transaction.query<Row>(sql`
      with written as (${statement} returning *),
      logged as (
        insert into changes (resource, row_id, action, caller)
        select ${raw(`'${table.name}', id, '${action}'`)}, ${writer?.id ?? null}::uuid from written
      )
      select ${shownColumns(table)} from written as row`)
  } catch (error) {
    throw duplicateProblem(error, table) ?? error
  }
}

/** A racing duplicate and one found before answer alike. */
function duplicateProblem(error: unknown, { table }: Table) {
  const constraint = violatedUniqueConstraint(error)
  if (constraint === `${table}_pkey`) return duplicate('id', 'Id is already taken.')
  if (constraint === 'users_login_active')
    return duplicate('login', 'Login is already used by an active account.')
  return undefined
}

function first(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('A row that was locked or inserted is gone.')
  return row
}
