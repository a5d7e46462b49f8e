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
import type { Tracker } from '../records/context.ts'
import type { DemoAccount } from './demo-account.ts'

/** The store of all hosts of this process. The first that asks opens it; a process whose hosts ask for nothing has none. */
export interface SharedStore {
  /** For hosts that run as processes of their own. */
  url(): Promise<string>
  /** Of a store that has at least one account. */
  tracker(): Promise<Tracker>
  /** From now on forgets rows that nobody reads any more. */
  keepSmall(): Promise<void>
  /** From now on slow statements are logged: those of the start are nobody's request, and its first may be slow. */
  logSlowStatements(): void
  /** Undefined until a host has asked for the tracker. */
  demoAccount(): DemoAccount | undefined
}

interface Process {
  /** What is to be stopped, last first. */
  readonly stops: (() => Promise<void>)[]
  /** Of the embedded database, which is started again. */
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
  const tracker = once(async () => {
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
    tracker,
    keepSmall,
    logSlowStatements: () => opened && logSlowStatements(opened, settings),
    demoAccount: () => account,
  }
}

/** Loaded only where somebody wants it. */
async function startTelemetry(
  database: Database,
  telemetry: TelemetrySettings,
): Promise<() => Promise<void>> {
  const { openTelemetry } = await import('../observability/open-telemetry.ts')
  return openTelemetry(database, telemetry).stop
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

/** The store the settings name, or the embedded one, with its schema brought up to date. */
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
