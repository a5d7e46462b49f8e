import assert from 'node:assert/strict'

export interface Timestamp {
  readonly seconds: string | number
  readonly nanos: number
}

/**
 * Converts text to a protobuf Timestamp, and invalid text to an invalid one. Empty text and other values give
 * undefined.
 */
export function timestampOf(value: unknown): Timestamp | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const [matched, date, time = '00:00', second = '00', fraction = '', offset = 'Z'] =
    pattern.exec(value) ?? []
  const milliseconds = matched === undefined ? Number.NaN : Date.parse(`${date}T${time}:${second}${offset}`)
  if (Number.isNaN(milliseconds) || !isRealDay(date)) return invalidTimestamp
  return { seconds: milliseconds / 1000, nanos: Number(fraction.slice(0, 9).padEnd(9, '0')) }
}

/** Date.parse reads 2026-02-30 as a day of the next month. */
function isRealDay(date = ''): boolean {
  const parsed = new Date(`${date}T00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

const pattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?$/

const invalidTimestamp: Timestamp = { seconds: 0, nanos: -1 }

/**
 * Converts a protobuf Timestamp to text. The fraction is left out if it is zero. Otherwise it has six decimal
 * places, or nine if it has digits below a microsecond.
 */
export function serializeTimestamp(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('seconds' in value)) return value
  const { seconds, nanos } = value as Timestamp
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  const fraction = String(nanos).padStart(9, '0').replace(/000$/, '')
  return nanos === 0 ? `${whole}Z` : `${whole}.${fraction}Z`
}

/** Returns the microseconds since 1970 of a timestamp in the hosts' format: RFC 3339 in UTC, ending in Z. */
export function microsecondsOf(timestamp: unknown): bigint {
  const [, seconds, fraction = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(String(timestamp)) ?? []
  assert.ok(seconds, `${timestamp} is not a UTC timestamp`)
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

/** Returns whether a JavaScript `Date` can represent the timestamp without rounding. */
export const hasMillisecondPrecision = (timestamp: unknown): boolean =>
  microsecondsOf(timestamp) % 1000n === 0n

/** Returns the timestamp shifted by these minutes, with six decimal places and without an offset. */
export function wallClock(microseconds: bigint, minutes = 0): string {
  const shifted = microseconds + BigInt(minutes) * 60_000_000n
  const seconds = new Date(Number(shifted / 1_000_000n) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(shifted % 1_000_000n).padStart(6, '0')}`
}
