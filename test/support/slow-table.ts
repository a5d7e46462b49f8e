import type { Database } from '../../src/db/database.ts'
import { connectOutside } from './outside-connection.ts'

/**
 * Makes every statement that reads the impediments wait, as if it had a great deal to read, until `letGo`. Nothing else
 * waits, and no processor is kept busy.
 */
export async function slowDownImpediments(database: Database) {
  const outside = await connectOutside(database)
  await outside.query('begin; lock table impediments in access exclusive mode')
  return {
    async letGo() {
      await outside.query('commit')
      await outside.end()
    },
  }
}
