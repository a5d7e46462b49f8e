import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { lz4Block, lz4Sequence } from '../../../../test/support/lz4-encoder.ts'
import { UnreadableMessageError } from '../message.ts'
import { decodeLz4Block } from './decompress.ts'

const assertDecodes = (bytes: Uint8Array, block = lz4Block(bytes)) =>
  assert.ok(decodeLz4Block(block, bytes.length).equals(bytes))
const assertRejects = (block: Uint8Array, length: number) =>
  assert.throws(() => decodeLz4Block(block, length), UnreadableMessageError)
const letters = (length: number) => Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz')

describe('an LZ4 block', () => {
  it('holds literals of any length', () => {
    for (const length of [1, 14, 15, 16, 269, 270, 271, 525, 70_000]) {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 7919) % 251))
      assertDecodes(bytes, lz4Sequence(bytes))
    }
    assert.equal(decodeLz4Block(Buffer.of(0), 0).length, 0)
  })

  it('holds matches of any length and distance, including those that overlap themselves', () => {
    for (const distance of [1, 2, 3, 4, 7, 26, 255, 256, 65_535]) {
      for (const match of [4, 18, 19, 20, 273, 274, 275, 70_000]) {
        const literals = letters(distance + 3)
        const expected = Buffer.concat([literals, Buffer.alloc(match), Buffer.from('12345')])
        for (let at = literals.length; at < literals.length + match; at++)
          expected[at] = expected[at - distance] as number
        const block = [lz4Sequence(literals, distance, match), lz4Sequence(Buffer.from('12345'))]
        assertDecodes(expected, Buffer.concat(block))
      }
    }
  })

  it('is decoded into the bytes from which an encoder made it', () => {
    const repetitive = fc
      .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat({ max: 60 })), { maxLength: 30 })
      .map((runs) => Buffer.concat(runs.flatMap(([run, times]) => Array(times).fill(run))))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), repetitive), (bytes) => assertDecodes(bytes)),
    )
    assert.ok(lz4Block(Buffer.alloc(100_000)).length < 500)
    assertDecodes(Buffer.alloc(4 * 1024 ** 2))
  })

  it('is rejected when its length differs from the announced one', () => {
    const bytes = letters(1000)
    for (const length of [0, 1, 999, 1001, 4096]) assertRejects(lz4Block(bytes), length)
    assertRejects(Buffer.alloc(0), 1)
    assertRejects(Buffer.alloc(0), 0)
  })

  it('is rejected when it ends with a match', () => {
    assertRejects(lz4Sequence(letters(4), 4, 8), 12)
  })

  it('is rejected when a distance is zero or leads before its start', () => {
    const end = lz4Sequence(Buffer.from('12345'))
    const assertRejectsStart = (sequence: Buffer, length: number) =>
      assertRejects(Buffer.concat([sequence, end]), length)
    assertRejectsStart(lz4Sequence(letters(4), 0, 8), 17)
    assertRejectsStart(lz4Sequence(letters(4), 5, 8), 17)
    assertRejectsStart(lz4Sequence(letters(0), 1, 8), 13)
    assertRejectsStart(lz4Sequence(letters(4), 65_535, 8), 17)
  })

  it('is rejected if it is cut off at any byte', () => {
    const bytes = Buffer.concat([letters(300), Buffer.alloc(600), letters(300)])
    const block = lz4Block(bytes)
    for (let length = 0; length < block.length; length++)
      assertRejects(block.subarray(0, length), bytes.length)
  })

  /** A token (one literal, and a match whose length continues), the literal `a`, and the distance 1. */
  const letterAndLongMatch = Buffer.of(0x1f, 0x61, 1, 0)

  it('is rejected when a length never ends', () => {
    assertRejects(Buffer.concat([Buffer.of(0xf0), Buffer.alloc(1_000_000, 0xff)]), 4 * 1024 ** 2)
    assertRejects(Buffer.concat([letterAndLongMatch, Buffer.alloc(1_000_000, 0xff)]), 4 * 1024 ** 2)
  })

  it('is rejected before more bytes than announced are written', () => {
    const usageBefore = process.cpuUsage()
    for (let round = 0; round < 10; round++) {
      assertRejects(Buffer.concat([letterAndLongMatch, Buffer.alloc(1_000_000, 0xff), Buffer.of(0)]), 1000)
    }
    assert.ok(process.cpuUsage(usageBefore).user < 500_000, 'within half a second')
  })

  it('of any bytes is either decoded or rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 2000 }), (block, length) => {
        try {
          assert.equal(decodeLz4Block(block, length).length, length)
        } catch (error) {
          assert.ok(error instanceof UnreadableMessageError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
