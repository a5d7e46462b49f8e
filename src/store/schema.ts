import type { Database } from './database.ts'
import { newestMigration } from './migrate.ts'
import { sql } from './sql.ts'

/** Throws while the schema is older than this program; a newer one is fine, because migrations only add. */
export async function requireCurrentSchema(database: Database): Promise<void> {
  const [newest] = await database.query<{ name: string | null }>(
    sql`select max(name) as name from migrations`,
  )
  const wanted = await newestMigration()
  if ((newest?.name ?? '') < wanted) throw new Error(`The schema is older than ${wanted}.`)
}
