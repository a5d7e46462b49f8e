import { randomBytes } from 'node:crypto'

/** UUIDv7 (RFC 9562, method 3): milliseconds, then their 4096ths, then chance; so ids sort as they were made. */
export function newId(): string {
  const milliseconds = performance.timeOrigin + performance.now()
  const whole = Math.floor(milliseconds)
  const bytes = randomBytes(16)
  bytes.writeUIntBE(whole, 0, 6)
  bytes.writeUInt16BE(0x7000 | Math.floor((milliseconds - whole) * 4096), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
