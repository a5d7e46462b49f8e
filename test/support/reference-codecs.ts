import { isUtf8 } from 'node:buffer'
import { inspect } from 'node:util'
import { Decoder, type DecoderOptions, ExtData, ExtensionCodec } from '@msgpack/msgpack'
import { decompress } from 'lz4-wasm-nodejs'

/** The result for bytes that a codec rejects. */
export const rejected = Symbol('rejected')

/** The result for a message with the key `__proto__`, which the reference library rejects. */
export const prototypeKey = Symbol('__proto__')

/** Decodes with the reference library. Maps become `Map`, bytes and extensions hexadecimal text. */
export function readWithReference(bytes: Uint8Array): unknown {
  try {
    return comparable(decoderOf(bytes, { keyDecoder: null }).decode(bytes))
  } catch (error) {
    return String(error).includes('__proto__') ? prototypeKey : rejected
  }
}

/** Returns whether a text or binary value is invalid UTF-8. The library would replace invalid text. */
export function hasBrokenText(bytes: Uint8Array): boolean {
  let isBroken = false
  const record = (part: Uint8Array) => {
    isBroken ||= !isUtf8(part)
  }
  const keyDecoder = {
    canBeCached: () => true,
    decode(all: Uint8Array, offset: number, length: number) {
      record(all.subarray(offset, offset + length))
      return ''
    },
  }
  const recordParts = (value: unknown) => {
    if (value instanceof Uint8Array) record(value)
    else if (Array.isArray(value)) value.forEach(recordParts)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(recordParts)
  }
  let keyCount = 0
  const mapKeyConverter = (key: unknown) => {
    recordParts(key)
    // Each key becomes unique, because a duplicate key would hide the first value.
    keyCount += 1
    return String(keyCount)
  }
  const options = { rawStrings: true, keyDecoder, mapKeyConverter }
  recordParts(decoderOf(bytes, options).decode(bytes))
  return isBroken
}

const codec = new ExtensionCodec()
// Timestamps stay bytes, because a Date has no microseconds.
codec.register({ type: -1, encode: () => null, decode: (bytes) => new ExtData(-1, bytes) })

const decoderOf = ({ length }: Uint8Array, options: DecoderOptions) =>
  new Decoder({
    extensionCodec: codec,
    mapKeyConverter: (key) => keyOf(comparable(key)),
    // Without these limits, the library allocates memory for any claimed length.
    maxArrayLength: length,
    maxMapLength: length,
    maxStrLength: length,
    maxBinLength: length,
    maxExtLength: length,
    ...options,
  })

export const keyOf = (key: unknown): string =>
  inspect(key, { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true })

/** The library removes a byte order mark from the start of a long text. */
export const withoutByteOrderMark = (value: string): string => value.replace(/^\ufeff/, '')

export const bytesOf = (bytes: Uint8Array, type?: number) => ({
  type,
  hex: Buffer.from(bytes).toString('hex'),
})

function comparable(value: unknown): unknown {
  if (typeof value === 'string') return withoutByteOrderMark(value)
  if (value instanceof Uint8Array) return bytesOf(value)
  if (value instanceof ExtData) return bytesOf(value.data as Uint8Array, value.type)
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, fieldValue]) => [key, comparable(fieldValue)]))
}

/**
 * Decompresses a raw LZ4 block with the reference library. A result that is shorter than `length` counts as
 * rejected. A distance of 0 also counts as rejected, because the library would return old content of its
 * memory.
 */
export function decodeWithReference(block: Uint8Array, length: number): unknown {
  if (hasZeroDistance(block)) return rejected
  const size = Buffer.alloc(4)
  size.writeUInt32LE(length)
  try {
    const bytes = decompress(Buffer.concat([size, block]))
    return bytes.length === length ? Buffer.from(bytes) : rejected
  } catch {
    return rejected
  }
}

function hasZeroDistance(block: Uint8Array): boolean {
  let at = 0
  const next = () => block[at++] ?? 0
  const lengthOf = (nibble: number) => {
    let length = nibble
    for (let more = nibble === 15 ? 255 : 0; more === 255; length += more) more = next()
    return length
  }
  while (at < block.length) {
    const token = next()
    const literals = lengthOf(token >> 4)
    at += literals
    if (at + 2 > block.length) return false
    if (next() + next() === 0) return true
    lengthOf(token & 15)
  }
  return false
}

/** Decompresses the body of a .NET client, in either of its two forms, with the reference libraries. */
export function decompressWithReference(body: Uint8Array, bytesMax: number): unknown {
  try {
    const decoded = decodeAny(body)
    const { lengths, blocks } = Array.isArray(decoded) ? blocksOf(decoded) : wholeBlockOf(decoded)
    const areLengths = lengths.every((length) => Number.isSafeInteger(length) && length >= 0)
    const sum = lengths.reduce((total, length) => total + length, 0)
    if (!areLengths || sum > bytesMax || lengths.length !== blocks.length) return rejected
    const parts = blocks.map((block, index) => decodeWithReference(block, lengths[index] as number))
    return parts.includes(rejected) ? rejected : Buffer.concat(parts as Buffer[])
  } catch {
    return rejected
  }
}

interface CompressedBlocks {
  readonly lengths: readonly number[]
  readonly blocks: readonly Uint8Array[]
}

function blocksOf([first, ...blocks]: readonly unknown[]): CompressedBlocks {
  if (!blocks.every((block) => block instanceof Uint8Array)) throw new Error('An element is no block.')
  const encodedLengths = extensionOf(first, 98)
  const lengths = [...decoderOf(encodedLengths, {}).decodeMulti(encodedLengths)] as number[]
  return { lengths, blocks }
}

/** Finds the end of the length, which is the shortest prefix that is a complete value. */
function wholeBlockOf(decoded: unknown): CompressedBlocks {
  const data = extensionOf(decoded, 99)
  const size = [1, 2, 3, 5, 9].find((bytes) => isWhole(data.subarray(0, bytes)))
  return { lengths: [decodeAny(data.subarray(0, size)) as number], blocks: [data.subarray(size)] }
}

function isWhole(bytes: Uint8Array): boolean {
  try {
    decodeAny(bytes)
    return true
  } catch {
    return false
  }
}

const decodeAny = (bytes: Uint8Array): unknown => decoderOf(bytes, {}).decode(bytes)

function extensionOf(value: unknown, type: number): Uint8Array {
  if (!(value instanceof ExtData) || value.type !== type)
    throw new Error(`It is no extension of type ${type}.`)
  return value.data as Uint8Array
}
