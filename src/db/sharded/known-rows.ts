import { join, raw, type Sql, sql } from '../sql.ts'

/** A row as stored, with the names of columns as keys. */
export type StoredRow = Readonly<Record<string, unknown>>

/** Rows that an earlier statement returned, as a CTE of a later one. */
export interface KnownRows {
  readonly name: string
  readonly rows: readonly StoredRow[]
  readonly statement: Sql
}

/** Passes any number of rows, with some or all columns of a table, as one parameter. */
export const knownRows = (name: string, table: string, rows: readonly StoredRow[]): KnownRows => ({
  name,
  rows,
  statement: sql`select * from jsonb_populate_recordset(null::${raw(`"${table}"`)}, ${JSON.stringify(rows)}::jsonb)`,
})

/** Returns the `with` clause for a statement that uses these rows. */
export const withKnown = (known: readonly KnownRows[]): Sql =>
  known.length === 0
    ? raw('')
    : sql`with ${join(
        known.map(({ name, statement }) => sql`${raw(`"${name}"`)} as (${statement})`),
        ', ',
      )}`
