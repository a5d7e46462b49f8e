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

  flag(value: boolean): void {
    this.#byte(value ? 0xc3 : 0xc2)
  }

  map(length: number): void {
    this.#length = this.#header(length, 0x80, 0x0f, [0xde, 0xdf])
  }

  array(length: number): void {
    this.#length = this.#header(length, 0x90, 0x0f, [0xdc, 0xdd])
  }

  text(value: string): void {
    const length = Buffer.byteLength(value)
    if (length > 0x1f && length <= 0xff) {
      this.#byte(0xd9)
      this.#byte(length)
    } else {
      this.#length = this.#header(length, 0xa0, 0x1f, [0xda, 0xdb])
    }
    this.#reserve(length)
    this.#length += this.#buffer.write(value, this.#length)
  }

  /** A whole number as an integer, any other as a double. */
  number(value: number): void {
    if (!Number.isSafeInteger(value)) this.#double(value)
    else if (value >= -0x20 && value <= 0x7f) this.#byte(value & 0xff)
    else if (value >= -(2 ** 31) && value < 2 ** 31) this.#int32(value)
    else this.#int64(value)
  }

  /** The extension of type -1: 64 bits where they are enough, else 96. */
  timestamp(seconds: number, nanoseconds: number): void {
    this.#reserve(15)
    if (seconds >= 0 && seconds < 2 ** 34) {
      this.#bytes(0xd7, 0xff)
      const packed = (BigInt(nanoseconds) << 34n) | BigInt(seconds)
      this.#length = this.#buffer.writeBigUInt64BE(packed, this.#length)
      return
    }
    this.#bytes(0xc7, 12, 0xff)
    this.#length = this.#buffer.writeUInt32BE(nanoseconds, this.#length)
    this.#length = this.#buffer.writeBigInt64BE(BigInt(seconds), this.#length)
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

  /** Returns where the contents begin. */
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

/** A record fits. */
const startBytes = 1024
