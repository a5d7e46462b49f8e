import { messageBytesMax, OversizedMessageError } from '../call-error.ts'
import { UnreadableMessageError } from '../message.ts'
import { type Extension, MessagePackReader, type Token } from './message-pack-reader.ts'

/**
 * Returns the body of a request as plain MessagePack. Clients compress bodies of 64 bytes or more, in one of
 * two forms: an array of the lengths (extension 98) and the same number of blocks, or extension 99 with one
 * length and one block.
 */
export function decompress(body: Uint8Array): Uint8Array {
  const reader = new MessagePackReader(body)
  const first = reader.next()
  if (first.kind === 'extension' && first.extension.type === wholeBlock) {
    requireEnd(reader)
    return decompressWhole(first.extension)
  }
  return first.kind === 'array' ? decompressArray(reader, first.length) : body
}

const blockLengths = 98
const wholeBlock = 99

/** Clients split at 32 KB; a message of the largest size fits in blocks of 1 KB. */
const blocksMax = 4096

function decompressArray(reader: MessagePackReader, length: number): Uint8Array {
  if (length > blocksMax + 1) throw new UnreadableMessageError()
  const lengths = blockLengthsIn(reader.next(), length - 1)
  requireLegal(lengths.reduce((sum, each) => sum + each, 0))
  const blocks = lengths.map((each) => decodeLz4Block(bytesIn(reader.next()), each))
  requireEnd(reader)
  return Buffer.concat(blocks)
}

function blockLengthsIn(token: Token, count: number): number[] {
  if (token.kind !== 'extension' || token.extension.type !== blockLengths) throw new UnreadableMessageError()
  const reader = new MessagePackReader(token.extension.bytes)
  const lengths = Array.from({ length: count }, () => lengthIn(reader.next()))
  requireEnd(reader)
  return lengths
}

function decompressWhole({ bytes }: Extension): Uint8Array {
  const reader = new MessagePackReader(bytes)
  const length = lengthIn(reader.next())
  requireLegal(length)
  return decodeLz4Block(bytes.subarray(reader.position), length)
}

const bytesIn = (token: Token): Uint8Array => {
  if (token.kind !== 'bytes') throw new UnreadableMessageError()
  return token.bytes
}

const lengthIn = (token: Token): number => {
  const isLength = token.kind === 'value' && Number.isSafeInteger(token.value) && Number(token.value) >= 0
  if (!isLength) throw new UnreadableMessageError()
  return Number(token.value)
}

/** Checked before anything is allocated: the lengths come from the client. */
function requireLegal(length: number): void {
  if (length > messageBytesMax) throw new OversizedMessageError()
}

function requireEnd(reader: MessagePackReader): void {
  if (!reader.isAtEnd) throw new UnreadableMessageError()
}

/** Decodes one raw LZ4 block into exactly `length` bytes, which the caller has checked against its limit. */
export function decodeLz4Block(block: Uint8Array, length: number): Buffer {
  const output = Buffer.allocUnsafe(length)
  let from = 0
  let to = 0
  const byte = (): number => {
    const value = block[from++]
    if (value === undefined) throw new UnreadableMessageError()
    return value
  }
  /** Lengths of 15 and more continue in further bytes. */
  const lengthOf = (nibble: number): number => {
    let total = nibble
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) more = byte()
    return total
  }
  while (true) {
    const token = byte()
    const literals = lengthOf(token >> 4)
    if (from + literals > block.length || to + literals > length) throw new UnreadableMessageError()
    output.set(block.subarray(from, from + literals), to)
    from += literals
    to += literals
    // The last sequence has literals only, so an empty block or one that ends with a match was truncated.
    if (from === block.length) break
    const distance = byte() | (byte() << 8)
    const match = lengthOf(token & 15) + matchLengthMin
    if (distance === 0 || distance > to || to + match > length) throw new UnreadableMessageError()
    copyWithin(output, to, distance, match)
    to += match
  }
  if (to !== length) throw new UnreadableMessageError()
  return output
}

const matchLengthMin = 4

/** A match may overlap its own output, which then repeats. */
function copyWithin(output: Buffer, to: number, distance: number, length: number): void {
  if (distance >= length) output.copyWithin(to, to - distance, to - distance + length)
  else for (let index = to; index < to + length; index++) output[index] = output[index - distance] as number
}
