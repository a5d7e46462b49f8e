import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createSecurityLog, type SecurityEventName } from './security-log.ts'

test('Events that strangers cause have their lines limited; what an account does has a line each time', () => {
  const plain: SecurityEventName[] = []
  const limited: SecurityEventName[] = []
  const into = (names: SecurityEventName[]) => {
    const write = (details: object) => void names.push((details as { security: SecurityEventName }).security)
    return { info: write, warn: write }
  }
  const log = createSecurityLog({ ...into(plain), ofStrangers: into(limited) })
  const byAccounts = ['token-made', 'account-changed', 'password-changed', 'administrator-changed'] as const
  const byStrangers = ['sign-in', 'token-refused', 'client-refused', 'mail-asked', 'outside-refused'] as const
  for (const event of [...byAccounts, ...byStrangers]) log({ event })
  deepEqual({ plain, limited }, { plain: byAccounts, limited: byStrangers })
})
