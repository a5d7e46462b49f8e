import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPasswords } from '../accounts/passwords.ts'
import { type Budgets, openBudgets } from '../config/budgets.ts'
import type { TelemetrySettings } from '../config/host-settings.ts'
import type { StoreSettings } from '../config/store-settings.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { startEmbeddedStore } from '../db/embedded/start-embedded-store.ts'
import { migrate } from '../db/migrate.ts'
import { createLog, type Log } from '../http/log.ts'
import { watchSlowStatements } from '../observability/slow-statements.ts'
import type { Context } from '../records/context.ts'
import type { DemoAccount } from './demo-account.ts'

/** The store shared by all hosts of this process. The first request opens it; without one it stays closed. */
export interface SharedStore {
  /** The address for hosts that run as separate processes. */
  url(): Promise<string>
  /** The context of a store that has at least one account. */
  context(): Promise<Context>
  /** Starts the hourly jobs: purging, partitions of the history, sealing. */
  startMaintenance(): Promise<void>
  /** Starts logging slow statements. Called once all hosts run, because statements of the start may be slow. */
  logSlowStatements(): void
  /** Undefined until a host has requested the tracker. */
  demoAccount(): DemoAccount | undefined
}

interface Process {
  /** Functions to call at the stop, last first. */
  readonly stops: (() => Promise<void>)[]
  /** Reports faults of the embedded database, which is started again. */
  readonly onFault: (sentence: string) => void
}

export function shareStore(settings: StoreSettings, { stops, onFault }: Process): SharedStore {
  let account: DemoAccount | undefined
  let opened: Database | undefined
  const budgets = openBudgets()
  const open = once(async () => {
    const store = await openStore(settings, budgets, onFault)
    stops.push(store.close)
    opened = store.database
    if (settings.telemetry) stops.push(await startTelemetry(store.database, settings.telemetry))
    return store
  })
  const context = once(async () => {
    const [{ database }, { seedDemoAccount }] = await Promise.all([
      open(),
      // Importing blocks this process, so the start of the database is requested first.
      nextTurn().then(() => import('./demo-account.ts')),
    ])
    const context = { database, passwords: createPasswords({}, budgets), budgets }
    account = await seedDemoAccount(context, settings)
    return context
  })
  const startMaintenance = once(async () => {
    const { database } = await open()
    const maintenance = await import('./maintenance.ts')
    stops.push(...(await maintenance.startMaintenance(database, settings, logOf(settings))))
  })
  return {
    url: async () => (await open()).url,
    context,
    startMaintenance,
    logSlowStatements: () => opened && watchForSlowStatements(opened, settings),
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

function watchForSlowStatements(database: Database, settings: StoreSettings) {
  const { slowStatementMilliseconds } = settings
  if (slowStatementMilliseconds === 0) return
  const log = logOf(settings)
  watchSlowStatements(database, { slowMilliseconds: slowStatementMilliseconds }, (slow) =>
    log.warn(slow, 'A statement was slow.'),
  )
}

const logOf = ({ logLevel }: StoreSettings): Log => createLog({ level: logLevel, host: 'store' })

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface OpenStore {
  readonly url: string
  readonly database: Database
  close(): Promise<void>
}

/** The store named by the settings, or the embedded one, with its schema migrated. */
async function openStore(
  settings: StoreSettings,
  budgets: Budgets,
  onFault: (sentence: string) => void,
): Promise<OpenStore> {
  const { databaseUrl, dataDirectory } = settings
  if (databaseUrl !== undefined) return openMigrated(databaseUrl, settings, budgets)
  const embedded = await startEmbeddedStore({ dataDirectory, onFault })
  try {
    const store = await openMigrated(embedded.url, settings, budgets)
    return { ...store, close: () => store.close().finally(embedded.stop) }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function openMigrated(
  url: string,
  { readUrls, namedStatements }: StoreSettings,
  budgets: Budgets,
): Promise<OpenStore> {
  await migrate(url)
  const database = openDatabase({ url, readUrls, applicationName: 'tracker', namedStatements, budgets })
  return { url, database, close: () => database.close() }
}
