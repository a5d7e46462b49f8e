import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32 } from './account-factors.ts'
import { codeAt, stepOfCode } from './authenticator-app.ts'

/** RFC 6238, appendix B, for SHA-1, whose codes have eight digits. */
const secret = Buffer.from('12345678901234567890')
const vectors: Readonly<Record<string, string>> = {
  59: '94287082',
  1111111109: '07081804',
  1111111111: '14050471',
  1234567890: '89005924',
  2000000000: '69279037',
  20000000000: '65353130',
}

test('the codes equal the examples of RFC 6238', () => {
  for (const [seconds, code] of Object.entries(vectors)) {
    const step = Math.floor(Number(seconds) / 30)
    assert.equal(codeAt(secret, step, 8), code)
    assert.equal(stepOfCode(secret, code.slice(2), Number(seconds) * 1000), step)
  }
})

test('a code is accepted one step before and after its own step', () => {
  const now = 1234567890_000
  const step = Math.floor(now / 30_000)
  for (const offset of [-1, 0, 1])
    assert.equal(stepOfCode(secret, codeAt(secret, step + offset), now), step + offset)
  for (const offset of [-2, 2])
    assert.equal(stepOfCode(secret, codeAt(secret, step + offset), now), undefined)
})

test('a text that is not six ASCII digits is no code', () => {
  for (const text of ['', '12345', '1234567', 'abcdef', '００００００'])
    assert.equal(stepOfCode(secret, text, 1234567890_000), undefined)
})

test('a secret is encoded as in RFC 4648', () => {
  const encoded = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))
  assert.deepEqual(encoded, ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'])
})
