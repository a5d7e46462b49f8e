import pg from 'pg'

const { builtins } = pg.types

/** `pg` and `Date` would cut microseconds off, so moments stay text, in the form the contract shows: RFC 3339 in UTC. */
export const showMoment = (stored: string): string =>
  stored.endsWith('+00') ? `${stored.slice(0, 10)}T${stored.slice(11, -3)}Z` : inUtc(stored)

/** The same with milliseconds, as `timestampText` has the store write it. */
export function showRowTimestamp(stored: string): string {
  const [whole, fraction = ''] = showMoment(stored).slice(0, -1).split('.')
  return `${whole}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

const elsewhere =
  /^(?<year>\d+)-(?<month>\d\d)-(?<day>\d\d)[ T](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?<fraction>\.\d+)?(?<sign>[+-])(?<hours>\d\d)(:(?<minutes>\d\d))?(:(?<seconds>\d\d))?(?<era> BC)?$/

/**
 * A server or pooler may keep its own time zone. Before zones had whole minutes its offset has seconds too, and the first
 * and last day that we store may stand in the year before or after them there.
 */
function inUtc(stored: string): string {
  const parts = elsewhere.exec(stored)?.groups ?? {}
  const of = (name: string) => Number(parts[name] ?? 0)
  const offset = Number(`${parts.sign}1`) * (of('hours') * 3600 + of('minutes') * 60 + of('seconds'))
  const utc = new Date(0)
  utc.setUTCFullYear(parts.era ? 1 - of('year') : of('year'), of('month') - 1, of('day'))
  utc.setUTCHours(of('hour'), of('minute'), of('second') - offset)
  const shown = utc.toISOString()
  if (!/^\d{4}-/.test(shown)) throw new Error(`${stored} is before or after all moments of ours.`)
  return `${shown.slice(0, 19)}${parts.fraction ?? ''}Z`
}

/** Our exact numbers are small: amounts of hours, counts, sequences. All are whole in a double. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.TIMESTAMPTZ]: showMoment,
  [builtins.NUMERIC]: Number,
  [builtins.INT8]: Number,
}

export const columnTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
