import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createSecurityLog, type SecurityEventName } from './security-log.ts'

test('Events caused without an account have limited lines; each action of an account has its own line', () => {
  const plain: SecurityEventName[] = []
  const limited: SecurityEventName[] = []
  const into = (names: SecurityEventName[]) => {
    const write = (details: object) => void names.push((details as { security: SecurityEventName }).security)
    return { info: write, warn: write }
  }
  const log = createSecurityLog({ ...into(plain), rateLimited: into(limited) })
  const byAccounts = ['token-made', 'account-changed', 'password-changed', 'administrator-changed'] as const
  const byUnauthenticated = [
    'sign-in',
    'token-refused',
    'client-refused',
    'mail-asked',
    'outside-refused',
  ] as const
  for (const event of [...byAccounts, ...byUnauthenticated]) log({ event })
  deepEqual({ plain, limited }, { plain: byAccounts, limited: byUnauthenticated })
})
