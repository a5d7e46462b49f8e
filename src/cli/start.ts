import { once as nextEvent } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readRateLimit } from '../config/host-settings.ts'
import { readSettings, unknownSettings } from '../config/settings.ts'
import { readStoreSettings, type StoreSettings } from '../config/store-settings.ts'
import { createLog, type Log } from '../http/log.ts'
import { repeat } from '../model/repeat.ts'
import { type RunningHost, type StartHost, selectHosts } from './hosts.ts'
import type { WorkerStartMessage } from './processes.ts'
import type { SeedReport } from './seed-store.ts'
import { createSharedStore, runOnce, type SharedStore } from './shared-store.ts'

/** Starts the store and the named hosts, and stops them in reverse order when a signal arrives. */
export async function runStart(names: readonly string[]): Promise<void> {
  const settings = readStartSettings(names)
  const { store: storeSettings, drainSeconds } = settings
  const log = createLog({ level: storeSettings.logLevel, host: 'start' })
  for (const problem of unknownSettings(process.env))
    log.warn({ problem }, 'A variable looks like a setting and has no effect.')
  warnOfEmbeddedStore(names, storeSettings, log)
  const stops: (() => Promise<void>)[] = []
  const stop = stopOnSignal(stops, drainSeconds, log)
  stopWithNpm(stop, log)
  try {
    const store = createSharedStore(storeSettings, { stops, onStateChange: logStateChange(log) })
    const usesWorkers = settings.processes > 1 && settings.hosts.some(({ runsInWorkers }) => runsInWorkers)
    const running = await (usesWorkers
      ? startWithWorkers(settings, store, stops, log)
      : startInThisProcess(settings.hosts, store, stops))
    store.logSlowStatements()
    stops.push(() => drainHosts(running, drainSeconds))
    const report = isTerminal ? printStarted : logStarted
    report(running, store.seedReport(), storeSettings)
  } catch (error) {
    await stop()
    throw error
  }
}

/** In a terminal, the program prints text for a person. Otherwise, every line is a line of the log. */
const isTerminal = process.stdout.isTTY

/**
 * Hosts that are started by name are usually part of a deployment, and have to share its database. In a
 * terminal, the first lines of the output already name the store.
 */
function warnOfEmbeddedStore(
  names: readonly string[],
  { databaseUrl, dataDirectory }: StoreSettings,
  log: Log,
) {
  const needsStore = names.some((name) => name !== 'web')
  if (needsStore && databaseUrl === undefined && !isTerminal)
    log.warn(
      { dataDirectory: resolve(dataDirectory) },
      'DATABASE_URL is not set: the embedded store in the data folder is used.',
    )
}

/** Logs that the embedded database has ended unexpectedly, or that it is running again. */
const logStateChange = (log: Log) => (reason: string) =>
  log.error({ reason }, 'The embedded database ended, or runs again.')

/**
 * `worker HOST …` runs the hosts in one of several processes. The supervisor in `runStart` starts workers if
 * PROCESSES exceeds 1. A terminal sends signals to every process, but only the supervisor acts on them. SIGTERM,
 * which systemd sends to every process, makes this process drain its hosts and stop, too.
 */
export async function runWorker(names: readonly string[]): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined)
  const { openPeerChannel } = await import('./processes.ts')
  const { store: storeSettings, hosts, drainSeconds } = readStartSettings(names)
  const log = createLog({ level: storeSettings.logLevel, host: 'start' })
  const stops: (() => Promise<void>)[] = []
  let running: readonly RunningHost[] = []
  const announceStop = () => {
    for (const host of running) host.announceStop()
  }
  const stop = runOnce(() => stopAll(stops, stopSecondsMax, log))
  const { peers, report } = openPeerChannel(names, {
    announceStop: () => {
      announceStop()
      return {}
    },
    stop: () => {
      void stop().then(() => process.exit())
      return {}
    },
  })
  const [{ address, processes }] = (await nextEvent(process, 'message')) as [WorkerStartMessage]
  try {
    const store = createSharedStore(
      storeSettings,
      { stops, onStateChange: logStateChange(log) },
      { address, processes, peers },
    )
    running = await startInThisProcess(hosts, store, stops)
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

/** Parses the settings of all hosts before the first one starts, to report all problems at once. */
function readStartSettings(names: readonly string[]) {
  const selected = selectHosts(names)
  return readSettings(process.env, (settings) => ({
    drainSeconds: settings.get('DRAIN_SECONDS'),
    processes: settings.get('PROCESSES'),
    store: readStoreSettings(settings),
    hosts: selected.map(
      ({ name, runsInWorkers, prepare }): PreparedHost => ({
        name,
        runsInWorkers,
        start: prepare(settings),
      }),
    ),
    rateLimits: {
      rest: readRateLimit(settings, 'Rest'),
      identity: readRateLimit(settings, 'Identity'),
      commands: readRateLimit(settings, 'Command'),
    },
  }))
}

type StartSettings = ReturnType<typeof readStartSettings>

interface PreparedHost {
  readonly name: string
  readonly runsInWorkers: boolean
  readonly start: StartHost
}

async function startInThisProcess(
  hosts: readonly PreparedHost[],
  store: SharedStore,
  stops: (() => Promise<void>)[],
): Promise<readonly RunningHost[]> {
  return waitForAll(
    hosts.map(async ({ start }) => {
      const host = await start(store)
      const stop = runOnce(host.stop)
      stops.push(stop)
      return { ...host, stop }
    }),
  )
}

async function startWithWorkers(
  { hosts, processes, rateLimits }: StartSettings,
  store: SharedStore,
  stops: (() => Promise<void>)[],
  log: Log,
): Promise<readonly RunningHost[]> {
  const { superviseProcesses } = await import('./processes.ts')
  const localHosts = hosts.filter(({ runsInWorkers }) => !runsInWorkers)
  const sharedHosts = hosts.filter(({ runsInWorkers }) => runsInWorkers)
  const localStart = startInThisProcess(localHosts, store, stops)
  const supervisedStart = store
    .prepare()
    .then((address) =>
      superviseProcesses({
        hosts: sharedHosts.map(({ name }) => name),
        processes,
        address,
        rateLimits,
        log,
      }),
    )
    .then((hosts) => {
      stops.push(...hosts.map((host) => host.stop))
      return hosts
    })
  // Both starts must have ended before everything that they started can be stopped.
  await Promise.allSettled([localStart, supervisedStart])
  const [local, supervised] = await Promise.all([localStart, supervisedStart])
  return [...local, ...supervised]
}

/**
 * Waits until every start has ended. Only then does it reject because of a failure, so that all hosts that
 * have started can be stopped.
 */
async function waitForAll(starts: readonly Promise<RunningHost>[]): Promise<readonly RunningHost[]> {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}

/**
 * Makes every host report that it will stop, and gives load balancers time to notice. Then stops all hosts at
 * the same time, because each may wait for its clients.
 */
export async function drainHosts(hosts: readonly RunningHost[], drainSeconds: number): Promise<void> {
  if (drainSeconds === 0) return
  for (const host of hosts) host.announceStop()
  await sleep(drainSeconds * 1000)
  await Promise.allSettled(hosts.map(({ stop }) => stop()))
}

/** Logs the store and the URL of each host. Only `printStarted`, in a terminal, prints a password. */
function logStarted(
  hosts: readonly RunningHost[],
  seedReport: SeedReport | undefined,
  settings: StoreSettings,
): void {
  const { logLevel: level } = settings
  if (seedReport !== undefined) {
    const { login, hint, passwordFile } = seedReport
    const log = createLog({ level, host: 'store' })
    log.info({ store: storeOf(settings), account: login ?? hint, passwordFile }, 'The store is ready.')
  }
  for (const { title, address } of hosts) {
    const log = createLog({ level, host: title.toLowerCase() })
    log.info({ address }, 'The host has started.')
  }
}

const storeOf = ({ databaseUrl, dataDirectory }: StoreSettings): string =>
  databaseUrl === undefined ? `embedded PostgreSQL in ${dataDirectory}` : 'DATABASE_URL'

/** Prints the addresses, the demo account, and how to stop. */
function printStarted(
  hosts: readonly RunningHost[],
  seedReport: SeedReport | undefined,
  settings: StoreSettings,
): void {
  const lines = [
    ...hosts.flatMap(({ title, address, pages = [] }) => [
      formatLine(title, address),
      ...pages.map((page) => formatLine('', page)),
    ]),
    ...(seedReport === undefined
      ? []
      : [formatLine('Store', storeOf(settings)), ...formatAccount(seedReport)]),
    formatLine('Stop', 'Ctrl-C'),
  ]
  console.log(`\n${lines.join('\n')}\n`)
}

const formatLine = (label: string, text: string) => `  ${label.padEnd(14)}${text}`

function formatAccount({ login, hint, generatedPassword, passwordFile }: SeedReport): string[] {
  if (hint !== undefined) return [formatLine('Account', hint)]
  if (login === undefined) return []
  const account = formatLine('Demo account', login)
  if (generatedPassword)
    return [account, formatLine('  password', `${generatedPassword}  (kept in ${passwordFile})`)]
  return passwordFile ? [account, formatLine('  password', `in ${passwordFile}`)] : [account]
}

/** Longer than any host takes to finish its requests after `announceStop`. Then the process exits. */
const stopSecondsMax = 20

/**
 * `npm` and `timeout` forward a signal that the terminal has already sent to all processes. A second signal
 * within this time is such a copy.
 */
const sameSignalMilliseconds = 1000

/**
 * Returns a function that stops everything in reverse order. The first Ctrl-C calls it, and the second Ctrl-C
 * ends the process at once.
 */
function stopOnSignal(stops: (() => Promise<void>)[], drainSeconds: number, log: Log): () => Promise<void> {
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopAll(stops, drainSeconds + stopSecondsMax, log)
    return stopping
  }
  let signalledAt = Number.NaN
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - signalledAt < sameSignalMilliseconds) return
      if (stopping !== undefined) process.exit(1)
      signalledAt = performance.now()
      if (isTerminal) console.log('Stopping …')
      else log.info({ because: signal }, 'The hosts are stopping.')
      void stop().then(() => process.exit())
    })
  }
  return stop
}

async function stopAll(stops: (() => Promise<void>)[], secondsMax: number, log: Log) {
  setTimeout(() => process.exit(1), secondsMax * 1000).unref()
  for (;;) {
    const stop = stops.pop()
    if (stop === undefined) return
    await stop().catch((err) => {
      log.error({ err }, 'A part of the program could not be stopped in order.')
      process.exitCode = 1
    })
  }
}

/** The interval at which `stopWithNpm` checks the parent process. */
const pollMilliseconds = 500

/**
 * Stops the program when npm has ended. npm forwards a signal only to its shell, which does not notify this
 * process. The process only gets another parent.
 */
function stopWithNpm(stop: () => Promise<void>, log: Log): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = repeat({ everyMilliseconds: pollMilliseconds }, async () => {
    if (process.ppid === parent) return
    void watch.stop()
    if (isTerminal) console.log('Stopping, because npm has ended …')
    else log.info({ because: 'npm has ended' }, 'The hosts are stopping.')
    await stop()
    process.exit()
  })
}
