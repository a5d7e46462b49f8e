import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { administratorsOf, newAccount } from './administrators.ts'
import { isSameLogin, normalizeLogin } from './login.ts'

describe('The same login', () => {
  test('is one in another case and with spaces around it, if both are ASCII', () => {
    assert.ok(isSameLogin(' Ada@Example.com', 'ada@example.com  '))
    assert.ok(isSameLogin('jörg@example.com', ' jörg@example.com'))
  })

  test('is no other one, whether ASCII or not', () => {
    for (const [one, other] of [
      ['alice', 'bob'],
      ['alice', 'alice b'],
      ['Jörg@example.com', 'jörg@example.com'],
      ['\u212ate@example.com', 'kate@example.com'],
      ['kate@example.com', 'kate@example.com\u00a0'],
    ] as const)
      assert.ok(!isSameLogin(one, other) && !isSameLogin(other, one), `${one} ${other}`)
  })
})

test('no letter outside of ASCII becomes one inside', () => {
  for (let code = 0x80; code <= 0x10_ffff; code += 1)
    assert.doesNotMatch(normalizeLogin(String.fromCodePoint(code)), /\p{ASCII}/u, code.toString(16))
})

test('an administrator is listed by another case of the login, not by one that only looks like it', () => {
  const { isAdministrator } = administratorsOf({ adminLogins: ['kate@example.com', 'Jörg@Example.com'] })
  for (const login of ['KATE@example.com ', 'jÖrg@example.com'])
    assert.ok(isAdministrator(newAccount(login)), login)
  for (const login of ['\u212aate@example.com', 'kate@example.com\u00a0', 'jorg@example.com'])
    assert.ok(!isAdministrator(newAccount(login)), login)
})
