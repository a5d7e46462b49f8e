import type { RecordOf } from '../../api/api.ts'
import { dayOf, daysBetween } from '../../time/days.ts'

type Assignment = RecordOf<'assignment'>

/** An assignment as a bar over days, in a lane of its own where it overlaps others. */
export interface Bar {
  readonly row: Assignment
  readonly lane: number
  /** The index of the first and last visible day, from 0. */
  readonly first: number
  readonly last: number
  readonly beginsBefore: boolean
  readonly endsAfter: boolean
}

/** Returns the bars of all assignments that touch the days from `from` on; the earliest first, then the longest. */
export function barsOf(rows: readonly Assignment[], from: string, dayCount: number): Bar[] {
  const spans = rows.flatMap((row) => {
    const first = daysBetween(from, dayOf(row.startDate))
    const last = Math.max(first, daysBetween(from, dayOf(row.endDate)))
    return last < 0 || first >= dayCount ? [] : [{ row, first, last }]
  })
  spans.sort(
    (a, b) =>
      Math.max(0, a.first) - Math.max(0, b.first) || b.last - a.last || (a.row.id < b.row.id ? -1 : 1),
  )
  const ends: number[] = []
  return spans.map(({ row, first, last }) => {
    const begin = Math.max(0, first)
    const freeLane = ends.findIndex((end) => end < begin)
    const lane = freeLane === -1 ? ends.length : freeLane
    ends[lane] = last
    return {
      row,
      lane,
      first: begin,
      last: Math.min(last, dayCount - 1),
      beginsBefore: first < 0,
      endsAfter: last >= dayCount,
    }
  })
}
