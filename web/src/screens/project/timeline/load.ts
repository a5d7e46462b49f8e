import { addDays, dayOf, daysBetween, weekdayOf } from '../../../time/days.ts'
import { type Planned, plannedHours } from '../../../time/hours.ts'

const isWeekend = (day: string): boolean => weekdayOf(day) % 6 === 0

/** The hours planned on each of the days, with the estimates distributed as in all views. */
export function loadByDay(rows: readonly Planned[], from: string, dayCount: number): readonly number[] {
  const days = Array.from({ length: dayCount }, (_, index) => addDays(from, index))
  const sums = days.map(() => 0)
  const weekends = days.map(isWeekend)
  for (const row of rows) {
    const [start, end] = [dayOf(row.startDate), dayOf(row.endDate)]
    const first = Math.max(0, daysBetween(from, start))
    const last = Math.min(dayCount - 1, daysBetween(from, end))
    // Every working day has the same share, so one is enough.
    const shares = [false, true].map((weekend) => {
      const day = days.findIndex((_, index) => index >= first && index <= last && weekends[index] === weekend)
      return day === -1 ? 0 : plannedHours(row, days[day] ?? '', addDays(days[day] ?? '', 1))
    })
    for (let index = first; index <= last; index += 1)
      sums[index] = (sums[index] ?? 0) + (shares[Number(weekends[index])] ?? 0)
  }
  return sums
}

export type Load = 'free' | 'fits' | 'over' | 'far-over'

/** A load above one and a half days gets a stronger mark. */
const farExceeded = 1.5
/** Rounding errors are no overload. */
const tolerance = 0.01

export function loadOf(hours: number, target: number): Load {
  if (hours <= tolerance) return 'free'
  if (hours <= target + tolerance) return 'fits'
  return hours <= target * farExceeded + tolerance ? 'over' : 'far-over'
}
