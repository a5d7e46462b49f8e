import { forgetOldLockouts } from '../accounts/lockouts.ts'
import { createPasswords } from '../accounts/passwords.ts'
import { openBudgets } from '../configuration/budgets.ts'
import type { StoreSettings } from '../configuration/store-settings.ts'
import type { TelemetrySettings } from '../configuration/telemetry-settings.ts'
import { createLog } from '../http/log.ts'
import { forgetOldKeys } from '../operations/idempotency-keys.ts'
import type { Tracker } from '../operations/tracker.ts'
import { resources } from '../resources/all.ts'
import { repeat } from '../schedule/repeat.ts'
import { forgetOldChanges } from '../store/change-log.ts'
import type { Database } from '../store/database.ts'
import { forgetRemoved } from '../store/forget-removed.ts'
import { sealHistory } from '../store/history-chain.ts'
import { keepHistory } from '../store/history-months.ts'
import { watchSlowStatements } from '../store/slow-statements.ts'
import { type DemoAccount, seedDemoAccount } from './demo-account.ts'
import { openStore } from './open-store.ts'

/** The store of all hosts of this process. The first that asks opens it; a process whose hosts ask for nothing has none. */
export interface SharedStore {
  /** For hosts that run as processes of their own. */
  url(): Promise<string>
  /** Of a store that has at least one account. */
  tracker(): Promise<Tracker>
  /** From now on forgets rows that nobody reads any more. */
  keepSmall(): Promise<void>
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
  const budgets = openBudgets()
  const open = once(async () => {
    const store = await openStore(settings, budgets, onFault)
    stops.push(store.close)
    logSlowStatements(store.database, settings)
    if (settings.telemetry) stops.push(await startTelemetry(store.database, settings.telemetry))
    return store
  })
  const tracker = once(async () => {
    const { database } = await open()
    const made = { database, passwords: createPasswords({}, budgets), budgets }
    account = await seedDemoAccount(made, settings)
    return made
  })
  const keepSmall = once(async () => {
    const { database } = await open()
    const history = () => keepHistory(database, settings.historyDays)
    const seal = () => sealHistory(database)
    // Before the first write, so that a month that began while nobody was running has its place.
    await history()
    const jobs = [
      () => forgetOldChanges(database, settings.changeLogDays),
      () => forgetRemoved(database, resources, settings.removedDays),
      () => forgetOldLockouts(database),
      () => forgetOldKeys(database),
      history,
      seal,
    ]
    const onFailure = (error: unknown) => console.error('Maintenance waits for the store:', error)
    for (const job of jobs) stops.push(repeat({ everyMilliseconds: betweenSweeps(), onFailure }, job).stop)
  })
  return { url: async () => (await open()).url, tracker, keepSmall, demoAccount: () => account }
}

/** Loaded only where somebody wants it. */
async function startTelemetry(
  database: Database,
  telemetry: TelemetrySettings,
): Promise<() => Promise<void>> {
  const { openTelemetry } = await import('../telemetry/open-telemetry.ts')
  return openTelemetry(database, telemetry).stop
}

function logSlowStatements(database: Database, { slowStatementMilliseconds, logLevel }: StoreSettings) {
  if (slowStatementMilliseconds === 0) return
  const log = createLog({ level: logLevel, host: 'store' })
  watchSlowStatements(database, { slowMilliseconds: slowStatementMilliseconds }, (slow) =>
    log.warn(slow, 'A statement was slow.'),
  )
}

/**
 * Nothing of what is forgotten is missed if it stays some hours longer, and instances that started together do not all
 * sweep together. Each job is safe beside another instance that does the same: both delete what nobody reads any more.
 */
const betweenSweeps = () => 60 * 60_000 * (0.5 + Math.random())

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make()
    return made
  }
}
