/**
 * A timestamp is text in the database's format: RFC 3339 in UTC with up to six decimals of a second. `Date`
 * would lose three.
 */
const pattern = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?$/i

/**
 * Parses a date, or a date and time with an offset or in UTC. Returns undefined if there is no such instant.
 */
export function parseTimestamp(input: string): string | undefined {
  const [matched, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset = 'Z'] =
    pattern.exec(input) ?? []
  if (matched === undefined) return undefined
  const local = new Date(0)
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // `Date` rolls over: the 30th of February would silently become the 2nd of March.
  if (local.getUTCMonth() !== Number(month) - 1 || local.getUTCDate() !== Number(day)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offsetMinutes = minutesOf(offset)
  if (offsetMinutes === undefined) return undefined
  local.setUTCHours(Number(hour), Number(minute) - offsetMinutes, Number(second))
  const utcYear = local.getUTCFullYear()
  return utcYear >= 1 && utcYear <= 9999
    ? `${local.toISOString().slice(0, 19)}${microseconds(fraction)}Z`
    : undefined
}

/**
 * Returns whether the first timestamp is earlier. The Z is removed, because it would sort after further
 * decimals.
 */
export const isEarlier = (first: string, second: string): boolean => first.slice(0, -1) < second.slice(0, -1)

function minutesOf(offset: string): number | undefined {
  if (offset.toUpperCase() === 'Z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (60 * hours + minutes)
}

/**
 * Clients send three to nine decimals, depending on their language. Those beyond the sixth are dropped, not
 * rounded, because the database stores six: a version that a client sends back must stay equal.
 */
function microseconds(fraction: string): string {
  const digits = fraction.slice(0, 6).replace(/0+$/, '')
  return digits === '' ? '' : `.${digits}`
}

/**
 * Returns whether this is the name of a time zone, such as Europe/Lisbon. Offsets such as +01:00 are
 * rejected, because they have no daylight saving time.
 */
export function isTimeZone(name: string): boolean {
  if (name.length > 64 || !/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
