import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keysIn } from '../../web/src/app/typed-keys.ts'

describe('A text in the palette', () => {
  const keys = ['WEB', 'QUAYS', 'QUA', 'AB1']
  for (const { text, expected } of [
    { text: 'QUA-30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'qua 30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'qua30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'q30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'ab1-30', expected: ['AB1-30'] },
    { text: '30', expected: ['WEB-30', 'QUAYS-30', 'QUA-30', 'AB1-30'] },
    // A former key of a project is not among the known ones, but its hyphen shows that it is meant as a key.
    { text: 'old-30', expected: ['OLD-30'] },
    { text: 'week 30', expected: [] },
    { text: '030', expected: [] },
    { text: 'qua', expected: [] },
  ])
    test(`“${text}” ${expected.length > 0 ? `may mean ${expected.join(' and ')}` : 'means no key'}`, () => {
      assert.deepEqual(keysIn(text, keys), expected)
    })

  test('means at most a dozen assignments by a number alone', () => {
    const many = Array.from({ length: 20 }, (_, index) => `P${index}`)
    assert.deepEqual(
      keysIn('7', many),
      many.slice(0, 12).map((key) => `${key}-7`),
    )
  })
})
