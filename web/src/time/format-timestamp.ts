import { cacheFormat } from '../texts/text.ts'

const timestampFormat = cacheFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)

/** Formats a timestamp in the user's time zone. */
export const formatTimestamp = (timestamp: string): string => timestampFormat().format(new Date(timestamp))
