import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings, unknownSettings } from '../config/settings.ts'
import { readStoreSettings, type StoreSettings } from '../config/store-settings.ts'
import { createLog } from '../http/log.ts'
import { repeat } from '../model/repeat.ts'
import { chosenHosts, type RunningHost } from './chosen-hosts.ts'
import type { DemoAccount } from './demo-account.ts'
import { shareStore } from './shared-store.ts'

/** Starts the store and the chosen hosts in this process, and stops all of them in the reverse order. */
export async function runStart(names: readonly string[]): Promise<void> {
  const starters = chosenHosts(names)
  // Every setting of every host is parsed first, so that all problems are reported at once.
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
    log.warn({ problem }, 'A variable looks like a setting and has no effect.')
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
    stops.push(() => drainHosts(running, drainSeconds))
    printStarted(running, store.demoAccount(), storeSettings)
  } catch (error) {
    await stop()
    throw error
  }
}

/** Every call waits for the first one. */
function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= stop()
    return stopped
  }
}

/**
 * Starts them together, because the bank's processes start on other cores meanwhile. A failure is reported when all can be
 * stopped.
 */
async function allStarted(starts: readonly Promise<RunningHost>[]): Promise<readonly RunningHost[]> {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}

/**
 * All hosts of the process report that they are about to stop, and stop together when load balancers have noticed: each waits for
 * clients that keep a connection to it.
 */
export async function drainHosts(hosts: readonly RunningHost[], drainSeconds: number): Promise<void> {
  if (drainSeconds === 0) return
  for (const host of hosts) host.leave()
  await sleep(drainSeconds * 1000)
  await Promise.allSettled(hosts.map(({ stop }) => stop()))
}

/** Prints the addresses, the account to sign in with, and how to stop. */
function printStarted(
  hosts: readonly RunningHost[],
  account: DemoAccount | undefined,
  { databaseUrl, dataDirectory }: StoreSettings,
) {
  const lines = [
    ...hosts.flatMap(({ title, address, pages = [] }) => [
      line(title, address),
      ...pages.map((page) => line('', page)),
    ]),
    ...(account === undefined
      ? []
      : [
          line(
            'Store',
            databaseUrl === undefined ? `embedded PostgreSQL in ${dataDirectory}` : 'DATABASE_URL',
          ),
          ...accountLines(account),
        ]),
    line('Stop', 'Ctrl-C'),
  ]
  console.log(`\n${lines.join('\n')}\n`)
}

const line = (label: string, text: string) => `  ${label.padEnd(14)}${text}`

function accountLines({ login, generatedPassword, passwordFile }: DemoAccount): string[] {
  if (login === undefined) return []
  const account = line('Demo account', login)
  if (generatedPassword)
    return [account, line('  password', `${generatedPassword}  (kept in ${passwordFile})`)]
  return passwordFile ? [account, line('  password', `in ${passwordFile}`)] : [account]
}

/** Longer than any host takes to finish its requests after `leave`; then the process is killed. */
const stopSecondsMax = 20

/**
 * Wrappers such as npm and timeout forward a signal that the terminal has already sent to the whole group;
 * that does not count as a second signal.
 */
const sameSignalMilliseconds = 1000

/**
 * Returns a function that stops everything started so far, last first. Ctrl-C calls it and ends the process; a second Ctrl-C ends
 * it at once.
 */
function stopOnSignal(stops: (() => Promise<void>)[], drainSeconds: number): () => Promise<void> {
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopAll(stops, drainSeconds + stopSecondsMax)
    return stopping
  }
  let signalledAt = Number.NaN
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - signalledAt < sameSignalMilliseconds) return
      if (stopping !== undefined) process.exit(1)
      signalledAt = performance.now()
      console.log('Stopping …')
      void stop().then(() => process.exit())
    })
  }
  return stop
}

async function stopAll(stops: (() => Promise<void>)[], secondsMax: number) {
  setTimeout(() => process.exit(1), secondsMax * 1000).unref()
  for (;;) {
    const stop = stops.pop()
    if (stop === undefined) return
    await stop().catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
  }
}

/** The check may be half a second late. */
const pollMilliseconds = 500

/**
 * npm forwards a signal only to its shell, which ends without notifying the program it runs. The program then has another parent,
 * by which it notices that it should stop.
 */
function stopWithNpm(stop: () => Promise<void>): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const looking = repeat({ everyMilliseconds: pollMilliseconds }, async () => {
    if (process.ppid === parent) return
    void looking.stop()
    console.log('Stopping, because npm has ended …')
    await stop()
    process.exit()
  })
}
