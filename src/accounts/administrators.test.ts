import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorsOf } from './administrators.ts'

const demoLogin = 'demo@example.com'
const named = (login: string, hasRole = false) => ({ login, hasRole })

test('the listed logins are the administrators, in any spelling', () => {
  const administrators = administratorsOf({
    adminLogins: [' Ada@Example.com ', 'grace@example.com'],
    demoLogin,
  })
  assert.ok(administrators.isAdministrator(named('ada@example.com')))
  assert.ok(administrators.isAdministrator(named(' GRACE@example.com')))
  assert.ok(!administrators.isAdministrator(named('linus@example.com')))
})

test('the demo account is no administrator once others are listed', () => {
  const administrators = administratorsOf({ adminLogins: ['ada@example.com'], demoLogin })
  assert.ok(!administrators.isAdministrator(named(demoLogin)))
})

test('the demo account alone is the administrator while nobody is listed', () => {
  for (const adminLogins of [[], ['', '  ']]) {
    const administrators = administratorsOf({ adminLogins, demoLogin })
    assert.ok(administrators.isAdministrator(named('Demo@example.com')))
    assert.ok(!administrators.isAdministrator(named('')))
  }
})

test('a role in the store makes an administrator too, unless extensions are off', () => {
  for (const extensions of [true, false]) {
    const administrators = administratorsOf({ adminLogins: ['ada@example.com'], demoLogin, extensions })
    assert.equal(administrators.isAdministrator(named('linus@example.com', true)), extensions)
    assert.ok(administrators.isAdministrator(named('ada@example.com')))
  }
})
