import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSameLogin } from './sign-in.ts'

describe('The same login', () => {
  test('may have spaces around it, and its ASCII letters may be in another case', () => {
    assert.ok(isSameLogin(' Ada@Example.com', 'ada@example.com  '))
    assert.ok(isSameLogin('Jörg@example.com', ' jörg@example.com'))
  })

  test('is no other one, whether ASCII or not', () => {
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
