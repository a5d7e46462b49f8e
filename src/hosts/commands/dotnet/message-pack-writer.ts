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

  /** Writes a whole number as an integer, any other as a double. */
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

/** Ids, names and keys are shorter. */
const shortTextMax = 64
