import type { Settings } from './settings.ts'
import { readTelemetrySettings, type TelemetrySettings } from './telemetry-settings.ts'
import { readLogLevel } from './tracker-settings.ts'

export interface StoreSettings {
  /** None: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  /** Standbys that lists may be read from. */
  readonly readUrls: readonly string[]
  readonly dataDirectory: string
  /** Off for poolers in transaction mode that do not know named statements. */
  readonly namedStatements: boolean
  /** What the names of the hosts' database roles begin with. */
  readonly rolePrefix: string
  /** 0 keeps the history for ever. */
  readonly historyDays: number
  /** 0 keeps removed rows for ever. */
  readonly removedDays: number
  readonly changeLogDays: number
  /** 0 tells of none. */
  readonly slowStatementMilliseconds: number
  readonly logLevel: string
  /** None: nobody is told of requests and statements. */
  readonly telemetry: TelemetrySettings | undefined
  readonly demoLogin: string
  readonly demoPassword: string | undefined
  readonly demoData: boolean
}

export function readStoreSettings(settings: Settings): StoreSettings {
  const databaseUrl = settings.optionalText('DATABASE_URL')
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    settings.refuse('DATABASE_URL must start with postgresql://.')
  }
  const readUrls = settings.entries('DATABASE_READ_URL')
  if (readUrls.some((url) => !/^postgres(ql)?:\/\//.test(url)))
    settings.refuse('DATABASE_READ_URL must be addresses that start with postgresql://, separated by commas.')
  if (readUrls.length > 0 && databaseUrl === undefined)
    settings.refuse('DATABASE_READ_URL needs DATABASE_URL: the embedded store has no standbys.')
  return {
    databaseUrl,
    readUrls,
    dataDirectory: settings.text('DATA_DIR', '.data'),
    namedStatements: settings.flag('DB_NAMED_STATEMENTS', true),
    rolePrefix: settings.text('DB_ROLE_PREFIX', 'tracker_'),
    historyDays: readDaysKept(settings, 'HISTORY_DAYS'),
    removedDays: readDaysKept(settings, 'REMOVED_DAYS'),
    changeLogDays: settings.wholeNumber('CHANGE_LOG_DAYS', 30, { min: 1, max: daysMax }),
    slowStatementMilliseconds: settings.wholeNumber('SLOW_STATEMENT_MILLISECONDS', 1000, {
      min: 0,
      max: 60_000,
    }),
    logLevel: readLogLevel(settings),
    telemetry: readTelemetrySettings(settings),
    demoLogin: settings.text('SVC_DEMO_LOGIN', 'demo@example.com'),
    demoPassword: settings.optionalText('SVC_DEMO_PASSWORD'),
    demoData: settings.flag('SVC_DEMO_DATA', databaseUrl === undefined),
  }
}

/** Shorter than any audit asks for, and than live listings look back. */
const daysMin = 30
const daysMax = 36_500

function readDaysKept(settings: Settings, name: string): number {
  const days = settings.wholeNumber(name, 0, { min: 0, max: daysMax })
  if (days > 0 && days < daysMin) settings.refuse(`${name} must be 0, for ever, or at least ${daysMin}.`)
  return days
}
