import { isUtf8 } from 'node:buffer'
import { UnreadableMessageError } from '../message.ts'

/** The type and the data of an extension of MessagePack. */
export interface Extension {
  readonly type: number
  readonly bytes: Uint8Array
}

export type Token =
  | { readonly kind: 'value'; readonly value: null | boolean | number | string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'extension'; readonly extension: Extension }
  | { readonly kind: 'array' | 'map'; readonly length: number }

/** Reads MessagePack one token at a time. Nothing is allocated for a claimed length. */
export class MessagePackReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get position(): number {
    return this.#position
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length
  }

  next(): Token {
    const code = this.#bytes[this.#advance(1)] as number
    if (code <= 0x7f) return valueToken(code)
    if (code <= 0x8f) return this.#container('map', code & 0x0f)
    if (code <= 0x9f) return this.#container('array', code & 0x0f)
    if (code <= 0xbf) return valueToken(this.#text(code & 0x1f))
    if (code >= 0xe0) return valueToken(code - 0x100)
    const read = tokenReaders[code - 0xc0]
    if (read === undefined) throw new UnreadableMessageError()
    return read(this)
  }

  /**
   * Skips the contents of a token that was read. It does not recurse, because the sender chooses the depth.
   */
  skipRest(token: Token): void {
    let pending = entryCountOf(token)
    while (pending > 0) pending += entryCountOf(this.next()) - 1
  }

  /** Returns the start of the next `length` bytes. */
  #advance(length: number): number {
    const start = this.#position
    if (start + length > this.#bytes.length) throw new UnreadableMessageError()
    this.#position = start + length
    return start
  }

  #take(length: number): Buffer {
    const start = this.#advance(length)
    return this.#bytes.subarray(start, start + length)
  }

  #unsigned(size: number): number {
    return this.#bytes.readUIntBE(this.#advance(size), size)
  }

  /** Decoding replaces invalid UTF-8, so the bytes are checked only if there is a replacement. */
  #text(length: number): string {
    const start = this.#advance(length)
    const text = this.#bytes.toString('utf8', start, start + length)
    const isSuspicious = text.includes('\ufffd')
    if (isSuspicious && !isUtf8(this.#bytes.subarray(start, start + length)))
      throw new UnreadableMessageError()
    return text
  }

  /** Each entry takes at least one byte (two in a map), so a larger count must be false. */
  #container(kind: 'array' | 'map', length: number): Token {
    const bytesMin = kind === 'map' ? 2 * length : length
    if (this.#position + bytesMin > this.#bytes.length) throw new UnreadableMessageError()
    return { kind, length }
  }

  #extension(length: number): Token {
    const type = this.#bytes.readInt8(this.#advance(1))
    return { kind: 'extension', extension: { type, bytes: this.#take(length) } }
  }

  /** The readers for the codes 0xc0 to 0xdf, in order. MessagePack does not define 0xc1. */
  static readonly tokenReaders: readonly (((reader: MessagePackReader) => Token) | undefined)[] = [
    () => valueToken(null),
    undefined,
    () => valueToken(false),
    () => valueToken(true),
    ...[1, 2, 4].map(
      (size) => (reader: MessagePackReader) => bytesToken(reader.#take(reader.#unsigned(size))),
    ),
    ...[1, 2, 4].map((size) => (reader: MessagePackReader) => reader.#extension(reader.#unsigned(size))),
    (reader) => valueToken(reader.#bytes.readFloatBE(reader.#advance(4))),
    (reader) => valueToken(reader.#bytes.readDoubleBE(reader.#advance(8))),
    ...[1, 2, 4].map((size) => (reader: MessagePackReader) => valueToken(reader.#unsigned(size))),
    (reader) => valueToken(Number(reader.#bytes.readBigUInt64BE(reader.#advance(8)))),
    ...[1, 2, 4].map(
      (size) => (reader: MessagePackReader) =>
        valueToken(reader.#bytes.readIntBE(reader.#advance(size), size)),
    ),
    (reader) => valueToken(Number(reader.#bytes.readBigInt64BE(reader.#advance(8)))),
    ...[1, 2, 4, 8, 16].map((length) => (reader: MessagePackReader) => reader.#extension(length)),
    ...[1, 2, 4].map(
      (size) => (reader: MessagePackReader) => valueToken(reader.#text(reader.#unsigned(size))),
    ),
    ...[2, 4].map(
      (size) => (reader: MessagePackReader) => reader.#container('array', reader.#unsigned(size)),
    ),
    ...[2, 4].map((size) => (reader: MessagePackReader) => reader.#container('map', reader.#unsigned(size))),
  ]
}

const { tokenReaders } = MessagePackReader

const valueToken = (value: null | boolean | number | string): Token => ({ kind: 'value', value })

const bytesToken = (bytes: Uint8Array): Token => ({ kind: 'bytes', bytes })

function entryCountOf(token: Token): number {
  if (token.kind === 'array') return token.length
  return token.kind === 'map' ? 2 * token.length : 0
}
