import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  blockArray,
  framed,
  lengthsAndBlocks,
  lz4Block,
  wholeBlock,
} from '../../../../test/support/lz4-encoder.ts'
import {
  array,
  bin,
  encode,
  extension,
  float64,
  integerAs,
  integerFormsOf,
} from '../../../../test/support/message-pack-encoder.ts'
import { OversizedMessageError } from '../call-error.ts'
import { UnreadableMessageError } from '../message.ts'
import { decompress } from './decompress.ts'

const body = encode({ Name: 'Lay the cables', Description: 'and then lay the cables again. '.repeat(40) })
const assertDecompresses = (sent: Buffer, expected: Uint8Array = body) =>
  assert.ok(Buffer.from(decompress(sent)).equals(expected))
const assertUnreadable = (sent: Buffer) => assert.throws(() => decompress(sent), UnreadableMessageError)
const assertOversized = (sent: Buffer) => assert.throws(() => decompress(sent), OversizedMessageError)
const megabytes = (count: number) => count * 1024 ** 2

describe('the body of a .NET client', () => {
  it('is returned unchanged when it is not compressed', () => {
    const small = encode({ Id: 'x' })
    assert.equal(framed(small), small)
    assertDecompresses(small, small)
    assertDecompresses(body)
  })

  it('can be one block or several, split anywhere', () => {
    assertDecompresses(blockArray([body]))
    for (const at of [0, 1, 2, 100, body.length - 1, body.length]) {
      assertDecompresses(blockArray([body.subarray(0, at), body.subarray(at)]))
    }
    const pieces = Array.from({ length: 100 }, (_, index) =>
      body.subarray((index * body.length) / 100, ((index + 1) * body.length) / 100),
    )
    assertDecompresses(blockArray(pieces))
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 500 }), { minLength: 1, maxLength: 50 }), (parts) =>
        assertDecompresses(blockArray(parts), Buffer.concat(parts)),
      ),
    )
  })

  it('can be one block in the older form, extension 99', () => {
    assertDecompresses(wholeBlock(body))
  })

  it('can have lengths in every format of an integer', () => {
    for (const form of integerFormsOf(BigInt(body.length))) {
      const length = integerAs(form, BigInt(body.length))
      assertDecompresses(lengthsAndBlocks([length], [lz4Block(body)]))
      assertDecompresses(wholeBlock(body, length))
    }
  })

  it('may have the largest size of a message, and no byte more', () => {
    const largest = Buffer.alloc(megabytes(4))
    assertDecompresses(blockArray([largest]), largest)
    assertDecompresses(wholeBlock(largest), largest)
    const halves = [Buffer.alloc(megabytes(2)), Buffer.alloc(megabytes(2))]
    assertDecompresses(blockArray(halves), largest)
    assertOversized(blockArray([...halves, Buffer.alloc(1)]))
    assertOversized(wholeBlock(Buffer.alloc(megabytes(4) + 1)))
  })

  it('is rejected if it claims huge lengths, before anything is allocated for them', () => {
    const block = lz4Block(body)
    const { arrayBuffers } = process.memoryUsage()
    for (const length of [megabytes(4) + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER]) {
      assertOversized(lengthsAndBlocks([length], [block]))
      assertOversized(wholeBlock(body, encode(length)))
    }
    const lengths = Array(4095).fill(2 ** 31 - 1)
    assertOversized(lengthsAndBlocks(lengths, Array(4095).fill(Buffer.of(0))))
    assert.ok(process.memoryUsage().arrayBuffers - arrayBuffers < megabytes(16))
  })

  it('is rejected when a length is invalid', () => {
    const block = lz4Block(body)
    const invalidLengths = [
      -1,
      -(2 ** 31),
      2n ** 64n - 1n,
      float64(1.5),
      float64(Number.NaN),
      null,
      true,
      '9',
      [1],
      {},
    ]
    for (const length of invalidLengths) {
      assertUnreadable(lengthsAndBlocks([length], [block]))
      assertUnreadable(wholeBlock(body, encode(length)))
    }
    assertUnreadable(lengthsAndBlocks([-body.length, 2 * body.length], [block, block]))
  })

  it('is rejected when lengths and blocks do not match', () => {
    const block = lz4Block(body)
    assertUnreadable(lengthsAndBlocks([body.length], []))
    assertUnreadable(lengthsAndBlocks([], [block]))
    assertUnreadable(lengthsAndBlocks([body.length, 1], [block]))
    assertUnreadable(lengthsAndBlocks([body.length], [block, block]))
    for (const length of [0, 1, body.length - 1, body.length + 1]) {
      assertUnreadable(lengthsAndBlocks([length], [block]))
      assertUnreadable(wholeBlock(body, encode(length)))
    }
    for (const other of [null, 1, 'block', [1], {}, extension(98, block)]) {
      assertUnreadable(array([extension(98, encode(body.length)), other]))
    }
    assertUnreadable(array([bin(encode(body.length)), bin(block)]))
    assertUnreadable(array([extension(97, encode(body.length)), bin(block)]))
    assertUnreadable(array([]))
  })

  it('is rejected when bytes follow it', () => {
    assertUnreadable(Buffer.concat([framed(body), Buffer.of(0)]))
    assertUnreadable(Buffer.concat([wholeBlock(body), Buffer.of(0)]))
  })

  it('is rejected when it has more blocks than any client sends', () => {
    const [lengths, blocks] = [Array(4096).fill(1), Array(4096).fill(Buffer.of(0x10, 0x61))]
    assertDecompresses(lengthsAndBlocks(lengths, blocks), Buffer.alloc(4096, 'a'))
    assertUnreadable(lengthsAndBlocks([...lengths, 1], [...blocks, Buffer.of(0x10, 0x61)]))
    const blockCount = 1_000_000
    const emptyBlocks = Array(blockCount).fill(bin(Buffer.of(0)))
    const ofEmptyBlocks = array([extension(98, Buffer.alloc(blockCount)), ...emptyBlocks])
    const usageBefore = process.cpuUsage()
    assertUnreadable(ofEmptyBlocks)
    assertUnreadable(array([extension(98, Buffer.alloc(megabytes(4) - 20)), bin(Buffer.of(0))]))
    assert.ok(process.cpuUsage(usageBefore).user < 200_000, 'within 0.2 s')
  })

  it('is rejected if it is cut off at any byte', () => {
    for (const sent of [framed(body), wholeBlock(body), blockArray([body, body])]) {
      for (let length = 0; length < sent.length; length++) assertUnreadable(sent.subarray(0, length))
    }
  })
})
