import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readSettings, SettingsError } from '../../config/settings.ts'
import { readBankSettings } from './configuration.ts'

describe('the settings of the bank', () => {
  test('have defaults', () => {
    assert.deepEqual(readSettings({}, readBankSettings), {
      host: '127.0.0.1',
      port: 9999,
      instances: 2,
      overLimitStatus: 200,
      metrics: false,
      logLevel: undefined,
      warmUpRequests: 500,
    })
  })

  test('are read from the environment', () => {
    const environment = {
      HOST: '0.0.0.0',
      BANK_PORT: '80',
      BANK_INSTANCES: '1',
      BANK_OVER_LIMIT_STATUS: '422',
      METRICS: 'true',
      LOG_LEVEL: 'warn',
    }
    assert.deepEqual(readSettings(environment, readBankSettings), {
      host: '0.0.0.0',
      port: 80,
      instances: 1,
      overLimitStatus: 422,
      metrics: true,
      logLevel: 'warn',
      warmUpRequests: 500,
    })
  })

  test('are rejected together if they are invalid', () => {
    const environment = { BANK_PORT: '-1', BANK_INSTANCES: '0', BANK_OVER_LIMIT_STATUS: '500' }
    assert.throws(
      () => readSettings(environment, readBankSettings),
      (error: SettingsError) => error instanceof SettingsError && error.problems.length === 3,
    )
  })
})
