import type { Database } from '../../src/db/database.ts'
import { connectDirectly } from './direct-connection.ts'

/**
 * Makes every statement that reads the impediments wait, as if it had a great deal to read, until `letGo`.
 * Nothing else waits, and no processor is kept busy.
 */
export async function slowDownImpediments(database: Database) {
  const direct = await connectDirectly(database)
  await direct.query('begin; lock table impediments in access exclusive mode')
  return {
    async letGo() {
      await direct.query('commit')
      await direct.end()
    },
  }
}
