import { messageBytesMax, OversizedMessageError } from '../call-error.ts'
import { UnreadableMessageError } from '../message.ts'
import { type Extension, MessagePackReader, type Token } from './message-pack-format.ts'

/**
 * Returns the body of a request as plain MessagePack. Clients compress larger bodies in one of two forms: an
 * array of lengths (extension 98) followed by the blocks, or extension 99 with one length and one block.
 */
export function decompress(body: Uint8Array): Uint8Array {
  const reader = new MessagePackReader(body)
  const first = reader.next()
  if (first.kind === 'extension' && first.extension.type === singleBlockType) {
    requireEnd(reader)
    return decompressSingle(first.extension)
  }
  return first.kind === 'array' ? decompressBlocks(reader, first.length) : body
}

const blockLengthsType = 98
const singleBlockType = 99

/** Clients use blocks of 32 KB. This many blocks of only 1 KB hold a message of the largest size. */
const blocksMax = 4096

/** `itemCount` counts the item with the lengths and one item for each block. */
function decompressBlocks(reader: MessagePackReader, itemCount: number): Uint8Array {
  if (itemCount > blocksMax + 1) throw new UnreadableMessageError()
  const lengths = readBlockLengths(reader.next(), itemCount - 1)
  requireAllowedSize(lengths.reduce((sum, length) => sum + length, 0))
  const blocks = lengths.map((length) => decodeLz4Block(requireBytes(reader.next()), length))
  requireEnd(reader)
  return Buffer.concat(blocks)
}

function readBlockLengths(token: Token, count: number): number[] {
  if (token.kind !== 'extension' || token.extension.type !== blockLengthsType)
    throw new UnreadableMessageError()
  const reader = new MessagePackReader(token.extension.bytes)
  const lengths = Array.from({ length: count }, () => requireLength(reader.next()))
  requireEnd(reader)
  return lengths
}

function decompressSingle({ bytes }: Extension): Uint8Array {
  const reader = new MessagePackReader(bytes)
  const length = requireLength(reader.next())
  requireAllowedSize(length)
  return decodeLz4Block(bytes.subarray(reader.position), length)
}

const requireBytes = (token: Token): Uint8Array => {
  if (token.kind !== 'bytes') throw new UnreadableMessageError()
  return token.bytes
}

const requireLength = (token: Token): number => {
  const isLength = token.kind === 'value' && Number.isSafeInteger(token.value) && Number(token.value) >= 0
  if (!isLength) throw new UnreadableMessageError()
  return Number(token.value)
}

/** Must be called before the length is allocated, because it comes from the client. */
function requireAllowedSize(length: number): void {
  if (length > messageBytesMax) throw new OversizedMessageError()
}

function requireEnd(reader: MessagePackReader): void {
  if (!reader.isAtEnd) throw new UnreadableMessageError()
}

/** Decodes one raw LZ4 block into exactly `length` bytes. The caller has checked the length. */
export function decodeLz4Block(block: Uint8Array, length: number): Buffer {
  const output = Buffer.allocUnsafe(length)
  let readAt = 0
  let writeAt = 0
  const readByte = (): number => {
    const value = block[readAt++]
    if (value === undefined) throw new UnreadableMessageError()
    return value
  }
  /** Lengths of 15 and more continue in further bytes. */
  const readLength = (nibble: number): number => {
    if (nibble < 15) return nibble
    let total = nibble
    let byte: number
    do {
      byte = readByte()
      total += byte
    } while (byte === 255)
    return total
  }
  while (true) {
    const token = readByte()
    const literalLength = readLength(token >> 4)
    const isTooLong = readAt + literalLength > block.length || writeAt + literalLength > length
    if (isTooLong) throw new UnreadableMessageError()
    output.set(block.subarray(readAt, readAt + literalLength), writeAt)
    readAt += literalLength
    writeAt += literalLength
    // The last sequence has literals only, so an empty block or one that ends with a match was truncated.
    if (readAt === block.length) break
    const distance = readByte() | (readByte() << 8)
    const matchLength = readLength(token & 15) + matchLengthMin
    const isOutside = distance === 0 || distance > writeAt || writeAt + matchLength > length
    if (isOutside) throw new UnreadableMessageError()
    copyWithin(output, writeAt, distance, matchLength)
    writeAt += matchLength
  }
  if (writeAt !== length) throw new UnreadableMessageError()
  return output
}

const matchLengthMin = 4

/** A match may overlap its own output, which then repeats. */
function copyWithin(output: Buffer, to: number, distance: number, length: number): void {
  if (distance >= length) output.copyWithin(to, to - distance, to - distance + length)
  else for (let index = to; index < to + length; index++) output[index] = output[index - distance] as number
}
