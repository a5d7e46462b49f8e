import { t } from '../texts/text.ts'
import { addDays, dayOf, daysInWeek, weekdayOf } from './days.ts'
import { keptFormat } from './kept-format.ts'

const formatOf = keptFormat(
  (locale, useGrouping: boolean) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2, useGrouping }),
)

export const formatNumber = (number: number): string => formatOf(true).format(number)

/** Formats hours for a text field. */
export const typeHours = (hours: number): string => formatOf(false).format(hours)

export const formatHours = (hours: number): string => t('{hours} h', { hours: formatNumber(hours) })

/** Formats elapsed time like a clock. */
export function formatClock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours}:${String(minutes).padStart(2, '0')}:${String(Math.floor(seconds) % 60).padStart(2, '0')}`
}

/** The fields of an assignment that planning needs. */
export interface Planned {
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
}

/**
 * The part of an estimate that falls into the days from `from` until before `to`. It is distributed evenly over the working days
 * of its period, or over all days of a period without any.
 */
export function plannedHours({ startDate, endDate, amountHours }: Planned, from: string, to: string): number {
  const start = dayOf(startDate)
  const end = addDays(dayOf(endDate), 1)
  const count = workingDays(start, end) > 0 ? workingDays : allDays
  const shared = count(from > start ? from : start, to < end ? to : end)
  return (amountHours * shared) / count(start, end)
}

/** A share of an estimate is a guess, so tenths are enough. */
export const formatPlanned = (hours: number): string => formatHours(Math.round(hours * 10) / 10)

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

/** Counts in hundredths, because sums of fractions drift. */
export const sumHours = (rows: readonly { readonly amountHours: number }[]): number =>
  rows.reduce((sum, { amountHours }) => sum + Math.round(amountHours * 100), 0) / 100
