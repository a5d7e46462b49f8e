import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorsOf, type PossibleAdministrator } from './administrators.ts'

const named = (login: string, others: Partial<PossibleAdministrator> = {}) => ({
  ...{ login, hasRole: false, isSeeded: false },
  ...others,
})

test('the listed logins are the administrators, in any spelling', () => {
  const administrators = administratorsOf({ adminLogins: [' Ada@Example.com ', 'grace@example.com'] })
  assert.ok(administrators.isAdministrator(named('ada@example.com')))
  assert.ok(administrators.isAdministrator(named(' GRACE@example.com')))
  assert.ok(!administrators.isAdministrator(named('linus@example.com')))
})

test('logins that only look like a listed one are reserved, but make no administrator', () => {
  const administrators = administratorsOf({ adminLogins: ['kate@example.com'] })
  for (const login of ['\u212aate@example.com', 'kate@example.com\u00a0', '\tkate@example.com']) {
    assert.ok(administrators.isReserved(login), login)
    assert.ok(!administrators.isAdministrator(named(login)), login)
  }
  assert.ok(administrators.isReserved(' KATE@example.com'))
  assert.ok(!administrators.isReserved('linus@example.com'))
})

test('no login is reserved while none is listed', () => {
  assert.ok(!administratorsOf({ adminLogins: ['', ' '] }).isReserved(''))
})

test('the seeded account is no administrator once others are listed', () => {
  const administrators = administratorsOf({ adminLogins: ['ada@example.com'] })
  assert.ok(!administrators.isAdministrator(named('demo@example.com', { isSeeded: true })))
})

test('the seeded account alone is the administrator while no login is listed, regardless of its own login', () => {
  for (const adminLogins of [[], ['', '  ']]) {
    const administrators = administratorsOf({ adminLogins })
    assert.ok(administrators.isAdministrator(named('renamed@example.com', { isSeeded: true })))
    assert.ok(!administrators.isAdministrator(named('demo@example.com')))
    assert.ok(!administrators.isAdministrator(named('')))
  }
})

test('a role in the store makes an administrator too, unless extensions are off', () => {
  for (const extensions of [true, false]) {
    const administrators = administratorsOf({ adminLogins: ['ada@example.com'], extensions })
    assert.equal(administrators.isAdministrator(named('linus@example.com', { hasRole: true })), extensions)
    assert.ok(administrators.isAdministrator(named('ada@example.com')))
  }
})
