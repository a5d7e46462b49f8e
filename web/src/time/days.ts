import { capitalize } from '../texts/declared-names.ts'
import { cacheFormat, locale, t } from '../texts/text.ts'

/** Returns the calendar day of a stored timestamp. The API stores a day as its midnight in UTC. */
export const dayOf = (timestamp: string): string => timestamp.slice(0, 10)

/** The current day of the user. */
export const today = (): string => dayOfTimestamp(new Date().toISOString())

/** The day of a timestamp in the user's time zone. */
export function dayOfTimestamp(timestamp: string): string {
  const at = new Date(timestamp)
  return dayOf(new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString())
}

export function addDays(day: string, count: number): string {
  const timestamp = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(timestamp) ? day : dayOf(new Date(timestamp + count * 86_400_000).toISOString())
}

type Style = 'short' | 'shortMonth' | 'long' | 'weekday' | 'month' | 'heading' | 'whole'

const styles: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  short: { day: 'numeric', month: 'short' },
  shortMonth: { month: 'short' },
  long: { day: 'numeric', month: 'short', year: 'numeric' },
  weekday: { weekday: 'short' },
  month: { month: 'long', year: 'numeric' },
  heading: { weekday: 'long', day: 'numeric', month: 'long' },
  whole: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
}

export const dateFormat = cacheFormat((locale, style: Style) => {
  const format = new Intl.DateTimeFormat(locale, { ...styles[style], timeZone: 'UTC' })
  return {
    format: (date: Date): string => shortenMonth(format.format(date)),
    formatRange: (from: Date, to: Date): string => shortenMonth(format.formatRange(from, to)),
  }
})

/** British formats abbreviate every month to three letters except September, which becomes Sept. */
const shortenMonth = (text: string): string => text.replaceAll(/\bSept\b/g, 'Sep')

export const dateOf = (day: string): Date => new Date(`${dayOf(day)}T00:00:00Z`)

/**
 * Caches texts by locale and value, because screens format the same few days again and again, which costs
 * more than a look-up.
 */
function cacheTexts<Style extends string>(
  format: (value: string, style: Style) => string,
): (value: string, style: Style) => string {
  const textsOf = cacheFormat<Style, Map<string, string>>(() => new Map())
  return (value, style) => {
    const texts = textsOf(style)
    const cached = texts.get(value)
    if (cached !== undefined) return cached
    const text = format(value, style)
    texts.set(value, text)
    return text
  }
}

const formatDate = cacheTexts((day, style: Style) => dateFormat(style).format(dateOf(day)))

const isThisYear = (day: string): boolean => Number(day.slice(0, 4)) === new Date().getFullYear()

/** Formats a day, with the year only if it is not the current one. */
export const formatDay = (day: string): string => formatDate(dayOf(day), isThisYear(day) ? 'short' : 'long')

const nearDayFormat = cacheFormat<void, Intl.RelativeTimeFormat>(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
)

/** Formats a past day as a heading, such as Today, Yesterday or Monday 23 November. */
export function formatDayHeading(day: string): string {
  const age = daysBetween(day, today())
  if (age === 0 || age === 1) return capitalize(nearDayFormat().format(-age, 'day'))
  return capitalize(formatDate(day, isThisYear(day) ? 'heading' : 'whole'))
}

export const formatLongDay = (day: string): string => formatDate(dayOf(day), 'long')

/** Returns whether the text looks like a day. 31 February does, too. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

export const daysBetween = (from: string, to: string): number =>
  Math.round((dateOf(to).getTime() - dateOf(from).getTime()) / 86_400_000)

/** Formats how long something has lasted since a timestamp, in days of the user's time zone. */
export function formatAge(timestamp: string): string {
  const days = daysBetween(dayOfTimestamp(timestamp), today())
  if (days <= 0) return t('since today')
  return days === 1 ? t('for 1 day') : t('for {days} days', { days })
}

/** Returns the stored timestamp, unless the user chose another day. */
export const timestampOf = (day: string, stored: string | undefined): string =>
  stored !== undefined && dayOf(stored) === day ? stored : day

/** Like `timestampOf`, for an end. On the day of the start, the end is never before the start. */
export function endTimestampOf(day: string, stored: string | undefined, start: string): string {
  const end = timestampOf(day, stored)
  return dayOf(start) === day && end < start ? start : end
}

/** Returns the same day of another month, or its last day if that month is shorter. */
export function addMonths(day: string, count: number): string {
  const first = dateOf(`${day.slice(0, 7)}-01`)
  first.setUTCMonth(first.getUTCMonth() + count)
  const month = first.toISOString().slice(0, 7)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return `${month}-${String(Math.min(Number(day.slice(8, 10)), last)).padStart(2, '0')}`
}

export const daysInWeek = 7
/** The number of days from Monday to Friday, the last working day. */
export const fridayOffset = 4

/** Weeks begin on Monday and are named by that day. */
export const mondayOf = (day: string): string => addDays(day, -((weekdayOf(day) + 6) % daysInWeek))

/** Work that ends “next week” ends on its Friday. */
export const nextFriday = (): string => addDays(mondayOf(today()), daysInWeek + fridayOffset)

/** Returns 0 for Sunday to 6 for Saturday. */
export const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/** Returns whether the day is a Saturday or a Sunday. */
export const isWeekend = (day: string): boolean => weekdayOf(day) === 0 || weekdayOf(day) === 6

export const daysOfWeek = (monday: string): readonly string[] =>
  Array.from({ length: daysInWeek }, (_, index) => addDays(monday, index))

/** Returns the Monday of the week of a day in a URL, or of the current week if the text is not a day. */
export function parseWeek(text: string | null): string {
  return mondayOf(text !== null && isDay(text) ? text : today())
}

export const formatWeekday = (day: string): string => formatDate(day, 'weekday')

const formatSevenDays = cacheTexts((monday, style: Style) =>
  dateFormat(style).formatRange(dateOf(monday), dateOf(addDays(monday, daysInWeek - 1))),
)

export const formatWeek = (monday: string, style: Style = 'long'): string => formatSevenDays(monday, style)

/**
 * Parses a typed day: 2026-11-24, 24 Nov, 24/11, 24.11.2026, +3, +2w, today, tomorrow, eod, eow, fri, next fri,
 * in 2 weeks, next month, in English and in the language of the user. Returns undefined if the text is not a day.
 */
export function parseDay(text: string): string | undefined {
  const input = text.trim().toLowerCase()
  const named = parseNamedDay(withoutAccents(input))
  if (named !== undefined) return named
  for (const [pattern, parse] of inputFormats) {
    const match = pattern.exec(input)
    if (match !== null) return parse(match[1], match[2], match[3])
  }
  return undefined
}

const withoutAccents = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '')

/** English words are understood in every language. */
const dayWords: Readonly<Record<string, number>> = {
  today: 0,
  eod: 0,
  tomorrow: 1,
  yesterday: -1,
  hoje: 0,
  amanha: 1,
  ontem: -1,
}

type Unit = 'day' | 'week' | 'month'
const unitWords: Readonly<Record<string, Unit>> = {
  d: 'day',
  day: 'day',
  days: 'day',
  w: 'week',
  week: 'week',
  weeks: 'week',
  month: 'month',
  months: 'month',
  dia: 'day',
  dias: 'day',
  semana: 'week',
  semanas: 'week',
  mes: 'month',
  meses: 'month',
}

const addUnits: Readonly<Record<Unit, (count: number) => string>> = {
  day: (count) => addDays(today(), count),
  week: (count) => addDays(today(), count * daysInWeek),
  month: (count) => addMonths(today(), count),
}

function parseNamedDay(input: string): string | undefined {
  const days = dayWords[input]
  if (days !== undefined) return addDays(today(), days)
  // The end of the week is its Friday. At a weekend, it is that of the next week.
  if (input === 'eow') return daysOfWeek(today()).find((day) => weekdayOf(day) === fridayOffset + 1)
  const [, count = 1, unit = ''] = /^(?:(?:in|em|daqui a) |\+)(\d{1,3}) ?(\p{L}+)$/u.exec(input) ?? []
  const next = input.replace(/^(?:next|proxim[ao]) | que vem$/, '')
  const knownUnit = unitWords[next === input ? unit : next]
  if (knownUnit === 'week' && next !== input) return nextFriday()
  return knownUnit === undefined ? parseWeekday(next) : addUnits[knownUnit](Number(count))
}

/** Returns the next day, after today, whose weekday begins with these letters. */
function parseWeekday(input: string): string | undefined {
  if (!/^\p{L}{3,}(-feira)?\.?$/u.test(input)) return undefined
  const prefix = input.replace(/\.$/, '')
  const formats = ['en', locale()].map(
    (language) => new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }),
  )
  return daysOfWeek(addDays(today(), 1)).find((day) =>
    formats.some((format) => withoutAccents(format.format(dateOf(day)).toLowerCase()).startsWith(prefix)),
  )
}

type Part = string | undefined
const thisYear = () => today().slice(0, 4)

/** Both languages of the client write the day before the month. */
const inputFormats: readonly (readonly [
  RegExp,
  (first: Part, second: Part, third: Part) => string | undefined,
])[] = [
  [/^([+-]\d{1,4})$/, (count) => addDays(today(), Number(count))],
  [/^(\d{4})-(\d{1,2})-(\d{1,2})/, validDay],
  [
    /^(\d{1,2})[./ -](\d{1,2})(?:[./ -](\d{4}))?\.?$/,
    (day, month, year) => validDay(year ?? thisYear(), month, day),
  ],
  [
    /^(\d{1,2})\.? (?:de )?(\p{L}{3,})\.?(?: (?:de )?(\d{4}))?$/u,
    (day, name, year) => validDay(year ?? thisYear(), monthNumber(name), day),
  ],
]

function monthNumber(name = ''): string {
  return String(monthNames().findIndex((month) => month.startsWith(name.slice(0, 3))) + 1)
}

function validDay(year: Part, month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // `Date` turns 31 February into a day of March.
  return isDay(text) && new Date(`${text}T00:00:00Z`).getUTCDate() === Number(day) ? text : undefined
}

const monthNames = (): string[] => {
  const format = new Intl.DateTimeFormat(locale(), { month: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, index) => format.format(Date.UTC(2026, index, 1)).toLowerCase())
}

const timestampFormat = cacheFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)

const timeFormat = cacheFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
)

const agoFormat = cacheFormat<void, Intl.RelativeTimeFormat>(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }),
)

/** A unit is used for less than `below` seconds. */
const units = [
  { unit: 'minute', seconds: 60, below: 3600 },
  { unit: 'hour', seconds: 3600, below: 86_400 },
  { unit: 'day', seconds: 86_400, below: 2_592_000 },
  { unit: 'month', seconds: 2_592_000, below: 31_536_000 },
  { unit: 'year', seconds: 31_536_000, below: Number.POSITIVE_INFINITY },
] as const

/** Formats how long ago a timestamp is: just now, 5 min. ago, yesterday. */
export function formatAgo(timestamp: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(timestamp)) / 1000)
  const found = seconds < 60 ? undefined : units.find(({ below }) => seconds < below)
  return found ? agoFormat().format(-Math.floor(seconds / found.seconds), found.unit) : t('just now')
}

/** Formats the day of a timestamp, seen from today: today, yesterday, 3 days ago. */
export const formatDaysAgo = (timestamp: string): string =>
  agoFormat().format(-Math.max(0, daysBetween(dayOfTimestamp(timestamp), today())), 'day')

/** Formats a timestamp in the user's time zone. */
export const formatTimestamp = (timestamp: string): string =>
  shortenMonth(timestampFormat().format(new Date(timestamp)))

/** Formats the time of the day of a timestamp in the user's time zone. */
export const formatTime = (timestamp: string): string => timeFormat().format(new Date(timestamp))
