import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { array, map } from '../../../../test/support/message-pack-encoder.ts'
import { UnreadableMessageError } from '../message.ts'
import { MessagePackReader } from './message-pack-format.ts'

const next = (bytes: Buffer) => new MessagePackReader(bytes).next()

describe('a token', () => {
  it('of an array or a map is rejected if it claims more entries than the bytes can hold', () => {
    for (const [width, claimed] of [
      [0, 3],
      [2, 65_535],
      [4, 2 ** 32 - 1],
    ] as const) {
      assert.throws(() => next(array([1, 2], width, claimed)), UnreadableMessageError)
      assert.throws(
        () =>
          next(
            map(
              [
                [1, 2],
                [3, 4],
              ],
              width,
              claimed,
            ),
          ),
        UnreadableMessageError,
      )
    }
    assert.deepEqual(next(array([1, 2])), { kind: 'array', length: 2 })
    assert.deepEqual(next(map([[1, 2]])), { kind: 'map', length: 1 })
  })
})
