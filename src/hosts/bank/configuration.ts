import { type MetricsSettings, readMetricsSettings } from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { readTrackerSettings } from '../../config/tracker-settings.ts'

export interface BankSettings extends MetricsSettings {
  readonly host: string
  readonly port: number
  readonly instances: number
  /** What a debit over the limit is answered with: the contract's 200, or the 422 of the challenge's rules. */
  readonly overLimitStatus: 200 | 422
  readonly namedStatements: boolean
  readonly logLevel: string | undefined
  /** How many requests each process answers to itself before it listens. */
  readonly warmUpRequests: number
}

/** After these, further requests no longer get faster. */
const warmUpRequests = 500

export function readBankSettings(settings: Settings): BankSettings {
  const { host, logLevel } = readTrackerSettings(settings)
  return {
    host,
    logLevel,
    port: settings.get('BANK_PORT'),
    instances: settings.get('BANK_INSTANCES'),
    overLimitStatus: settings.get('BANK_OVER_LIMIT_STATUS'),
    namedStatements: settings.get('DB_NAMED_STATEMENTS'),
    ...readMetricsSettings(settings),
    warmUpRequests,
  }
}
