import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keysIn } from '../../web/src/app/typed-keys.ts'

describe('A text in the palette', () => {
  const keys = { all: ['QUAYS', 'QUA', 'AB1', 'WEB'], open: 'WEB' }
  for (const { text, expected } of [
    { text: 'QUA-30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'qua 30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'qua30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'q30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'ab1-30', expected: ['AB1-30'] },
    { text: '30', expected: ['WEB-30'] },
    // A former key of a project is not among the known ones, but its hyphen shows that it is meant as a key.
    { text: 'old-30', expected: ['OLD-30'] },
    { text: 'week 30', expected: [] },
    { text: '030', expected: [] },
    { text: 'qua', expected: [] },
  ])
    test(`“${text}” ${expected.length > 0 ? `may mean ${expected.join(' and ')}` : 'means no key'}`, () => {
      assert.deepEqual(keysIn(text, keys), expected)
    })

  test('means no assignment by a number alone if no project is open', () => {
    assert.deepEqual(keysIn('30', { ...keys, open: undefined }), [])
  })
})
