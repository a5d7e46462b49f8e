import { cacheFormat, t } from '../texts/text.ts'
import { addDays, dayOf, daysInWeek, weekdayOf } from './days.ts'

export const hoursPerDay = 24

const numberFormat = cacheFormat(
  (locale, separators: 'thousands separators' | 'none') =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: 2, useGrouping: separators !== 'none' }),
)

export const formatNumber = (number: number): string => numberFormat('thousands separators').format(number)

/** Formats hours for a text field, whose parser rejects thousands separators. */
export const formatHoursInput = (hours: number): string => numberFormat('none').format(hours)

export const formatHours = (hours: number): string => t('{hours} h', { hours: formatNumber(hours) })

/**
 * Parses hours as people type them: 1.5, 1,5, 1:30, 1h30, 1h 30m, 2 h, 90m, 90 min. Returns undefined for
 * other texts.
 */
export function parseDuration(text: string): number | undefined {
  const input = text.trim().toLowerCase()
  if (/^-?(\d+([.,]\d*)?|[.,]\d+)(e\d+)?$/.test(input)) return Number(input.replace(',', '.'))
  const [found, hours, minutes] =
    /^(\d{1,6})(?::|\s?h\s?)([0-5]?\d)(?:\s?m(?:in)?)?$/.exec(input) ??
    /^(\d{1,6}(?:[.,]\d+)?)\s?h$/.exec(input) ??
    /^()(\d{1,6})\s?m(?:in)?$/.exec(input) ??
    []
  if (found === undefined) return undefined
  return Number((hours || '0').replace(',', '.')) + Math.round((Number(minutes ?? 0) / 60) * 100) / 100
}

/** Formats elapsed time like a clock. */
export function formatClock(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return `${hours}:${String(minutes).padStart(2, '0')}:${String(Math.floor(seconds) % 60).padStart(2, '0')}`
}

/** The fields of an assignment that planning needs. */
export interface Planned {
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
}

/**
 * Returns the hours of an estimate that fall into the days from `from` up to, but excluding, `to`. An
 * estimate is distributed evenly over the working days of its period, or over all days if the period has no
 * working day.
 */
export function plannedHours({ startDate, endDate, amountHours }: Planned, from: string, to: string): number {
  const start = dayOf(startDate)
  const end = addDays(dayOf(endDate), 1)
  // A period that ends before it starts has no days.
  if (end <= start) return 0
  const countDays = countWorkingDays(start, end) > 0 ? countWorkingDays : countAllDays
  const overlapStart = from > start ? from : start
  const overlapEnd = to < end ? to : end
  if (overlapEnd <= overlapStart) return 0
  return (amountHours * countDays(overlapStart, overlapEnd)) / countDays(start, end)
}

/** Rounds to tenths, because a share of an estimate is only a guess. */
export const roundPlanned = (hours: number): number => Math.round(hours * 10) / 10

export const formatPlanned = (hours: number): string => formatHours(roundPlanned(hours))

const dayMilliseconds = 86_400_000

const countAllDays = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMilliseconds)

/**
 * Counts Monday to Friday. A period may last for centuries, so only the days after its whole weeks are
 * counted one by one.
 */
function countWorkingDays(from: string, to: string): number {
  const days = countAllDays(from, to)
  const weeks = Math.floor(days / daysInWeek)
  const remainingDays = Array.from(
    { length: days % daysInWeek },
    (_, index) => (weekdayOf(from) + index) % daysInWeek,
  )
  return weeks * 5 + remainingDays.filter((weekday) => weekday !== 0 && weekday !== 6).length
}

/** Sums hundredths of an hour as integers, because sums of fractions are inexact. */
export const sumHours = (rows: readonly { readonly amountHours: number }[]): number =>
  rows.reduce((sum, { amountHours }) => sum + Math.round(amountHours * 100), 0) / 100

/** Rounds to the hundredths that are stored. */
export const roundHours = (hours: number): number => Math.round(hours * 100) / 100

/** Returns the recorded hours that exceed a plan, if there is one. */
export const overOf = (recorded: number, planned: number): number =>
  planned > 0 ? Math.max(0, roundHours(recorded - planned)) : 0

/**
 * Splits recorded hours into those within the plan and the excess, which a bar shows behind them. The excess of a
 * person may be larger than `recorded`, because others may have recorded it.
 */
export function splitHours({ recorded, over }: { readonly recorded: number; readonly over: number }) {
  const within = Math.max(0, recorded - over)
  return { within, over: recorded - within }
}

/** The planned hours that lists offer. Users can type others. */
export const usualHours = [1, 2, 4, 8, 16, 24, 40] as const
