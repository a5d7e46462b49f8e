import type { Settings } from './settings.ts'

export interface StoreSettings {
  /** None: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  readonly dataDirectory: string
  /** Off for poolers in transaction mode that do not know named statements. */
  readonly namedStatements: boolean
  /** What the names of the hosts' database roles begin with. */
  readonly rolePrefix: string
  /** 0 keeps the history for ever. */
  readonly historyDays: number
  readonly demoLogin: string
  readonly demoPassword: string | undefined
  readonly demoData: boolean
}

export function readStoreSettings(settings: Settings): StoreSettings {
  const databaseUrl = settings.optionalText('DATABASE_URL')
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    settings.refuse('DATABASE_URL must start with postgresql://.')
  }
  return {
    databaseUrl,
    dataDirectory: settings.text('DATA_DIR', '.data'),
    namedStatements: settings.flag('DB_NAMED_STATEMENTS', true),
    rolePrefix: settings.text('DB_ROLE_PREFIX', 'tracker_'),
    historyDays: readHistoryDays(settings),
    demoLogin: settings.text('SVC_DEMO_LOGIN', 'demo@example.com'),
    demoPassword: settings.optionalText('SVC_DEMO_PASSWORD'),
    demoData: settings.flag('SVC_DEMO_DATA', databaseUrl === undefined),
  }
}

/** Shorter than any audit asks for, and than live listings look back. */
const historyDaysMin = 30

function readHistoryDays(settings: Settings): number {
  const days = settings.wholeNumber('HISTORY_DAYS', 0, { min: 0, max: 36_500 })
  if (days > 0 && days < historyDaysMin)
    settings.refuse(`HISTORY_DAYS must be 0, for ever, or at least ${historyDaysMin}.`)
  return days
}
