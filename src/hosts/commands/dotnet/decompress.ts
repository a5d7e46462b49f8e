import { UnreadableMessage } from '../message.ts'
import { messageBytesMax, OversizedMessage } from '../message-size.ts'
import { decodeLz4Block } from './lz4.ts'
import { type Extension, MessagePackReader, type Token } from './message-pack-reader.ts'

/**
 * The body of a request as plain MessagePack. Clients compress what has 64 bytes or more, in one of two forms:
 * an array of the lengths (extension 98) and as many blocks, or extension 99 of one length and one block.
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

/** Clients cut at 32 KB; a message of the largest size in blocks of 1 KB fits. */
const blocksMax = 4096

function decompressArray(reader: MessagePackReader, length: number): Uint8Array {
  if (length > blocksMax + 1) throw new UnreadableMessage()
  const lengths = blockLengthsIn(reader.next(), length - 1)
  requireLegal(lengths.reduce((sum, each) => sum + each, 0))
  const blocks = lengths.map((each) => decodeLz4Block(bytesIn(reader.next()), each))
  requireEnd(reader)
  return Buffer.concat(blocks)
}

function blockLengthsIn(token: Token, count: number): number[] {
  if (token.kind !== 'extension' || token.extension.type !== blockLengths) throw new UnreadableMessage()
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
  if (token.kind !== 'bytes') throw new UnreadableMessage()
  return token.bytes
}

const lengthIn = (token: Token): number => {
  const isLength = token.kind === 'value' && Number.isSafeInteger(token.value) && Number(token.value) >= 0
  if (!isLength) throw new UnreadableMessage()
  return Number(token.value)
}

/** Before anything is allocated: the lengths come from the client. */
function requireLegal(length: number): void {
  if (length > messageBytesMax) throw new OversizedMessage()
}

function requireEnd(reader: MessagePackReader): void {
  if (!reader.isAtEnd) throw new UnreadableMessage()
}
