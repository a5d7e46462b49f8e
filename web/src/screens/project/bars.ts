import type { RecordOf } from '../../api/api.ts'
import { dayOf, daysBetween } from '../../time/days.ts'

type Assignment = RecordOf<'assignment'>

/** An assignment as a bar over days, in a line of its own where it overlaps others. */
export interface Bar {
  readonly row: Assignment
  readonly line: number
  /** The index of the first and last visible day, from 0. */
  readonly first: number
  readonly last: number
  readonly beginsBefore: boolean
  readonly endsAfter: boolean
  /** The place of its name: within it, or next to it if it is too short. */
  readonly namePlace: NamePlace
  /** The days next to it that are free for its name. */
  readonly nameRoom: number
}

export type NamePlace = 'within' | 'before' | 'after'

export interface BarOptions {
  /** The days that a name needs. A shorter bar has its name beside it, and no other bar on those days. */
  nameDaysOf?(row: Assignment): number
  /** Rows for which this is true come first, in the upper lines. */
  comesFirst?(row: Assignment): boolean
}

/** Returns the bars of all assignments that touch the days from `from` on; the earliest first, then the longest. */
export function barsOf(
  rows: readonly Assignment[],
  from: string,
  dayCount: number,
  { nameDaysOf = () => 0, comesFirst = () => false }: BarOptions = {},
): Bar[] {
  const spans = rows.flatMap((row) => {
    const first = daysBetween(from, dayOf(row.startDate))
    const last = Math.max(first, daysBetween(from, dayOf(row.endDate)))
    return last < 0 || first >= dayCount ? [] : [{ row, first, last, isFirst: comesFirst(row) }]
  })
  spans.sort(
    (a, b) =>
      Number(b.isFirst) - Number(a.isFirst) ||
      Math.max(0, a.first) - Math.max(0, b.first) ||
      b.last - a.last ||
      (a.row.id < b.row.id ? -1 : 1),
  )
  const lines: { readonly first: number; readonly last: number }[][] = []
  const bars = spans.map(({ row, first, last }) => {
    const [begin, end] = [Math.max(0, first), Math.min(last, dayCount - 1)]
    const nameDays = nameDaysOf(row)
    const namePlace = namePlaceOf(begin, end, nameDays, dayCount)
    const taken = {
      first: namePlace === 'before' ? begin - nameDays : begin,
      last: namePlace === 'after' ? end + nameDays : end,
    }
    const isFree = (line: (typeof lines)[number]) =>
      line.every((other) => other.last < taken.first || other.first > taken.last)
    const freeLine = lines.findIndex(isFree)
    const line = freeLine === -1 ? lines.push([]) - 1 : freeLine
    lines[line]?.push(taken)
    return {
      row,
      line,
      first: begin,
      last: end,
      beginsBefore: first < 0,
      endsAfter: last >= dayCount,
      namePlace,
    }
  })
  return bars.map((bar) => ({ ...bar, nameRoom: nameRoomOf(bar, lines[bar.line] ?? [], dayCount) }))
}

/** Counts the days from a bar to the next one in its line, or to the edge, on the side of its name. */
function nameRoomOf(
  { first, last, namePlace }: Pick<Bar, 'first' | 'last' | 'namePlace'>,
  taken: readonly { readonly first: number; readonly last: number }[],
  dayCount: number,
): number {
  if (namePlace === 'after') {
    const starts = taken.flatMap((other) => (other.first > last ? [other.first] : []))
    return Math.min(dayCount, ...starts) - last - 1
  }
  const ends = taken.flatMap((other) => (other.last < first ? [other.last] : []))
  return namePlace === 'before' ? first - Math.max(-1, ...ends) - 1 : 0
}

function namePlaceOf(first: number, last: number, nameDays: number, dayCount: number): NamePlace {
  if (last - first + 1 >= nameDays) return 'within'
  if (last + nameDays < dayCount) return 'after'
  return first - nameDays >= 0 ? 'before' : 'within'
}

/**
 * Splits the bars of a week into those that fit and hidden ones, which buttons such as "2 more" open. A bar
 * that would be the only hidden one on its days is shown in the line of these buttons.
 */
export function fitBars(bars: readonly Bar[], lineCount: number) {
  const below = bars.filter(({ line }) => line >= lineCount)
  const isAlone = (bar: Bar) =>
    !below.some((other) => other !== bar && other.first <= bar.last && other.last >= bar.first)
  return {
    shown: [
      ...bars.filter(({ line }) => line < lineCount),
      ...below.filter(isAlone).map((bar) => ({ ...bar, line: lineCount })),
    ],
    hidden: below.filter((bar) => !isAlone(bar)),
  }
}
