import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPasswords } from '../accounts/passwords.ts'
import { type Budgets, openBudgets } from '../config/budgets.ts'
import type { TelemetrySettings } from '../config/host-settings.ts'
import type { StoreSettings } from '../config/store-settings.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { startEmbeddedStore } from '../db/embedded/start-embedded-store.ts'
import { migrate } from '../db/migrate.ts'
import { createLog } from '../http/log.ts'
import { watchSlowStatements } from '../observability/slow-statements.ts'
import type { Context } from '../records/context.ts'
import type { DemoAccount } from './demo-account.ts'

/** The store shared by all hosts of this process. The first request opens it; without one it stays closed. */
export interface SharedStore {
  /** The address for hosts that run as separate processes. */
  url(): Promise<string>
  /** The context of a store that has at least one account. */
  context(): Promise<Context>
  /** Starts the purging of old rows. */
  keepSmall(): Promise<void>
  /** Starts logging slow statements. Those of the start belong to no request, and its first may be slow. */
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
      // Loaded while the database starts.
      nextTurn().then(() => import('./demo-account.ts')),
    ])
    const made = { database, passwords: createPasswords({}, budgets), budgets }
    account = await seedDemoAccount(made, settings)
    return made
  })
  const keepSmall = once(async () => {
    const { database } = await open()
    const { keepSmall } = await import('./keep-small.ts')
    stops.push(...(await keepSmall(database, settings)))
  })
  return {
    url: async () => (await open()).url,
    context,
    keepSmall,
    logSlowStatements: () => opened && logSlowStatements(opened, settings),
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

function logSlowStatements(database: Database, { slowStatementMilliseconds, logLevel }: StoreSettings) {
  if (slowStatementMilliseconds === 0) return
  const log = createLog({ level: logLevel, host: 'store' })
  watchSlowStatements(database, { slowMilliseconds: slowStatementMilliseconds }, (slow) =>
    log.warn(slow, 'A statement was slow.'),
  )
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make()
    return made
  }
}

export interface OpenStore {
  readonly url: string
  readonly database: Database
  close(): Promise<void>
}

/** The store named by the settings, or the embedded one, with its schema migrated. */
async function openStore(
  { databaseUrl, readUrls, dataDirectory, namedStatements }: StoreSettings,
  budgets: Budgets,
  onFault: (sentence: string) => void,
): Promise<OpenStore> {
  const embedded =
    databaseUrl === undefined ? await startEmbeddedStore({ dataDirectory, onFault }) : undefined
  const url = databaseUrl ?? embedded?.url ?? ''
  try {
    await migrate(url)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
  const database = openDatabase({ url, readUrls, applicationName: 'tracker', namedStatements, budgets })
  return {
    url,
    database,
    async close() {
      await database.close()
      await embedded?.stop()
    },
  }
}
