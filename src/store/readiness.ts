import type { Database } from './database.ts'
import { requireCurrentSchema } from './schema.ts'
import { sql } from './sql.ts'

/** What every host on the store must have before it can work, for `/readyz`. */
export const storeReadiness = (database: Database) => [
  { name: 'database', check: () => database.query(sql`select 1`) },
  { name: 'schema', check: () => requireCurrentSchema(database) },
]
