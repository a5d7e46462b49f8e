import { addDays, dateOf, formatOf, isDay, today } from './days.ts'

export const daysInWeek = 7

/** Weeks begin on Monday; a week is named by that day. */
export const mondayOf = (day: string): string => addDays(day, -((weekdayOf(day) + 6) % daysInWeek))

/** 0 is Sunday. */
export const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

export const daysOfWeek = (monday: string): readonly string[] =>
  Array.from({ length: daysInWeek }, (_, index) => addDays(monday, index))

/** A week in an address may be any day of it; whatever is no day means this week. */
export function readWeek(text: string | null): string {
  return mondayOf(text !== null && isDay(text) ? text : today())
}

export const showWeekday = (day: string): string => formatOf('weekday').format(dateOf(day))

export const showWeek = (monday: string): string =>
  formatOf('long').formatRange(dateOf(monday), dateOf(addDays(monday, daysInWeek - 1)))
