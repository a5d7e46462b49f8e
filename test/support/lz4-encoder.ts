import { array, bin, encode, extension, integerAs } from './message-pack-encoder.ts'

/** Encodes a raw LZ4 block greedily, according to the description of the block format. */
export function lz4Block(bytes: Uint8Array): Buffer {
  const parts: Buffer[] = []
  const seen = new Map<number, number>()
  const view = Buffer.from(bytes)
  let anchor = 0
  let at = 0
  // The last match starts at least 12 bytes before the end, and the last 5 bytes are literals.
  while (at + 12 <= view.length) {
    const word = view.readUInt32LE(at)
    const candidate = seen.get(word)
    seen.set(word, at)
    if (candidate === undefined || at - candidate > 0xffff) {
      at += 1
      continue
    }
    let length = 4
    while (at + length < view.length - 5 && view[candidate + length] === view[at + length]) length += 1
    parts.push(lz4Sequence(view.subarray(anchor, at), at - candidate, length))
    at += length
    anchor = at
  }
  return Buffer.concat([...parts, lz4Sequence(view.subarray(anchor))])
}

/** Encodes literals and a match. The last sequence has no match. */
export function lz4Sequence(literals: Uint8Array, distance = 0, match = 0): Buffer {
  const matchCode = match === 0 ? 0 : match - 4
  const token = (Math.min(literals.length, 15) << 4) | Math.min(matchCode, 15)
  const matchParts = match === 0 ? [] : [Buffer.of(distance & 0xff, distance >> 8), furtherLength(matchCode)]
  return Buffer.concat([Buffer.of(token), furtherLength(literals.length), literals, ...matchParts])
}

const furtherLength = (length: number): Buffer =>
  length < 15
    ? Buffer.alloc(0)
    : Buffer.concat([Buffer.alloc(Math.floor((length - 15) / 255), 255), Buffer.of((length - 15) % 255)])

/** Returns a body as .NET clients send it: from 64 bytes on, an array of lengths and compressed blocks. */
export const framed = (body: Buffer): Buffer => (body.length < 64 ? body : blockArray([body]))

/** Encodes extension 98 with the lengths, then the blocks. */
export const blockArray = (parts: readonly Uint8Array[]): Buffer =>
  lengthsAndBlocks(
    parts.map(({ length }) => length),
    parts.map(lz4Block),
  )

/** Encodes like `blockArray`, but with given lengths, which may be wrong. */
export const lengthsAndBlocks = (lengths: readonly unknown[], blocks: readonly Uint8Array[]): Buffer =>
  array([extension(98, Buffer.concat(lengths.map(encode))), ...blocks.map((block) => bin(block, 4))])

/** Encodes the older form, extension 99 with an int32 length and one block. */
export const wholeBlock = (
  body: Uint8Array,
  length: Buffer = integerAs('int32', BigInt(body.length)),
  block: Uint8Array = lz4Block(body),
): Buffer => extension(99, Buffer.concat([length, block]))
