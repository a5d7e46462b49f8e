import assert from 'node:assert/strict'

/** Microseconds since 1970 of a timestamp as the hosts write it: RFC 3339 in UTC, ending in Z. */
export function microsecondsOf(timestamp: unknown): bigint {
  const [, seconds, fraction = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(String(timestamp)) ?? []
  assert.ok(seconds, `${timestamp} is a timestamp`)
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

/** Whether a JavaScript `Date` keeps all of it. */
export const isInMilliseconds = (timestamp: unknown): boolean => microsecondsOf(timestamp) % 1000n === 0n

/** The timestamp, with six digits of fraction and nothing after them, shifted by some minutes. */
export function wallClock(microseconds: bigint, minutes = 0): string {
  const shifted = microseconds + BigInt(minutes) * 60_000_000n
  const seconds = new Date(Number(shifted / 1_000_000n) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(shifted % 1_000_000n).padStart(6, '0')}`
}
