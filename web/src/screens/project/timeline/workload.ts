import { addDays, dayOf, daysBetween, isWeekend } from '../../../time/days.ts'
import { type Planned, plannedHours } from '../../../time/hours.ts'

/** Returns the hours planned on each of the days. */
export function plannedHoursByDay(
  rows: readonly Planned[],
  from: string,
  dayCount: number,
): readonly number[] {
  const days = Array.from({ length: dayCount }, (_, index) => addDays(from, index))
  const sums = days.map(() => 0)
  const weekends = days.map(isWeekend)
  for (const row of rows) {
    const [start, end] = [dayOf(row.startDate), dayOf(row.endDate)]
    const first = Math.max(0, daysBetween(from, start))
    const last = Math.min(dayCount - 1, daysBetween(from, end))
    // All working days have the same share, and so have all weekend days: one of each is enough.
    const shares = [false, true].map((weekend) => {
      const day = days.findIndex((_, index) => index >= first && index <= last && weekends[index] === weekend)
      return day === -1 ? 0 : plannedHours(row, days[day] ?? '', addDays(days[day] ?? '', 1))
    })
    for (let index = first; index <= last; index += 1)
      sums[index] = (sums[index] ?? 0) + (shares[Number(weekends[index])] ?? 0)
  }
  return sums
}

export type LoadLevel = 'free' | 'fits' | 'over' | 'far-over'

/** A load of more than one and a half days is marked more strongly. */
const farOverFactor = 1.5
/** Rounding errors must not count as overload. */
const tolerance = 0.01

export function loadLevelOf(hours: number, target: number): LoadLevel {
  if (hours <= tolerance) return 'free'
  if (hours <= target + tolerance) return 'fits'
  return hours <= target * farOverFactor + tolerance ? 'over' : 'far-over'
}
