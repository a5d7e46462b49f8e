import { type MetricsSettings, readMetricsSettings } from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'

export interface BankSettings extends MetricsSettings {
  readonly host: string
  readonly port: number
  readonly instances: number
  /** The status for a debit over the limit: 200 in the contract, 422 in the challenge's rules. */
  readonly overLimitStatus: 200 | 422
  readonly logLevel: string | undefined
  /** The number of warm-up requests each process sends to itself before it listens. */
  readonly warmUpRequests: number
}

/** More of them would not make later requests any faster. */
const warmUpRequests = 500

export function readBankSettings(settings: Settings): BankSettings {
  return {
    host: settings.get('HOST'),
    logLevel: settings.get('LOG_LEVEL'),
    port: settings.get('BANK_PORT'),
    instances: settings.get('BANK_INSTANCES'),
    overLimitStatus: settings.get('BANK_OVER_LIMIT_STATUS'),
    ...readMetricsSettings(settings),
    warmUpRequests,
  }
}
