import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decode, decodeTimestampToTimeSpec, encodeTimeSpecToTimestamp } from '@msgpack/msgpack'
import fc from 'fast-check'
import { compress } from 'lz4-wasm-nodejs'
import { damaged, fuzzed } from '../../../../test/support/fuzz.ts'
import { blockArray, wholeBlock } from '../../../../test/support/lz4-encoder.ts'
import {
  array,
  bin,
  extension,
  float32,
  float64,
  integerAs,
  integerFormsOf,
  map,
  text,
} from '../../../../test/support/message-pack-encoder.ts'
import {
  bytesOf,
  decodeWithReference,
  decompressWithReference,
  hasBrokenText,
  keyOf,
  prototypeKey,
  readWithReference,
  rejected,
  withoutByteOrderMark,
} from '../../../../test/support/reference-codecs.ts'
import { messageBytesMax, OversizedMessageError } from '../call-error.ts'
import { UnreadableMessageError } from '../message.ts'
import { decodeLz4Block, decompress } from './decompress.ts'
import { decodeTimestamp, isTimestamp } from './message-pack.ts'
import { MessagePackReader, MessagePackWriter } from './message-pack-format.ts'

/** The number of properties below, which share the time of a long run. */
const properties = 6

describe('Whatever the bytes are', () => {
  it('the reader finds the values that the reference library finds, or both reject them', () => {
    const anything = fc.oneof(document, damaged(document), fc.uint8Array({ maxLength: 100 }))
    fc.assert(
      fc.property(anything, (bytes) => {
        const [ours, theirs] = [outcomeOf(() => readAll(bytes)), readWithReference(bytes)]
        // The library rejects the key `__proto__`, which we accept.
        if (theirs === prototypeKey) return
        // The reference library accepts invalid UTF-8.
        const isStricter = ours === rejected && theirs !== rejected && hasBrokenText(bytes)
        if (!isStricter) assert.deepEqual(ours, theirs)
      }),
      fuzzed({ runs: 6000, properties }),
    )
  })

  it('the contents of a token are skipped exactly', () => {
    fc.assert(
      fc.property(document, document, (skipped, next) => {
        const reader = new MessagePackReader(Buffer.concat([skipped, next]))
        reader.skipRest(reader.next())
        assert.equal(reader.position, skipped.length)
      }),
      fuzzed({ runs: 2000, properties }),
    )
  })

  it('the reference library reads the values that the writer has written', () => {
    fc.assert(
      fc.property(plainValue, (value) => {
        const writer = new MessagePackWriter()
        write(writer, value)
        assert.deepEqual(decode(writer.finish()), value)
      }),
      fuzzed({ runs: 2000, properties }),
    )
  })

  it('timestamps are written as by the reference library, byte for byte', () => {
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })
    fc.assert(
      fc.property(seconds, fc.nat(999_999), (sec, microseconds) => {
        const writer = new MessagePackWriter()
        writer.timestamp(sec, microseconds * 1000)
        const token = new MessagePackReader(writer.finish()).next()
        assert.ok(isTimestamp(token))
        const spec = { sec, nsec: microseconds * 1000 }
        assert.deepEqual(decodeTimestampToTimeSpec(token.extension.bytes), spec)
        const reference = encodeTimeSpecToTimestamp(spec)
        assert.deepEqual(Buffer.from(token.extension.bytes), Buffer.from(reference))
        const milliseconds = sec * 1000 + Math.floor(microseconds / 1000)
        assert.equal(Date.parse(String(decodeTimestamp(reference))), milliseconds)
      }),
      fuzzed({ runs: 2000, properties }),
    )
  })

  it('an LZ4 block is decoded as by the reference library, or both reject it', () => {
    fc.assert(
      fc.property(anyBlock, lengthError, (block, error) => {
        const length = Math.max(0, block.length + error)
        const ours = outcomeOf(() => decodeLz4Block(block.bytes, length))
        assert.deepEqual(ours, decodeWithReference(block.bytes, length))
      }),
      fuzzed({ runs: 4000, properties }),
    )
  })

  it('a damaged body is decompressed as by the reference libraries, or all reject it', () => {
    const body = fc.oneof(fc.uint8Array({ minLength: 64, maxLength: 3000 }), repetitive)
    const sent = fc.oneof(
      body.map((bytes) => blockArray([bytes.subarray(0, 40), bytes.subarray(40)])),
      body.map((bytes) => wholeBlock(bytes)),
    )
    fc.assert(
      fc.property(damaged(sent), (bytes) => {
        const ours = outcomeOf(() => decompress(bytes))
        // An uncompressed body is returned unchanged. Only an array can be compressed.
        if (ours === bytes) return assert.notEqual(new MessagePackReader(bytes).next().kind, 'array')
        assert.deepEqual(ours, decompressWithReference(bytes, messageBytesMax))
      }),
      fuzzed({ runs: 3000, properties }),
    )
  })
})

/** Rethrows unexpected errors, which are bugs. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableMessageError || error instanceof OversizedMessageError) return rejected
    throw error
  }
}

/** Reads one value that fills the bytes, in the form that the references return. */
function readAll(bytes: Uint8Array): unknown {
  const reader = new MessagePackReader(bytes)
  const value = readValue(reader)
  return reader.isAtEnd ? value : rejected
}

function readValue(reader: MessagePackReader): unknown {
  const token = reader.next()
  if (token.kind === 'value')
    return typeof token.value === 'string' ? withoutByteOrderMark(token.value) : token.value
  if (token.kind === 'bytes') return bytesOf(token.bytes)
  if (token.kind === 'extension') return bytesOf(token.extension.bytes, token.extension.type)
  if (token.kind === 'array') return Array.from({ length: token.length }, () => readValue(reader))
  const entries = Array.from(
    { length: token.length },
    () => [keyOf(readValue(reader)), readValue(reader)] as const,
  )
  return new Map(entries)
}

const anyText = fc.string({ unit: 'binary', maxLength: 300 }).filter((value) => value.isWellFormed())
const anyBytes = fc.uint8Array({ maxLength: 300 })
/** How many bytes a length takes that does not fit into the first byte. */
const lengthPrefixBytes = fc.constantFrom(2 as const, 4 as const)
const anyLengthPrefixBytes = fc.constantFrom(1 as const, 2 as const, 4 as const)
const anyInteger = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.integer().map(BigInt),
  fc.constantFrom(
    ...[0, 7, 8, 15, 16, 31, 32, 53, 63].flatMap((bits) => [2n ** BigInt(bits) - 1n, -(2n ** BigInt(bits))]),
  ),
)

/** A document in every form that the specification allows for its values. */
const { document } = fc.letrec<{ document: Buffer }>((tie) => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...[0xc0, 0xc2, 0xc3].map((code) => Buffer.of(code))),
    anyInteger.chain((value) =>
      fc.constantFrom(...integerFormsOf(value).map((form) => integerAs(form, value))),
    ),
    fc.oneof(fc.double().map(float64), fc.float().map(float32)),
    fc.oneof(
      anyText.map((value) => text(value)),
      fc.tuple(anyText, lengthPrefixBytes).map(([value, size]) => text(value, size)),
    ),
    fc.oneof(
      anyBytes.map((value) => bin(value)),
      fc.tuple(anyBytes, lengthPrefixBytes).map(([value, size]) => bin(value, size)),
    ),
    fc
      .tuple(
        fc.integer({ min: -128, max: 127 }),
        anyBytes.filter(({ length }) => length < 256),
        fc.option(anyLengthPrefixBytes),
      )
      .map(([type, value, size]) => extension(type, value, size ?? undefined)),
    fc
      .tuple(fc.array(tie('document'), { maxLength: 20 }), fc.option(lengthPrefixBytes))
      .map(([items, size]) => array(items, size ?? undefined)),
    fc
      .tuple(
        fc.array(fc.tuple(tie('document'), tie('document')), { maxLength: 20 }),
        fc.option(lengthPrefixBytes),
      )
      .map(([entries, size]) => map(entries, size ?? undefined)),
  ),
}))

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain }

const { plainValue } = fc.letrec<{ plainValue: Plain }>((tie) => ({
  plainValue: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    // Turns -0 into 0, because integers have no -0.
    fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double()).map((value) => (value === 0 ? 0 : value)),
    fc.oneof(anyText, fc.string({ unit: 'grapheme-ascii', maxLength: 70 })).map(withoutByteOrderMark),
    fc.array(tie('plainValue'), { maxLength: 40 }),
    fc.dictionary(anyText.filter((key) => key !== '__proto__').map(withoutByteOrderMark), tie('plainValue'), {
      maxKeys: 40,
      noNullPrototype: true,
    }),
  ),
}))

function write(writer: MessagePackWriter, value: Plain): void {
  if (value === null) writer.nil()
  else if (typeof value === 'boolean') writer.boolean(value)
  else if (typeof value === 'number') writer.number(value)
  else if (typeof value === 'string') writer.text(value)
  else if (Array.isArray(value)) {
    writer.array(value.length)
    for (const item of value) write(writer, item)
  } else {
    const entries = Object.entries(value)
    writer.map(entries.length)
    for (const [key, entryValue] of entries) {
      writer.text(key)
      write(writer, entryValue)
    }
  }
}

const repetitive = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat({ max: 60 })), { maxLength: 12 })
  .map((runs) => Buffer.concat(runs.flatMap(([run, times]) => Array(times).fill(run))))

const plainBytes = fc.oneof(fc.uint8Array({ maxLength: 400 }), repetitive)
// The library prefixes the raw block with its length.
const compressed = plainBytes.map((bytes) => compress(bytes).subarray(4))

/** `length` is the decompressed length of an intact block, and arbitrary for other bytes. */
const anyBlock = fc.oneof(
  plainBytes.map((bytes) => ({ bytes: compress(bytes).subarray(4), length: bytes.length })),
  fc.tuple(damaged(compressed), fc.nat(3000)).map(([bytes, length]) => ({ bytes, length })),
  fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.nat(300)).map(([bytes, length]) => ({ bytes, length })),
)

/** The difference between the claimed length and the true one. */
const lengthError = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -20, max: 20 }))
