import { readSettings, unknownSettings } from '../configuration/settings.ts'
import { readStoreSettings } from '../configuration/store-settings.ts'
import { createLog } from '../http/log.ts'
import { chosenHosts } from './chosen-hosts.ts'
import type { RunningHost } from './hosts/running-host.ts'
import { leaveFirst } from './leave-first.ts'
import { shareStore } from './shared-store.ts'
import { showStarted } from './show-started.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { stopWithNpm } from './stop-with-npm.ts'

/** Starts the store and the chosen hosts in this process, and stops all of them in the reverse order. */
export async function runStart(names: readonly string[]): Promise<void> {
  const starters = chosenHosts(names)
  // Every setting of every host is read first, so that all problems are reported at once.
  const {
    store: storeSettings,
    drainSeconds,
    hosts,
  } = readSettings(process.env, (settings) => ({
    drainSeconds: settings.get('DRAIN_SECONDS'),
    store: readStoreSettings(settings),
    hosts: starters.map((prepare) => prepare(settings)),
  }))
  const log = createLog({ level: storeSettings.logLevel, host: 'start' })
  for (const problem of unknownSettings(process.env))
    log.warn({ problem }, 'A variable looks like a setting and is none.')
  const stops: (() => Promise<void>)[] = []
  const stop = stopOnSignal(stops, drainSeconds)
  stopWithNpm(stop)
  try {
    const store = shareStore(storeSettings, { stops, onFault: console.error })
    const running = await allStarted(
      hosts.map(async (start) => {
        const host = await start(store)
        const stop = once(host.stop)
        stops.push(stop)
        return { ...host, stop }
      }),
    )
    store.logSlowStatements()
    stops.push(() => leaveFirst(running, drainSeconds))
    showStarted(running, store.demoAccount(), storeSettings)
  } catch (error) {
    await stop()
    throw error
  }
}

/** Whoever calls it waits for the first call. */
function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= stop()
    return stopped
  }
}

/** Together, because the bank's processes start on other cores meanwhile. One that fails is told when all can be stopped. */
async function allStarted(starts: readonly Promise<RunningHost>[]): Promise<readonly RunningHost[]> {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}
