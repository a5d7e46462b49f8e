import pg from 'pg'

const { builtins } = pg.types

/** `pg` and `Date` would cut microseconds off, so moments stay text, in the form the contract shows: RFC 3339 in UTC. */
export function showMoment(stored: string): string {
  const moment = `${stored.slice(0, 10)}T${stored.slice(11)}`
  return moment.endsWith('+00') ? `${moment.slice(0, -3)}Z` : inUtc(moment)
}

/** A server or pooler may keep its own time zone; whole minutes change, the fraction of the second does not. */
function inUtc(moment: string): string {
  const [, local = '', fraction = '', offset = ''] =
    /^([^.+-]+-[^.+-]+-[^.+-]+)(\.\d+)?([+-].+)$/.exec(moment) ?? []
  const utc = new Date(`${local}${offset.includes(':') ? offset : `${offset}:00`}`)
  return `${utc.toISOString().slice(0, 19)}${fraction}Z`
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
