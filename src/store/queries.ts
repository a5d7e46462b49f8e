import type { Sql } from './sql.ts'

export interface Queries {
  query<Row>(statement: Sql): Promise<Row[]>
}
