import { purgeLinks } from '../accounts/links.ts'
import { purgeLockouts } from '../accounts/lockouts.ts'
import type { Retention } from '../config/store-settings.ts'
import { purgeChanges } from '../db/change-log.ts'
import type { Database } from '../db/database.ts'
import { closeDays } from '../db/history-chain.ts'
import { maintainHistory, purgeRemoved } from '../db/purge.ts'
import type { Log } from '../http/log.ts'
import { repeat } from '../model/repeat.ts'
import { purgeKeys } from '../records/idempotency.ts'
import { resources } from '../resources/all.ts'

/** Starts the hourly jobs. Returns a stop function for each job. */
export async function startMaintenance(
  database: Database,
  retention: Retention,
  log: Log,
): Promise<readonly (() => Promise<void>)[]> {
  const jobs = maintenanceJobs(database, retention)
  // This must end before hosts accept writes. A month that began while the system was down has no partition
  // yet.
  await jobs.partitions()
  return Object.entries(jobs).map(([job, run]) => {
    const onFailure = (err: unknown) => log.warn({ err, job }, 'A maintenance job failed.')
    return repeat({ everyMilliseconds: pauseMilliseconds(), onFailure }, run).stop
  })
}

/**
 * Several instances may run the same job at once: deletions can be repeated, the first to close a day wins, and
 * the partitions are protected by an advisory lock.
 */
export const maintenanceJobs = (database: Database, { removedDays, historyDays }: Retention) => ({
  changes: () => purgeChanges(database),
  removed: () => purgeRemoved(database, resources, removedDays),
  lockouts: () => purgeLockouts(database),
  links: () => purgeLinks(database),
  idempotency: () => purgeKeys(database),
  partitions: () => maintainHistory(database, historyDays),
  closeDays: () => closeDays(database),
})

/** Random, from 0.5 to 1.5 hours, so that instances that started together do not purge together. */
const pauseMilliseconds = () => 60 * 60_000 * (0.5 + Math.random())
