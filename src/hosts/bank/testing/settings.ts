import type { BankSettings } from '../configuration.ts'

/**
 * Uses any free port and no log output, and skips most of the warm-up for a quick start. Debits over the limit
 * get 422, so that a test can tell them from applied ones.
 */
export const testSettings: BankSettings = {
  host: '127.0.0.1',
  port: 0,
  instances: 2,
  overLimitStatus: 422,
  logLevel: 'silent',
  metrics: false,
  warmUpRequests: 20,
}
