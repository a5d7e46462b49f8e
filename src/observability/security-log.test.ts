import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createSecurityLog, type SecurityEventName } from './security-log.ts'

test('Log lines of events that need no valid token are limited', () => {
  const unlimited: SecurityEventName[] = []
  const limited: SecurityEventName[] = []
  const writersTo = (names: SecurityEventName[]) => {
    const write = (details: object) => void names.push((details as { security: SecurityEventName }).security)
    return { info: write, warn: write }
  }
  const log = createSecurityLog({ ...writersTo(unlimited), rateLimited: writersTo(limited) })
  const byAccounts = ['token-made', 'account-changed', 'password-changed', 'administrator-changed'] as const
  const byUnauthenticated = [
    'sign-in',
    'token-refused',
    'client-refused',
    'mail-asked',
    'outside-refused',
  ] as const
  for (const event of [...byAccounts, ...byUnauthenticated]) log({ event })
  deepEqual({ unlimited, limited }, { unlimited: byAccounts, limited: byUnauthenticated })
})
