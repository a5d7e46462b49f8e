import { forgetOldLockouts } from '../accounts/lockouts.ts'
import { createPasswords } from '../accounts/passwords.ts'
import { openBudgets } from '../configuration/budgets.ts'
import { readSettings } from '../configuration/settings.ts'
import { readStoreSettings } from '../configuration/store-settings.ts'
import { forgetOldChanges } from '../store/change-log.ts'
import { startMaintenance } from '../store/maintenance.ts'
import { seedDemoAccount } from './demo-account.ts'
import { chosenHosts, type RunningHost } from './hosts.ts'
import { openStore } from './open-store.ts'
import { showStarted } from './show-started.ts'
import { stopOnSignal } from './stop-on-signal.ts'

/** Starts the store and the chosen hosts in this process, and stops all of them in the reverse order. */
export async function runStart(names: readonly string[]): Promise<void> {
  const starters = chosenHosts(names)
  // Every setting of every host is read first, so that all problems are told at once.
  const { store: storeSettings, hosts } = readSettings(process.env, (settings) => ({
    store: readStoreSettings(settings),
    hosts: starters.map((prepare) => prepare(settings)),
  }))
  const stops: (() => Promise<void>)[] = []
  const stop = stopOnSignal(stops)
  try {
    const budgets = openBudgets()
    const store = await openStore(storeSettings, budgets, endWith(stop))
    stops.push(store.close)
    const passwords = createPasswords({}, budgets)
    const { database } = store
    const tracker = { database, passwords, budgets }
    const jobs = [() => forgetOldChanges(database), () => forgetOldLockouts(database)]
    stops.push(startMaintenance(jobs, (error) => console.error('Maintenance waits for the store:', error)))
    const account = await seedDemoAccount(tracker, storeSettings)
    const running: RunningHost[] = []
    for (const start of hosts) {
      const host = await start({ tracker, url: store.url })
      stops.push(host.stop)
      running.push(host)
    }
    showStarted(running, account, storeSettings)
  } catch (error) {
    await stop()
    throw error
  }
}

/** Without its database this process can only say why and end. */
const endWith = (stop: () => Promise<void>) => (reason: string) => {
  console.error(reason)
  void stop().then(() => process.exit(1))
}
