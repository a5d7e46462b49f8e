import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPasswords } from '../accounts/passwords.ts'
import { type Budgets, divideConnections, openBudgets } from '../config/budgets.ts'
import type { TelemetrySettings } from '../config/host-settings.ts'
import type { Retention, StoreSettings } from '../config/store-settings.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { startEmbeddedStore } from '../db/embedded/start-embedded-store.ts'
import { migrate } from '../db/migrate.ts'
import { applicationNameOf } from '../db/pooled-connections.ts'
import { detectPoolers, type StoreAddress } from '../db/poolers.ts'
import { createLog, type Log } from '../http/log.ts'
import type { WorkerPeers } from '../model/worker-peers.ts'
import { watchSlowStatements } from '../observability/slow-statements.ts'
import type { SharedContext } from '../records/context.ts'
import type { DemoAccount } from './demo-account.ts'

/** The store shared by all hosts of this process. It is opened by the first call that needs it. */
export interface SharedStore {
  /** The address for hosts that run as separate processes. */
  address(): Promise<StoreAddress>
  /** The context of a store that has at least one account. */
  context(): Promise<SharedContext>
  /** Starts the hourly jobs: purging, partitions of the history, closing its days. */
  startMaintenance(retention: Retention): Promise<void>
  /** Starts logging slow statements. Called when all hosts run, because statements during the start may be slow. */
  logSlowStatements(): void
  /** Prepares the store for other processes, and closes the connections of this one. */
  prepare(): Promise<StoreAddress>
  /** Undefined until a host has requested the context. */
  demoAccount(): DemoAccount | undefined
}

interface ProcessHooks {
  /** Called when the process stops, the last one first. */
  readonly stops: (() => Promise<void>)[]
  /** Receives a sentence when the embedded database has ended unexpectedly, and when it runs again. */
  readonly onFault: (sentence: string) => void
}

/** Values shared by all processes that serve the same ports. */
interface SharedPorts {
  readonly address: StoreAddress
  readonly processes: number
  readonly peers: WorkerPeers
}

/** If `shared` is given, another process has opened the store and migrated its schema. */
export function createSharedStore(
  settings: StoreSettings,
  { stops, onFault }: ProcessHooks,
  shared?: SharedPorts,
): SharedStore {
  let account: DemoAccount | undefined
  let opened: Database | undefined
  const budgets = openBudgets(divideConnections(settings.connections), undefined, shared?.processes)
  const open = once(async () => {
    const store = shared
      ? connectStore(shared.address, settings, budgets)
      : await openStore(settings, budgets, onFault)
    stops.push(store.stop ?? noStop, store.close)
    opened = store.database
    if (settings.telemetry) stops.push(await startTelemetry(store.database, settings.telemetry))
    return store
  })
  const context = once(async () => {
    const [{ database }, { seedDemoAccount }] = await Promise.all([
      open(),
      // The import blocks this process, so the database is opened first.
      nextTurn().then(() => import('./demo-account.ts')),
    ])
    const passwords = createPasswords({}, budgets)
    const context = { database, passwords, budgets, peers: shared?.peers }
    account = await seedDemoAccount(context, settings)
    return context
  })
  const startMaintenance = once(async (retention: Retention) => {
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
    demoAccount: () => account,
  }
}

/** Loaded only where telemetry is configured. */
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
  /** Closes the connections. */
  readonly close: () => Promise<void>
  /** Stops the embedded server. */
  readonly stop?: () => Promise<void>
}

const noStop = async () => undefined

/** Opens the store of DATABASE_URL or the embedded one, and migrates its schema. */
async function openStore(
  settings: StoreSettings,
  budgets: Budgets,
  onFault: (sentence: string) => void,
): Promise<OpenStore> {
  const { databaseUrl, dataDirectory } = settings
  if (databaseUrl !== undefined) {
    const log = createStoreLog(settings)
    const onNoNamedStatements = (reason: string) =>
      log.warn({ reason }, 'Statements are sent without names, which costs time.')
    const address = await detectPoolers(databaseUrl, { ...settings, onNoNamedStatements })
    return openMigratedStore(address, settings, budgets)
  }
  const embedded = await startEmbeddedStore({ dataDirectory, onFault })
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
  return { address, database, close: once(() => database.close()) }
}

/** Every call returns the result of the first one, which alone runs the function. */
export function once<Arguments extends readonly unknown[], Result>(
  run: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  let result: Promise<Result> | undefined
  return (...given) => {
    result ??= run(...given)
    return result
  }
}
