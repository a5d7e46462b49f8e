import { forgetOldLockouts } from '../accounts/lockouts.ts'
import type { StoreSettings } from '../configuration/store-settings.ts'
import { forgetOldKeys } from '../operations/idempotency-keys.ts'
import { resources } from '../resources/all.ts'
import { repeat } from '../schedule/repeat.ts'
import { forgetOldChanges } from '../store/change-log.ts'
import type { Database } from '../store/database.ts'
import { forgetRemoved } from '../store/forget-removed.ts'
import { sealHistory } from '../store/history-chain.ts'
import { keepHistory } from '../store/history-months.ts'

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
