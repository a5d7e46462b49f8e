import type { Database } from '../../src/db/database.ts'
import { connectDirectly } from './direct-connection.ts'

/**
 * Makes every statement that reads impediments wait until `release` is called, as if there were many rows.
 * Other statements do not wait, and waiting costs no CPU time.
 */
export async function slowDownImpediments(database: Database) {
  const direct = await connectDirectly(database)
  await direct.query('begin; lock table impediments in access exclusive mode')
  return {
    async release() {
      await direct.query('commit')
      await direct.end()
    },
  }
}
