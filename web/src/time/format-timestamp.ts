import { cacheFormat, t } from '../texts/text.ts'
import { shortenMonth } from './days.ts'

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

/** Formats a timestamp in the user's time zone. */
export const formatTimestamp = (timestamp: string): string =>
  shortenMonth(timestampFormat().format(new Date(timestamp)))

/** Formats the time of the day of a timestamp in the user's time zone. */
export const formatTime = (timestamp: string): string => timeFormat().format(new Date(timestamp))
