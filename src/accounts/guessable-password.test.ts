import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { whyGuessable } from './passwords.ts'

const commonProblem = 'is one of the most common passwords'
const login = 'Maria.Keller@example.com'

test('a common password is rejected whatever its upper and lower case, and with punctuation around it', () => {
  for (const password of ['Password1!', 'P@ssw0rd', 'PASSWORD1', 'Welcome1!', '  Qwerty123?', '«Letmein1»'])
    assert.equal(whyGuessable(password, login), commonProblem, password)
})

test('the login is rejected with or without its host', () => {
  for (const password of [login, login.toUpperCase(), 'Maria.Keller', '!Maria.Keller!'])
    assert.equal(whyGuessable(password, ` ${login} `), 'must not be the login', password)
  assert.equal(whyGuessable(login, undefined), undefined)
})

test('any other password is accepted', () => {
  for (const password of [
    'Correct-Horse-1',
    // Without the emoji, it is too short to be compared.
    'pAss1😀😀😀',
    'Secret-1',
    'Maria.Keller-2031-Rhine',
    'ÄpfelKüche-9',
  ])
    assert.equal(whyGuessable(password, login), undefined, password)
})

test('the list has more than ten thousand passwords, all in lower case', () => {
  const file = readFileSync(new URL('./common-passwords.txt.gz', import.meta.url))
  const lines = gunzipSync(file).toString('utf8').trimEnd().split('\n')
  assert.ok(new Set(lines).size > 10_000)
  assert.deepEqual(
    lines.filter((line) => line !== line.toLowerCase()),
    [],
  )
})
