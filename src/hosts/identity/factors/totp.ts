import { createHmac, timingSafeEqual } from 'node:crypto'

/** What every app knows: RFC 6238 with HMAC-SHA-1, six digits, thirty seconds. */
const stepMilliseconds = 30_000
const digits = 6
/** A clock may be one step ahead or behind. */
const stepsAside = 1
/** RFC 4226, 4: as long as the hash. */
export const totpSecretBytes = 20

export const codePattern = /^\d{6}$/

/** The time step that the code is right for; undefined for a wrong one. */
export function stepOfCode(secret: Buffer, code: string, now: number): number | undefined {
  const current = Math.floor(now / stepMilliseconds)
  const given = Buffer.from(code)
  let found: number | undefined
  // All are compared, so that the time tells nothing.
  for (let step = current - stepsAside; step <= current + stepsAside; step += 1) {
    const expected = Buffer.from(codeAt(secret, step))
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = step
  }
  return found
}

/** RFC 4226, 5.3, of a time step. */
export function codeAt(secret: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff
  return String(number % 10 ** length).padStart(length, '0')
}
