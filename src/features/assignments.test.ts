import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ranksBetween } from './assignments.ts'

describe('Ranks between two others', () => {
  for (const [low, high, count] of [
    ['0000000001V', '0000000002V', 1],
    ['', '0000000001V', 1],
    ['', '1', 3],
    ['A', 'AV', 100],
    ['0000000009V', '0000000010V', 1000],
    ['z', 'z1', 1],
  ] as const)
    test(`are sorted, and none ends with a zero: ${count} between “${low}” and “${high}”`, () => {
      const ranks = ranksBetween(low, high, count) ?? []
      assert.equal(ranks.length, count)
      const all = [low, ...ranks, high]
      assert.deepEqual(all, [...new Set(all)].sort())
      for (const rank of ranks) assert.match(rank, /[^0]$/)
    })

  test('do not exist if the upper rank is not greater than the lower rank', () => {
    assert.equal(ranksBetween('A', 'A', 1), undefined)
    assert.equal(ranksBetween('B', 'A', 1), undefined)
  })

  test('grow by at most one digit for every five ranks that halve the same range', () => {
    let [low, high] = ['0000000001V', '0000000002V']
    for (let count = 0; count < 240; count += 1) {
      const [rank = ''] = ranksBetween(low, high, 1) ?? []
      assert.ok(low < rank && rank < high)
      if (count % 2) low = rank
      else high = rank
    }
    assert.ok(low.length <= 11 + 240 / 5, `${low.length}`)
  })
})
