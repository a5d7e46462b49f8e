import { daysKeptMin } from './declared-settings.ts'
import { readTelemetrySettings, type TelemetrySettings } from './host-settings.ts'
import type { Settings } from './settings.ts'

export interface StoreSettings {
  /** Undefined for the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  /** Standbys that may serve lists. */
  readonly readUrls: readonly string[]
  readonly dataDirectory: string
  /** Switched off for poolers in transaction mode that do not support named statements. */
  readonly namedStatements: boolean
  /** 0 keeps the history forever. */
  readonly historyDays: number
  /** 0 keeps removed rows forever. */
  readonly removedDays: number
  /** 0 reports none. */
  readonly slowStatementMilliseconds: number
  readonly logLevel: string | undefined
  /** Undefined: requests and statements are not reported. */
  readonly telemetry: TelemetrySettings | undefined
  readonly demoLogin: string
  readonly demoPassword: string | undefined
  readonly demoData: boolean
}

export function readStoreSettings(settings: Settings): StoreSettings {
  const databaseUrl = settings.get('DATABASE_URL')
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    settings.reject('DATABASE_URL must start with postgresql://.')
  }
  const readUrls = settings.get('DATABASE_READ_URL')
  if (readUrls.some((url) => !/^postgres(ql)?:\/\//.test(url)))
    settings.reject('DATABASE_READ_URL must be addresses that start with postgresql://, separated by commas.')
  if (readUrls.length > 0 && databaseUrl === undefined)
    settings.reject('DATABASE_READ_URL needs DATABASE_URL: the embedded store has no standbys.')
  return {
    databaseUrl,
    readUrls,
    dataDirectory: settings.get('DATA_DIR'),
    namedStatements: settings.get('DB_NAMED_STATEMENTS'),
    historyDays: readDaysKept(settings, 'HISTORY_DAYS'),
    removedDays: readDaysKept(settings, 'REMOVED_DAYS'),
    slowStatementMilliseconds: settings.get('SLOW_STATEMENT_MILLISECONDS'),
    logLevel: settings.get('LOG_LEVEL'),
    telemetry: readTelemetrySettings(settings),
    demoLogin: settings.get('SVC_DEMO_LOGIN'),
    demoPassword: settings.get('SVC_DEMO_PASSWORD'),
    demoData: settings.get('SVC_DEMO_DATA') ?? databaseUrl === undefined,
  }
}

function readDaysKept(settings: Settings, name: 'HISTORY_DAYS' | 'REMOVED_DAYS'): number {
  const days = settings.get(name)
  if (days > 0 && days < daysKeptMin)
    settings.reject(`${name} must be 0 (forever) or at least ${daysKeptMin}.`)
  return days
}
