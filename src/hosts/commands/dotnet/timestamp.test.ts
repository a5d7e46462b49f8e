import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { instant, timestamp } from '../../../../test/support/message-pack-encoder.ts'
import { parseTimestamp, UnreadableMessageError, unreadable } from '../message.ts'
import { decodeTimestamp, isTimestamp } from './message-pack.ts'
import { MessagePackReader, MessagePackWriter } from './message-pack-format.ts'

function read(bytes: Buffer) {
  const token = new MessagePackReader(bytes).next()
  assert.ok(isTimestamp(token))
  return decodeTimestamp(token.extension.bytes)
}

const timestamps = {
  '1970-01-01T00:00:00Z': [32, 64, 96],
  '2026-10-08T12:34:56Z': [32, 64, 96],
  '2106-02-07T06:28:15Z': [32, 64, 96],
  '2106-02-07T06:28:16Z': [64, 96],
  '2514-05-30T01:53:03Z': [64, 96],
  '2514-05-30T01:53:04Z': [96],
  '1969-12-31T23:59:59Z': [96],
  '0001-01-01T00:00:00Z': [96],
  '0099-03-01T00:00:00Z': [96],
  '9999-12-31T23:59:59Z': [96],
} as const

describe('a timestamp', () => {
  for (const [text, forms] of Object.entries(timestamps)) {
    for (const bits of forms) {
      it(`of ${bits} bits holds ${text}`, () => {
        assert.equal(read(timestamp(bits, BigInt(Date.parse(text) / 1000))), text)
      })
    }
  }

  it('keeps microseconds and drops smaller fractions', () => {
    for (const bits of [64, 96] as const) {
      const at = (nanoseconds: bigint) => read(timestamp(bits, 1_800_000_000n, nanoseconds))
      assert.equal(at(1_000n), '2027-01-15T08:00:00.000001Z')
      assert.equal(at(123_456_700n), '2027-01-15T08:00:00.123456Z')
      assert.equal(at(999_999_999n), '2027-01-15T08:00:00.999999Z')
      assert.equal(at(999n), '2027-01-15T08:00:00Z')
    }
    assert.equal(read(timestamp(96, -1n, 500_000_000n)), '1969-12-31T23:59:59.5Z')
  })

  it('with a year out of range or too many nanoseconds is left for its field to reject', () => {
    for (const seconds of [-(2n ** 63n), 2n ** 63n - 1n, -62_135_596_801n, 253_402_300_800n]) {
      assert.equal(read(timestamp(96, seconds)), unreadable)
    }
    assert.equal(read(timestamp(64, 0n, 1_000_000_000n)), unreadable)
    assert.equal(read(timestamp(96, 0n, 4_294_967_295n)), unreadable)
  })

  it('of any other size is rejected', () => {
    for (const size of [0, 1, 2, 3, 5, 7, 9, 11, 13, 16, 300]) {
      assert.throws(() => decodeTimestamp(Buffer.alloc(size)), UnreadableMessageError)
    }
  })

  it('is written as it was read, to the microsecond', () => {
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999_999 }), (whole, microseconds) => {
        const sent = timestamp(96, BigInt(whole), BigInt(microseconds) * 1000n)
        const text = read(sent)
        assert.ok(typeof text === 'string')
        const writer = new MessagePackWriter()
        const parts = parseTimestamp(text)
        writer.timestamp(parts.seconds, parts.nanoseconds)
        assert.deepEqual(writer.finish(), instant(text))
        assert.equal(read(writer.finish()), text)
      }),
      { numRuns: 1000 },
    )
  })
})
