import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSameLogin } from './sign-in.ts'

describe('isSameLogin', () => {
  test('ignores spaces around a login and the case of ASCII letters', () => {
    assert.ok(isSameLogin(' Ada@Example.com', 'ada@example.com  '))
    assert.ok(isSameLogin('Jörg@example.com', ' jörg@example.com'))
  })

  test('distinguishes all other logins, whether they are ASCII or not', () => {
    for (const [one, other] of [
      ['alice', 'bob'],
      ['alice', 'alice b'],
      ['JÖRG@example.com', 'jörg@example.com'],
      ['\u212ate@example.com', 'kate@example.com'],
      ['kate@example.com', 'kate@example.com\u00a0'],
      ['kate@example.com', 'kate@example.com\t'],
    ] as const)
      assert.ok(!isSameLogin(one, other) && !isSameLogin(other, one), `${one} ${other}`)
  })
})
