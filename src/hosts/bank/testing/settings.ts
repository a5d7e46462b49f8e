import type { BankSettings } from '../configuration.ts'

/** Any free port, nothing on the screen, and a start that is quick rather than warm. */
export const testSettings: BankSettings = {
  host: '127.0.0.1',
  port: 0,
  instances: 2,
  overLimitStatus: 422,
  namedStatements: true,
  logLevel: 'silent',
  metrics: false,
  warmUpRequests: 20,
}
