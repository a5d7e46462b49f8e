import { addDays, dayOf, today } from './days.ts'

export const daysInWeek = 7

/** Weeks begin on Monday; a week is named by that day. */
export const mondayOf = (day: string): string => addDays(day, -((weekdayOf(day) + 6) % daysInWeek))

/** 0 is Sunday. */
export const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

export const daysOfWeek = (monday: string): readonly string[] =>
  Array.from({ length: daysInWeek }, (_, index) => addDays(monday, index))

/** A week in an address may be any day of it; whatever is no day means this week. */
export function readWeek(text: string | null): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
  return mondayOf(text !== null && isDay ? text : today())
}

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' })
const whole = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

const momentOf = (day: string): Date => new Date(`${dayOf(day)}T00:00:00Z`)

export const showWeekday = (day: string): string => weekday.format(momentOf(day))

export const showWeek = (monday: string): string =>
  whole.formatRange(momentOf(monday), momentOf(addDays(monday, daysInWeek - 1)))
