import { type Sql, sql } from '../../../db/sql.ts'

/** The host's own clock as a parameter, so that tests can move it. */
export const timestamp = (milliseconds: number): Sql =>
  sql`${new Date(milliseconds).toISOString()}::timestamptz`

/** A stored timestamp as epoch milliseconds. */
export const millisecondsOf = (column: Sql): Sql => sql`(extract(epoch from ${column}) * 1000)::float8`
