/** Days are days of the calendar: the interface keeps moments, and a day's is its midnight in UTC. */
export const dayOf = (moment: string): string => moment.slice(0, 10)

/** The person's own today. */
export function today(): string {
  const now = new Date()
  return dayOf(new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString())
}

export function addDays(day: string, count: number): string {
  const moment = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(moment) ? day : dayOf(new Date(moment + count * 86_400_000).toISOString())
}

const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const long = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** With the year only where it is not this one. */
export function showDay(day: string): string {
  const format = day.slice(0, 4) === today().slice(0, 4) ? short : long
  return format.format(new Date(`${dayOf(day)}T00:00:00Z`))
}

/** The moment that was stored, unless the person chose another day. */
export const momentOf = (day: string, stored: string | undefined): string =>
  stored !== undefined && dayOf(stored) === day ? stored : day
