import { t } from '../texts/text.ts'
import { keptFormat } from './kept-format.ts'

/** Days are days of the calendar: the interface keeps moments, and a day's is its midnight in UTC. */
export const dayOf = (moment: string): string => moment.slice(0, 10)

/** The person's own today. */
export const today = (): string => dayOfMoment(new Date().toISOString())

/** The person's own day of a moment. */
export function dayOfMoment(moment: string): string {
  const at = new Date(moment)
  return dayOf(new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString())
}

export function addDays(day: string, count: number): string {
  const moment = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(moment) ? day : dayOf(new Date(moment + count * 86_400_000).toISOString())
}

type Style = 'short' | 'long' | 'weekday' | 'month' | 'whole'

const styles: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  short: { day: 'numeric', month: 'short' },
  long: { day: 'numeric', month: 'short', year: 'numeric' },
  weekday: { weekday: 'short' },
  month: { month: 'long', year: 'numeric' },
  whole: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
}

export const formatOf = keptFormat(
  (locale, style: Style) => new Intl.DateTimeFormat(locale, { ...styles[style], timeZone: 'UTC' }),
)

export const dateOf = (day: string): Date => new Date(`${dayOf(day)}T00:00:00Z`)

/** With the year only where it is not this one. */
export const showDay = (day: string): string =>
  formatOf(day.slice(0, 4) === today().slice(0, 4) ? 'short' : 'long').format(dateOf(day))

export const showLongDay = (day: string): string => formatOf('long').format(dateOf(day))

/** A day of the calendar, not merely something that looks like one. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

export const daysBetween = (from: string, to: string): number =>
  Math.round((dateOf(to).getTime() - dateOf(from).getTime()) / 86_400_000)

/** How long ago, in days: for what waits. */
export function showAge(moment: string): string {
  const days = daysBetween(dayOf(moment), today())
  if (days <= 0) return t('since today')
  return days === 1 ? t('for 1 day') : t('for {days} days', { days })
}

/** The moment that was stored, unless the person chose another day. */
export const momentOf = (day: string, stored: string | undefined): string =>
  stored !== undefined && dayOf(stored) === day ? stored : day

/** The same of an end. On the day of the start it is not before it, which others may have set to any time of the day. */
export function endMomentOf(day: string, stored: string | undefined, start: string): string {
  const end = momentOf(day, stored)
  return dayOf(start) === day && end < start ? start : end
}

/** The same day of another month, or its last one where it has fewer. */
export function addMonths(day: string, count: number): string {
  const first = dateOf(`${day.slice(0, 7)}-01`)
  first.setUTCMonth(first.getUTCMonth() + count)
  const month = first.toISOString().slice(0, 7)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return `${month}-${String(Math.min(Number(day.slice(8, 10)), last)).padStart(2, '0')}`
}
