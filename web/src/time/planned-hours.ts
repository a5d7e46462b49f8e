import { addDays, dayOf } from './days.ts'
import { showHours } from './hours.ts'
import { daysInWeek, weekdayOf } from './weeks.ts'

/** What planning needs to know of an assignment. */
export interface Planned {
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
}

/**
 * The part of an estimate that falls into the days before `to`, from `from` on. It is spread evenly over the working days
 * of its period, and over all days of a period without any.
 */
export function plannedHours({ startDate, endDate, amountHours }: Planned, from: string, to: string): number {
  const start = dayOf(startDate)
  const end = addDays(dayOf(endDate), 1)
  const count = workingDays(start, end) > 0 ? workingDays : allDays
  const shared = count(from > start ? from : start, to < end ? to : end)
  return (amountHours * shared) / count(start, end)
}

/** A share of an estimate is a guess: tenths say enough. */
export const showPlanned = (hours: number): string => showHours(Math.round(hours * 10) / 10)

const dayMilliseconds = 86_400_000

const allDays = (from: string, to: string): number =>
  Math.max(0, Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMilliseconds))

/** Monday to Friday; a period may last for centuries, so only its last days are counted one by one. */
function workingDays(from: string, to: string): number {
  const days = allDays(from, to)
  const weeks = Math.floor(days / daysInWeek)
  const others = Array.from(
    { length: days % daysInWeek },
    (_, index) => (weekdayOf(from) + index) % daysInWeek,
  )
  return weeks * 5 + others.filter((weekday) => weekday !== 0 && weekday !== 6).length
}
