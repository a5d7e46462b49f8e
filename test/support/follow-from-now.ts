import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { followChanges } from '../../src/features/notifications/follow.ts'
import { until } from './until.ts'

/** Sets the first position, so that only later changes cause notifications. */
export const followFromNow = (database: Database): Promise<void> =>
  until(async () => {
    await followChanges(database)
    return (await database.query(sql`select 1 from notification_progress`)).length > 0
  }, 'the first position')
