import type { Settings } from '../../configuration/settings.ts'
import { readPort, readTrackerSettings } from '../../configuration/tracker-settings.ts'

export interface BankSettings {
  readonly host: string
  readonly port: number
  readonly instances: number
  /** What a debit over the limit is answered with: the contract's 200, or the 422 of the challenge's rules. */
  readonly overLimitStatus: 200 | 422
  /** Faster on slow disks; a crash of the database then takes the last half second of answered transactions along. */
  readonly losesAnsweredOnCrash: boolean
  readonly namedStatements: boolean
  readonly logLevel: string
  readonly metrics: boolean
  /** How many requests each process answers to itself before it listens. */
  readonly warmUpRequests: number
}

/** Each is a process with two connections; more of them than cores only share the cores. */
const instancesMax = 8

/** After these, further requests no longer get faster. */
const warmUpRequests = 500

export function readBankSettings(settings: Settings): BankSettings {
  const { host, logLevel } = readTrackerSettings(settings)
  const overLimitStatus = overLimitStatuses[settings.text('BANK_OVER_LIMIT_STATUS', '200')]
  if (overLimitStatus === undefined) settings.refuse('BANK_OVER_LIMIT_STATUS must be 200 or 422.')
  return {
    host,
    logLevel,
    port: readPort(settings, 'BANK_PORT', 9999),
    instances: settings.wholeNumber('BANK_INSTANCES', 2, { min: 1, max: instancesMax }),
    overLimitStatus: overLimitStatus ?? 200,
    losesAnsweredOnCrash: settings.flag('BANK_LOSE_ANSWERED_TRANSACTIONS_ON_CRASH', false),
    namedStatements: settings.flag('DB_NAMED_STATEMENTS', true),
    metrics: settings.flag('METRICS', false),
    warmUpRequests,
  }
}

const overLimitStatuses: Readonly<Record<string, 200 | 422 | undefined>> = { 200: 200, 422: 422 }
