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

/** Writes MessagePack into one growing buffer. */
export class MessagePackWriter {
  #buffer = Buffer.allocUnsafe(startBytes)
  #length = 0

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  nil(): void {
    this.#byte(0xc0)
  }

  boolean(value: boolean): void {
    this.#byte(value ? 0xc3 : 0xc2)
  }

  map(length: number): void {
    this.#length = this.#header(length, 0x80, 0x0f, [0xde, 0xdf])
  }

  array(length: number): void {
    this.#length = this.#header(length, 0x90, 0x0f, [0xdc, 0xdd])
  }

  text(value: string): void {
    if (value.length > shortTextMax || !this.#shortAscii(value)) this.#anyText(value)
  }

  /** Writes a safe integer as an integer, any other number as a double. */
  number(value: number): void {
    if (!Number.isSafeInteger(value)) this.#double(value)
    else if (value >= -0x20 && value <= 0x7f) this.#byte(value & 0xff)
    else if (value >= -(2 ** 31) && value < 2 ** 31) this.#int32(value)
    else this.#int64(value)
  }

  /** Writes the extension of type -1 in the shortest of its forms, of 32, 64 or 96 bits. */
  timestamp(seconds: number, nanoseconds: number): void {
    this.#reserve(15)
    const high = Math.floor(seconds / 2 ** 32)
    if (high === 0 && nanoseconds === 0) {
      this.#bytes(0xd6, 0xff)
      this.#length = this.#buffer.writeUInt32BE(seconds, this.#length)
    } else if (high >= 0 && high < 4) {
      this.#bytes(0xd7, 0xff)
      this.#length = this.#buffer.writeUInt32BE(nanoseconds * 4 + high, this.#length)
      this.#length = this.#buffer.writeUInt32BE(seconds - high * 2 ** 32, this.#length)
    } else {
      this.#bytes(0xc7, 12, 0xff)
      this.#length = this.#buffer.writeUInt32BE(nanoseconds, this.#length)
      this.#length = this.#buffer.writeBigInt64BE(BigInt(seconds), this.#length)
    }
  }

  /**
   * Writes ASCII text character by character, which takes a third of the time of a native call. Returns false
   * for any other text, without writing it.
   */
  #shortAscii(value: string): boolean {
    const { length } = value
    this.#reserve(length + 2)
    const buffer = this.#buffer
    const start = this.#length + (length > 0x1f ? 2 : 1)
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index)
      if (code > 0x7f) return false
      buffer[start + index] = code
    }
    if (length > 0x1f) this.#bytes(0xd9, length)
    else this.#bytes(0xa0 | length)
    this.#length += length
    return true
  }

  #anyText(value: string): void {
    const length = Buffer.byteLength(value)
    if (length > 0x1f && length <= 0xff) {
      this.#reserve(2)
      this.#bytes(0xd9, length)
    } else {
      this.#length = this.#header(length, 0xa0, 0x1f, [0xda, 0xdb])
    }
    this.#reserve(length)
    this.#length += this.#buffer.write(value, this.#length)
  }

  #double(value: number): void {
    this.#byte(0xcb)
    this.#reserve(8)
    this.#length = this.#buffer.writeDoubleBE(value, this.#length)
  }

  #int32(value: number): void {
    this.#byte(0xd2)
    this.#reserve(4)
    this.#length = this.#buffer.writeInt32BE(value, this.#length)
  }

  #int64(value: number): void {
    this.#byte(0xd3)
    this.#reserve(8)
    this.#length = this.#buffer.writeBigInt64BE(BigInt(value), this.#length)
  }

  /** Writes the header and returns the position of the contents. */
  #header(length: number, fix: number, fixMax: number, [in16, in32]: readonly [number, number]): number {
    this.#reserve(5)
    if (length <= fixMax) return this.#buffer.writeUInt8(fix | length, this.#length)
    const isShort = length <= 0xffff
    this.#bytes(isShort ? in16 : in32)
    return isShort
      ? this.#buffer.writeUInt16BE(length, this.#length)
      : this.#buffer.writeUInt32BE(length, this.#length)
  }

  #byte(value: number): void {
    this.#reserve(1)
    this.#bytes(value)
  }

  #bytes(...values: number[]): void {
    for (const value of values) this.#length = this.#buffer.writeUInt8(value, this.#length)
  }

  #reserve(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/** Enough for one record. */
const startBytes = 1024

/** Ids, keys and most names are shorter. */
const shortTextMax = 64
