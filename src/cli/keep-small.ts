import { forgetOldLockouts } from '../accounts/lockouts.ts'
import type { StoreSettings } from '../config/store-settings.ts'
import { forgetOldChanges } from '../db/change-log.ts'
import type { Database } from '../db/database.ts'
import { sealHistory } from '../db/history-chain.ts'
import { forgetRemoved, keepHistory } from '../db/purge.ts'
import { repeat } from '../model/repeat.ts'
import { forgetOldKeys } from '../records/idempotency.ts'
import { resources } from '../resources/all.ts'

/** From now on forgets rows that nobody reads any more. Returns how to stop each of the jobs. */
export async function keepSmall(
  database: Database,
  settings: StoreSettings,
): Promise<readonly (() => Promise<void>)[]> {
  const history = () => keepHistory(database, settings.historyDays)
  const seal = () => sealHistory(database)
  // Before the first write, so that a month that began while nobody was running has its place.
  await history()
  const jobs = [
    () => forgetOldChanges(database, settings.changeLogDays),
    () => forgetRemoved(database, resources, settings.removedDays),
    () => forgetOldLockouts(database),
    () => forgetOldKeys(database),
    history,
    seal,
  ]
  const onFailure = (error: unknown) => console.error('Maintenance waits for the store:', error)
  return jobs.map((job) => repeat({ everyMilliseconds: betweenSweeps(), onFailure }, job).stop)
}

/**
 * Nothing of what is forgotten is missed if it stays some hours longer, and instances that started together do not all
 * sweep together. Each job is safe beside another instance that does the same: both delete what nobody reads any more.
 */
const betweenSweeps = () => 60 * 60_000 * (0.5 + Math.random())
