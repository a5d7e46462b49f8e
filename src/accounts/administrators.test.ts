import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorsOf } from './administrators.ts'

const demoLogin = 'demo@example.com'

test('the listed logins are the administrators, in any spelling', () => {
  const administrators = administratorsOf({
    adminLogins: [' Ada@Example.com ', 'grace@example.com'],
    demoLogin,
  })
  assert.ok(administrators.isAdministrator('ada@example.com'))
  assert.ok(administrators.isAdministrator(' GRACE@example.com'))
  assert.ok(!administrators.isAdministrator('linus@example.com'))
})

test('the demo account is no administrator once others are listed', () => {
  const administrators = administratorsOf({ adminLogins: ['ada@example.com'], demoLogin })
  assert.ok(!administrators.isAdministrator(demoLogin))
})

test('the demo account alone is the administrator while nobody is listed', () => {
  for (const adminLogins of [[], ['', '  ']]) {
    const administrators = administratorsOf({ adminLogins, demoLogin })
    assert.ok(administrators.isAdministrator('Demo@example.com'))
    assert.ok(!administrators.isAdministrator(''))
  }
})
