import type { Queries } from './database.ts'
import { placeColumnOf } from './sharded/placement.ts'
import { atPlaces, lockPlaces, type Place, type Strength } from './sharded/places.ts'
import { eitherWay, join, raw, type Sql, sql } from './sql.ts'

/** Rows called `row` that are locked until the transaction ends, in the order of their ids. */
export interface Locking {
  readonly table: string
  readonly columns: Sql
  readonly where: Sql
  /** `update` keeps references away, `no key update` lets them pass, `key share` is what a reference takes. */
  readonly strength: Strength
  /** `where` may name the row of `input` that has the same id. */
  readonly isOfInput?: boolean
  /** Rows that somebody else has locked are left out. */
  readonly waitsForNobody?: true
}

export type LockedRows = Sql & { readonly locking: Locking }

export function lockedRows(locking: Locking): LockedRows {
  const { table, columns, where, strength, isOfInput, waitsForNobody } = locking
  const input = raw(isOfInput ? ' join input on input.id = row.id' : '')
  const lock = raw(`for ${strength} of row${waitsForNobody ? ' skip locked' : ''}`)
  const statement = sql`select ${columns} from ${raw(`"${table}"`)} as row${input} where ${where} order by row.id ${lock}`
  return { ...eitherWay(statement, (queries) => lockInTurn(queries, locking, [])), locking }
}

/**
 * Where rows are spread over nodes: they are found first, their places are locked, and they are read again, because they
 * may have changed while the lock was waited for. One that moved meanwhile is read where it lies now.
 */
export async function lockInTurn(
  queries: Queries,
  { table, columns, where, strength }: Locking,
  known: readonly KnownRows[],
): Promise<Readonly<Record<string, unknown>>[]> {
  const place = raw(placeColumnOf(table) ? ', row.assignment_id' : '')
  const from = sql`from ${raw(`"${table}"`)} as row where ${where}`
  const found = await queries.query<Place>(sql`${withKnown(known)} select row.id${place} ${from}`)
  if (found.length === 0) return []
  const locked = await lockPlaces(
    queries,
    table,
    found.map(({ id }) => id),
    strength,
  )
  if (locked.length === 0) return []
  return queries.query(
    sql`${withKnown(known)} select ${columns} ${from} and ${atPlaces(table, locked)} order by row.id`,
  )
}

/** Its keys are columns. */
export type StoredRow = Readonly<Record<string, unknown>>

/** Rows that an earlier statement returned, as a named member of the `with` list of a later one. */
export interface KnownRows {
  readonly name: string
  readonly rows: readonly StoredRow[]
  readonly statement: Sql
}

/** With the columns of a table, all or some; one parameter, whatever the number of rows. */
export const knownRows = (name: string, table: string, rows: readonly StoredRow[]): KnownRows => ({
  name,
  rows,
  statement: sql`select * from jsonb_populate_recordset(null::${raw(`"${table}"`)}, ${JSON.stringify(rows)}::jsonb)`,
})

/** The `with` clause that a statement using them begins with. */
export const withKnown = (known: readonly KnownRows[]): Sql =>
  known.length === 0
    ? raw('')
    : sql`with ${join(
        known.map(({ name, statement }) => sql`${raw(`"${name}"`)} as (${statement})`),
        ', ',
      )}`
