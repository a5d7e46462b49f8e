import { once as nextEvent } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings, unknownSettings } from '../config/settings.ts'
import { readStoreSettings, type StoreSettings } from '../config/store-settings.ts'
import { readRateLimit } from '../config/tracker-settings.ts'
import { createLog, type Log } from '../http/log.ts'
import { repeat } from '../model/repeat.ts'
import type { DemoAccount } from './demo-account.ts'
import { type RunningHost, selectHosts } from './hosts.ts'
import type { WorkerAssignment } from './processes.ts'
import { createSharedStore, once, type SharedStore } from './shared-store.ts'

/** Starts the store and the named hosts. They stop in reverse order. */
export async function runStart(names: readonly string[]): Promise<void> {
  const settings = readStartSettings(names)
  const { store: storeSettings, drainSeconds } = settings
  const log = createLog({ level: storeSettings.logLevel, host: 'start' })
  for (const problem of unknownSettings(process.env))
    log.warn({ problem }, 'A variable looks like a setting and has no effect.')
  const stops: (() => Promise<void>)[] = []
  const stop = stopOnSignal(stops, drainSeconds)
  stopWithNpm(stop)
  try {
    const store = createSharedStore(storeSettings, { stops, onFault: console.error })
    const running = await (settings.processes > 1 && settings.shared.length > 0
      ? startInProcesses(settings, store, stops, log)
      : startHere(settings.starters, store, stops))
    store.logSlowStatements()
    stops.push(() => drainHosts(running, drainSeconds))
    printStarted(running, store.demoAccount(), storeSettings)
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * `worker HOST …`: runs the hosts in one of several processes. `runStart` starts it if PROCESSES exceeds 1.
 * Terminal signals also reach this process, but only the supervisor acts on them. The worker ends with its
 * supervisor.
 */
export async function runWorker(names: readonly string[]): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined)
  const { openSiblings } = await import('./processes.ts')
  const stops: (() => Promise<void>)[] = []
  let running: readonly RunningHost[] = []
  const announceStop = () => {
    for (const host of running) host.announceStop()
  }
  const stop = once(() => stopAll(stops, stopSecondsMax))
  const { siblings, report } = openSiblings(names, {
    announceStop: () => {
      announceStop()
      return {}
    },
    stop: () => {
      void stop().then(() => process.exit())
      return {}
    },
  })
  const [{ address, processes }] = (await nextEvent(process, 'message')) as [WorkerAssignment]
  try {
    const { store: storeSettings, starters, drainSeconds } = readStartSettings(names)
    const store = createSharedStore(
      storeSettings,
      { stops, onFault: console.error },
      { address, processes, siblings },
    )
    running = await startHere(starters, store, stops)
    store.logSlowStatements()
    process.on('SIGTERM', () => {
      void drainHosts(running, drainSeconds)
        .then(stop)
        .then(() => process.exit())
    })
    report({ hosts: running.map(({ title, address, pages = [] }) => ({ title, address, pages })) })
  } catch (error) {
    report({ failure: (error as Error).message })
    await stop()
    process.exit(1)
  }
}

/** Every setting of every host is parsed first, so that all problems are reported at once. */
function readStartSettings(names: readonly string[]) {
  const definitions = selectHosts(names)
  const shared = sharedHosts.filter((name) => names.length === 0 || names.includes(name))
  const local = localHosts.filter((name) => names.length === 0 || names.includes(name))
  return readSettings(process.env, (settings) => ({
    drainSeconds: settings.get('DRAIN_SECONDS'),
    processes: settings.get('PROCESSES'),
    store: readStoreSettings(settings),
    starters: definitions.map((createStarter) => createStarter(settings)),
    /** The hosts that several processes can serve. */
    shared,
    localStarters: (local.length === 0 ? [] : selectHosts(local)).map((createStarter) =>
      createStarter(settings),
    ),
    rateLimits: {
      rest: readRateLimit(settings, 'Rest'),
      identity: readRateLimit(settings, 'Identity'),
      commands: readRateLimit(settings, 'Command'),
    },
  }))
}

type StartSettings = ReturnType<typeof readStartSettings>

/** These always run in this process: the web host has little to do, and the bank starts its own processes. */
const localHosts = ['web', 'bank'] as const
const sharedHosts = ['rest', 'identity', 'commands'] as const

async function startHere(
  starters: StartSettings['starters'],
  store: SharedStore,
  stops: (() => Promise<void>)[],
): Promise<readonly RunningHost[]> {
  return waitForAll(
    starters.map(async (start) => {
      const host = await start(store)
      const stop = once(host.stop)
      stops.push(stop)
      return { ...host, stop }
    }),
  )
}

async function startInProcesses(
  { shared, localStarters, processes, rateLimits }: StartSettings,
  store: SharedStore,
  stops: (() => Promise<void>)[],
  log: Log,
): Promise<readonly RunningHost[]> {
  const { superviseProcesses } = await import('./processes.ts')
  const localStart = startHere(localStarters, store, stops)
  const supervisedStart = store
    .prepare()
    .then((address) => superviseProcesses({ hosts: shared, processes, address, rateLimits, log }))
    .then((hosts) => {
      stops.push(...hosts.map((host) => host.stop))
      return hosts
    })
  await Promise.allSettled([localStart, supervisedStart])
  const [local, supervised] = await Promise.all([localStart, supervisedStart])
  return [...local, ...supervised]
}

/**
 * The hosts start concurrently, because the bank's processes use other cores. A failure is reported only when
 * every start has ended, so that all hosts can be stopped.
 */
async function waitForAll(starts: readonly Promise<RunningHost>[]): Promise<readonly RunningHost[]> {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}

/**
 * Every host first reports that it is about to stop, so that load balancers notice. Then all hosts stop at the
 * same time, because each of them waits for clients that keep their connections.
 */
export async function drainHosts(hosts: readonly RunningHost[], drainSeconds: number): Promise<void> {
  if (drainSeconds === 0) return
  for (const host of hosts) host.announceStop()
  await sleep(drainSeconds * 1000)
  await Promise.allSettled(hosts.map(({ stop }) => stop()))
}

/** Prints the addresses, the demo account, and how to stop. */
function printStarted(
  hosts: readonly RunningHost[],
  account: DemoAccount | undefined,
  { databaseUrl, dataDirectory }: StoreSettings,
) {
  const lines = [
    ...hosts.flatMap(({ title, address, pages = [] }) => [
      formatLine(title, address),
      ...pages.map((page) => formatLine('', page)),
    ]),
    ...(account === undefined
      ? []
      : [
          formatLine(
            'Store',
            databaseUrl === undefined ? `embedded PostgreSQL in ${dataDirectory}` : 'DATABASE_URL',
          ),
          ...formatAccount(account),
        ]),
    formatLine('Stop', 'Ctrl-C'),
  ]
  console.log(`\n${lines.join('\n')}\n`)
}

const formatLine = (label: string, text: string) => `  ${label.padEnd(14)}${text}`

function formatAccount({ login, hint, generatedPassword, passwordFile }: DemoAccount): string[] {
  if (hint !== undefined) return [formatLine('Account', hint)]
  if (login === undefined) return []
  const account = formatLine('Demo account', login)
  if (generatedPassword)
    return [account, formatLine('  password', `${generatedPassword}  (kept in ${passwordFile})`)]
  return passwordFile ? [account, formatLine('  password', `in ${passwordFile}`)] : [account]
}

/** Longer than any host takes to finish its requests after `announceStop`; then the process is killed. */
const stopSecondsMax = 20

/**
 * Wrappers such as npm and timeout forward a signal that the terminal has already sent to the whole group. A
 * signal within this time is such a copy, not a second Ctrl-C.
 */
const sameSignalMilliseconds = 1000

/**
 * Returns a function that stops everything started so far, the last one first. Ctrl-C calls it and ends the
 * process; a second Ctrl-C ends the process at once.
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

/** The end of npm is noticed within this time. */
const pollMilliseconds = 500

/**
 * npm forwards a signal only to its shell, which ends without notifying this program. A changed parent process
 * shows that this has happened.
 */
function stopWithNpm(stop: () => Promise<void>): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = repeat({ everyMilliseconds: pollMilliseconds }, async () => {
    if (process.ppid === parent) return
    void watch.stop()
    console.log('Stopping, because npm has ended …')
    await stop()
    process.exit()
  })
}
