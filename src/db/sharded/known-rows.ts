import { join, raw, type Sql, sql } from '../sql.ts'

/** Its keys are column names. */
export type StoredRow = Readonly<Record<string, unknown>>

/** Rows that an earlier statement returned, as a named member of the `with` list of a later one. */
export interface KnownRows {
  readonly name: string
  readonly rows: readonly StoredRow[]
  readonly statement: Sql
}

/** Passes rows with some or all columns of a table as one parameter, whatever their number. */
export const knownRows = (name: string, table: string, rows: readonly StoredRow[]): KnownRows => ({
  name,
  rows,
  statement: sql`select * from jsonb_populate_recordset(null::${raw(`"${table}"`)}, ${JSON.stringify(rows)}::jsonb)`,
})

/** The `with` clause at the beginning of a statement that uses them. */
export const withKnown = (known: readonly KnownRows[]): Sql =>
  known.length === 0
    ? raw('')
    : sql`with ${join(
        known.map(({ name, statement }) => sql`${raw(`"${name}"`)} as (${statement})`),
        ', ',
      )}`
