import { purgeLockouts } from '../accounts/lockouts.ts'
import type { StoreSettings } from '../config/store-settings.ts'
import { purgeChanges } from '../db/change-log.ts'
import type { Database } from '../db/database.ts'
import { sealHistory } from '../db/history-chain.ts'
import { keepHistory, purgeRemoved } from '../db/purge.ts'
import { repeat } from '../model/repeat.ts'
import { purgeKeys } from '../records/idempotency.ts'
import { resources } from '../resources/all.ts'

/** Starts the purging of old rows. Returns functions that stop each of the jobs. */
export async function keepSmall(
  database: Database,
  settings: StoreSettings,
): Promise<readonly (() => Promise<void>)[]> {
  const history = () => keepHistory(database, settings.historyDays)
  const seal = () => sealHistory(database)
  // Runs before the first write, so that a month that began while the system was down has its partition.
  await history()
  const jobs = [
    () => purgeChanges(database),
    () => purgeRemoved(database, resources, settings.removedDays),
    () => purgeLockouts(database),
    () => purgeKeys(database),
    history,
    seal,
  ]
  const onFailure = (error: unknown) => console.error('Maintenance waits for the store:', error)
  return jobs.map((job) => repeat({ everyMilliseconds: betweenSweeps(), onFailure }, job).stop)
}

/**
 * Purging may be hours late, and instances that started together should not all purge together. Each job is
 * safe while another instance does the same: both delete rows that are no longer read.
 */
const betweenSweeps = () => 60 * 60_000 * (0.5 + Math.random())
