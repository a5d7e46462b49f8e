import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedCache } from './access-token.ts'

test('a value is cached until its expiry or until newer values displace it', () => {
  let clock = 0
  const cache = createBoundedCache<number>({ entriesMax: 2, now: () => clock })
  cache.set('one', 1, 10)
  cache.set('two', 2, 20)
  clock = 9
  assert.equal(cache.get('one'), 1)
  // 11 ms remain. A read that requires this much time removes the entry.
  assert.deepEqual([cache.get('two', 10), cache.get('two', 11)], [2, undefined])
  cache.set('two', 2, 20)
  clock = 10
  assert.equal(cache.get('one'), undefined)
  cache.set('three', 3, 30)
  cache.set('two', 22, 30)
  cache.set('four', 4, 30)
  assert.deepEqual(
    ['two', 'three', 'four'].map((key) => cache.get(key)),
    [22, undefined, 4],
  )
  cache.delete('four')
  assert.equal(cache.get('four'), undefined)
})
