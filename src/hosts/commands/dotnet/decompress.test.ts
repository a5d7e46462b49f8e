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
const gives = (sent: Buffer, expected: Uint8Array = body) =>
  assert.ok(Buffer.from(decompress(sent)).equals(expected))
const unreadable = (sent: Buffer) => assert.throws(() => decompress(sent), UnreadableMessageError)
const oversized = (sent: Buffer) => assert.throws(() => decompress(sent), OversizedMessageError)
const megabytes = (count: number) => count * 1024 ** 2

describe('the body of a .NET client', () => {
  it('is taken as it is when it is not compressed', () => {
    const small = encode({ Id: 'x' })
    assert.equal(framed(small), small)
    gives(small, small)
    gives(body)
  })

  it('is one block or several, cut anywhere', () => {
    gives(blockArray([body]))
    for (const at of [0, 1, 2, 100, body.length - 1, body.length]) {
      gives(blockArray([body.subarray(0, at), body.subarray(at)]))
    }
    const pieces = Array.from({ length: 100 }, (_, index) =>
      body.subarray((index * body.length) / 100, ((index + 1) * body.length) / 100),
    )
    gives(blockArray(pieces))
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 500 }), { minLength: 1, maxLength: 50 }), (parts) =>
        gives(blockArray(parts), Buffer.concat(parts)),
      ),
    )
  })

  it('is one block in the older form', () => {
    gives(wholeBlock(body))
  })

  it('has lengths in any form of an integer', () => {
    for (const form of integerFormsOf(BigInt(body.length))) {
      const length = integerAs(form, BigInt(body.length))
      gives(lengthsAndBlocks([length], [lz4Block(body)]))
      gives(wholeBlock(body, length))
    }
  })

  it('may have the largest size of a message, and no byte more', () => {
    const largest = Buffer.alloc(megabytes(4))
    gives(blockArray([largest]), largest)
    gives(wholeBlock(largest), largest)
    const halves = [Buffer.alloc(megabytes(2)), Buffer.alloc(megabytes(2))]
    gives(blockArray(halves), largest)
    oversized(blockArray([...halves, Buffer.alloc(1)]))
    oversized(wholeBlock(Buffer.alloc(megabytes(4) + 1)))
  })

  it('is rejected before anything is allocated for absurd lengths', () => {
    const block = lz4Block(body)
    const { arrayBuffers } = process.memoryUsage()
    for (const length of [megabytes(4) + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER]) {
      oversized(lengthsAndBlocks([length], [block]))
      oversized(wholeBlock(body, encode(length)))
    }
    const many = Array(4095).fill(2 ** 31 - 1)
    oversized(lengthsAndBlocks(many, Array(4095).fill(Buffer.of(0))))
    assert.ok(process.memoryUsage().arrayBuffers - arrayBuffers < megabytes(16))
  })

  it('is rejected when a length is no length', () => {
    const block = lz4Block(body)
    const none = [-1, -(2 ** 31), 2n ** 64n - 1n, float64(1.5), float64(Number.NaN), null, true, '9', [1], {}]
    for (const length of none) {
      unreadable(lengthsAndBlocks([length], [block]))
      unreadable(wholeBlock(body, encode(length)))
    }
    unreadable(lengthsAndBlocks([-body.length, 2 * body.length], [block, block]))
  })

  it('is rejected when lengths and blocks do not belong together', () => {
    const block = lz4Block(body)
    unreadable(lengthsAndBlocks([body.length], []))
    unreadable(lengthsAndBlocks([], [block]))
    unreadable(lengthsAndBlocks([body.length, 1], [block]))
    unreadable(lengthsAndBlocks([body.length], [block, block]))
    for (const length of [0, 1, body.length - 1, body.length + 1]) {
      unreadable(lengthsAndBlocks([length], [block]))
      unreadable(wholeBlock(body, encode(length)))
    }
    for (const other of [null, 1, 'block', [1], {}, extension(98, block)]) {
      unreadable(array([extension(98, encode(body.length)), other]))
    }
    unreadable(array([bin(encode(body.length)), bin(block)]))
    unreadable(array([extension(97, encode(body.length)), bin(block)]))
    unreadable(array([]))
  })

  it('is rejected when more follows', () => {
    unreadable(Buffer.concat([framed(body), Buffer.of(0)]))
    unreadable(Buffer.concat([wholeBlock(body), Buffer.of(0)]))
  })

  it('is rejected when it has more blocks than a client cuts', () => {
    const [lengths, blocks] = [Array(4096).fill(1), Array(4096).fill(Buffer.of(0x10, 0x61))]
    gives(lengthsAndBlocks(lengths, blocks), Buffer.alloc(4096, 'a'))
    unreadable(lengthsAndBlocks([...lengths, 1], [...blocks, Buffer.of(0x10, 0x61)]))
    const million = 1_000_000
    const empty = array([extension(98, Buffer.alloc(million)), ...Array(million).fill(bin(Buffer.of(0)))], 4)
    const startedAt = process.cpuUsage()
    unreadable(empty)
    unreadable(array([extension(98, Buffer.alloc(megabytes(4) - 20)), bin(Buffer.of(0))]))
    assert.ok(process.cpuUsage(startedAt).user < 200_000, 'within 0.2 s')
  })

  it('is rejected at whichever byte it is cut off', () => {
    for (const sent of [framed(body), wholeBlock(body), blockArray([body, body])]) {
      for (let length = 0; length < sent.length; length++) unreadable(sent.subarray(0, length))
    }
  })
})
