import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPasswords } from '../accounts/passwords.ts'
import { type Budgets, divideConnections, openBudgets } from '../config/budgets.ts'
import type { TelemetrySettings } from '../config/host-settings.ts'
import { readSettings } from '../config/settings.ts'
import { type Retention, readStoreSettings, type StoreSettings } from '../config/store-settings.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { runningStoreUrl, startEmbeddedStore } from '../db/embedded/start-embedded-store.ts'
import { migrate, storeReadiness } from '../db/migrate.ts'
import { applicationNameOf } from '../db/pooled-connections.ts'
import { detectPoolers, type StoreAddress } from '../db/poolers.ts'
import type { EndedStatement } from '../db/work.ts'
import { createLog, type Log } from '../http/log.ts'
import type { WorkerPeers } from '../model/worker-peers.ts'
import type { SharedContext } from '../records/context.ts'
import type { SeedReport } from './seed-store.ts'

/** The store of all hosts in this process. The first call that needs it opens it. */
export interface SharedStore {
  /** Returns how other processes connect to the store. */
  address(): Promise<StoreAddress>
  /** Opens the store, seeds it if it is empty, and returns the context of the hosts. */
  context(): Promise<SharedContext>
  /** Starts the hourly jobs, at most once for all hosts. */
  startMaintenance(retention: Retention): Promise<void>
  /** Starts the log of slow statements. Call it after the start, during which statements are always slow. */
  logSlowStatements(): void
  /** Prepares the store for other processes, and closes the connections of this process. */
  prepare(): Promise<StoreAddress>
  /** Undefined if no host has requested the context. */
  seedReport(): SeedReport | undefined
}

interface ProcessHooks {
  /** Functions that are called when the process stops, in reverse order. */
  readonly stops: (() => Promise<void>)[]
  /** Called with a sentence when the embedded database has ended unexpectedly, and when it runs again. */
  readonly onStateChange: (sentence: string) => void
}

/** The options of a worker. The supervisor sends the address and the number of processes. */
interface WorkerOptions {
  readonly address: StoreAddress
  readonly processes: number
  readonly peers: WorkerPeers
}

/** Opens the store of a process. The supervisor of a worker has already migrated the schema. */
export function createSharedStore(
  settings: StoreSettings,
  { stops, onStateChange }: ProcessHooks,
  worker?: WorkerOptions,
): SharedStore {
  let seedReport: SeedReport | undefined
  let opened: Database | undefined
  const budgets = openBudgets(divideConnections(settings.connections), undefined, worker?.processes)
  const open = runOnce(async () => {
    const store = worker
      ? connectStore(worker.address, settings, budgets)
      : await openStore(settings, budgets, onStateChange)
    stops.push(store.stop ?? noStop, store.close)
    opened = store.database
    if (settings.telemetry) stops.push(await startTelemetry(store.database, settings.telemetry))
    return store
  })
  const context = runOnce(async () => {
    const [{ database }, { seedStore }] = await Promise.all([
      open(),
      // Loading the module blocks this process, so the first messages to the database are sent before it.
      nextTurn().then(() => import('./seed-store.ts')),
    ])
    const passwords = createPasswords({}, budgets)
    const context = { database, passwords, budgets, peers: worker?.peers }
    seedReport = await seedStore(context, settings)
    return context
  })
  const startMaintenance = runOnce(async (retention: Retention) => {
    const { database } = await open()
    const maintenance = await import('./maintenance.ts')
    stops.push(...(await maintenance.startMaintenance(database, retention, createStoreLog(settings))))
  })
  return {
    address: async () => (await open()).address,
    context,
    startMaintenance,
    logSlowStatements: () => opened && startSlowStatementLog(opened, settings),
    async prepare() {
      await context()
      const { address, close } = await open()
      opened = undefined
      await close()
      return address
    },
    seedReport: () => seedReport,
  }
}

/** Loads the telemetry module only if telemetry is enabled. */
async function startTelemetry(
  database: Database,
  telemetry: TelemetrySettings,
): Promise<() => Promise<void>> {
  const { openTelemetry } = await import('../observability/open-telemetry.ts')
  const { stop } = await openTelemetry(database, telemetry)
  return stop
}

function startSlowStatementLog(database: Database, settings: StoreSettings) {
  const { slowStatementMilliseconds } = settings
  if (slowStatementMilliseconds === 0) return
  const log = createStoreLog(settings)
  watchSlowStatements(database, { slowMilliseconds: slowStatementMilliseconds }, (slow) =>
    log.warn(slow, 'A statement was slow.'),
  )
}

const createStoreLog = ({ logLevel }: StoreSettings): Log => createLog({ level: logLevel, host: 'store' })

interface OpenStore {
  readonly address: StoreAddress
  readonly database: Database
  readonly close: () => Promise<void>
  /** Stops the embedded server. */
  readonly stop?: () => Promise<void>
}

const noStop = async () => undefined

/** Opens the store of DATABASE_URL or the embedded one, and migrates its schema. */
async function openStore(
  settings: StoreSettings,
  budgets: Budgets,
  onStateChange: (sentence: string) => void,
): Promise<OpenStore> {
  const { databaseUrl, dataDirectory } = settings
  if (databaseUrl !== undefined) {
    const log = createStoreLog(settings)
    const onNoNamedStatements = (reason: string) =>
      log.warn({ reason }, 'Statements are sent without names, which costs time.')
    const address = await detectPoolers(databaseUrl, { ...settings, onNoNamedStatements })
    return openMigratedStore(address, settings, budgets)
  }
  const embedded = await startEmbeddedStore({ dataDirectory, onStateChange })
  try {
    const store = await openMigratedStore({ url: embedded.url }, settings, budgets)
    return { ...store, stop: embedded.stop }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function openMigratedStore(
  address: StoreAddress,
  settings: StoreSettings,
  budgets: Budgets,
): Promise<OpenStore> {
  await migrate(address.url)
  return connectStore(address, settings, budgets)
}

function connectStore(
  address: StoreAddress,
  { readUrls, connections }: StoreSettings,
  budgets: Budgets,
): OpenStore {
  const applicationName = applicationNameOf('tracker', connections)
  const database = openDatabase({ ...address, readUrls, applicationName, budgets })
  return { address, database, close: runOnce(() => database.close()) }
}

/** Returns a function that runs only once. Further calls return the same result. */
export function runOnce<Arguments extends readonly unknown[], Result>(
  run: (...args: Arguments) => Promise<Result>,
): (...args: Arguments) => Promise<Result> {
  let result: Promise<Result> | undefined
  return (...args) => {
    result ??= run(...args)
    return result
  }
}

export interface SlowStatement {
  /** The request or command, such as `ListProjects`. Undefined for other work. */
  readonly operation: string | undefined
  readonly kind: EndedStatement['kind']
  readonly milliseconds: number
  /** The part that was spent waiting in a queue or for a connection. */
  readonly waitMilliseconds: number
  /** The text, without the values of parameters. */
  readonly statement: string | undefined
  /** The number of slow statements since the last report that were not reported. */
  readonly leftOut: number
}

/** If the database is slow, every statement is slow. Reporting all of them would only add load. */
const reportIntervalMilliseconds = 1000
const textLengthMax = 2000

/** Reports statements that start after this call and take `slowMilliseconds`, at most one per second. */
export function watchSlowStatements(
  { onStatement }: Pick<Database, 'onStatement'>,
  { slowMilliseconds, now = () => performance.now() }: { slowMilliseconds: number; now?: () => number },
  report: (slow: SlowStatement) => void,
): void {
  const watchedFrom = now()
  let reportedAt = Number.NEGATIVE_INFINITY
  let leftOut = 0
  onStatement(({ kind, startedAt, seconds, waitSeconds, work, text }) => {
    if (startedAt < watchedFrom || seconds * 1000 < slowMilliseconds) return
    if (now() - reportedAt < reportIntervalMilliseconds) {
      leftOut += 1
      return
    }
    reportedAt = now()
    report({
      operation: work?.operation,
      kind,
      milliseconds: Math.round(seconds * 1000),
      waitMilliseconds: Math.round(waitSeconds * 1000),
      statement: text()?.slice(0, textLengthMax),
      leftOut,
    })
    leftOut = 0
  })
}

export interface ConfiguredStore {
  readonly url: string
  readonly dataDirectory: string
}

/**
 * Runs `use` with the store of the settings. An embedded store that is not running is started, and stopped
 * afterwards.
 */
export async function withStore<Result>(
  { createIfMissing }: { readonly createIfMissing: boolean },
  use: (store: ConfiguredStore) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDirectory } = readSettings(process.env, readStoreSettings)
  if (databaseUrl !== undefined) return use({ url: databaseUrl, dataDirectory })
  if (!createIfMissing && !existsSync(join(dataDirectory, 'postgres')))
    throw new Error(`There is no store in ${dataDirectory}. Set DATA_DIR to its directory, or DATABASE_URL.`)
  const running = runningStoreUrl(dataDirectory)
  if (running !== undefined) return use({ url: running, dataDirectory })
  const store = await startEmbeddedStore({ dataDirectory })
  try {
    return await use({ url: store.url, dataDirectory })
  } finally {
    await store.stop()
  }
}

/** Runs `work` with the database of the settings. Throws if the database has an older schema than this version. */
export const withDatabase = <Result>(work: (database: Database) => Promise<Result>): Promise<Result> =>
  withStore({ createIfMissing: false }, async ({ url }) => {
    const database = openDatabase({ url, applicationName: 'cli', namedStatements: false })
    try {
      await requireSchema(database)
      return await work(database)
    } finally {
      await database.close()
    }
  })

async function requireSchema(database: Database): Promise<void> {
  const [connection, ...schema] = storeReadiness(database)
  await connection?.check()
  try {
    for (const { check } of schema) await check()
  } catch (cause) {
    throw new Error(
      'The store does not have the schema of this version yet. Run `npm run cli -- prepare`, or start this version once.',
      { cause },
    )
  }
}
