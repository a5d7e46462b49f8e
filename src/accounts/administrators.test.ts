import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorsOf, type PossibleAdministrator } from './administrators.ts'

const accountWith = (login: string, properties: Partial<PossibleAdministrator> = {}) => ({
  login,
  hasRole: false,
  isSeeded: false,
  ...properties,
})

test('accounts with listed logins are administrators, regardless of case and spaces', () => {
  const administrators = administratorsOf({ adminLogins: [' Ada@Example.com ', 'grace@example.com'] })
  assert.ok(administrators.isAdministrator(accountWith('ada@example.com')))
  assert.ok(administrators.isAdministrator(accountWith(' GRACE@example.com')))
  assert.ok(!administrators.isAdministrator(accountWith('linus@example.com')))
})

test('logins that look like a listed login are reserved', () => {
  const administrators = administratorsOf({ adminLogins: ['kate@example.com'] })
  for (const login of ['\u212aate@example.com', 'kate@example.com\u00a0', '\tkate@example.com']) {
    assert.ok(administrators.isReserved(login), login)
    assert.ok(!administrators.isAdministrator(accountWith(login)), login)
  }
  assert.ok(administrators.isReserved(' KATE@example.com'))
  assert.ok(!administrators.isReserved('linus@example.com'))
})

test('no login is reserved while none is listed', () => {
  assert.ok(!administratorsOf({ adminLogins: ['', ' '] }).isReserved(''))
})

test('the seeded account is no administrator if any login is listed', () => {
  const administrators = administratorsOf({ adminLogins: ['ada@example.com'] })
  assert.ok(!administrators.isAdministrator(accountWith('demo@example.com', { isSeeded: true })))
})

test('only the seeded account is an administrator if no login is listed', () => {
  for (const adminLogins of [[], ['', '  ']]) {
    const administrators = administratorsOf({ adminLogins })
    assert.ok(administrators.isAdministrator(accountWith('renamed@example.com', { isSeeded: true })))
    assert.ok(!administrators.isAdministrator(accountWith('demo@example.com')))
    assert.ok(!administrators.isAdministrator(accountWith('')))
  }
})

test('an account with the stored role is an administrator if the extensions are on', () => {
  for (const extensions of [true, false]) {
    const administrators = administratorsOf({ adminLogins: ['ada@example.com'], extensions })
    assert.equal(
      administrators.isAdministrator(accountWith('linus@example.com', { hasRole: true })),
      extensions,
    )
    assert.ok(administrators.isAdministrator(accountWith('ada@example.com')))
  }
})
