import { locale } from '../texts/text.ts'

/** Caches formats by language and style, because creating one costs more than using it a thousand times. */
export function cacheFormat<Style, Format>(
  create: (locale: string, style: Style) => Format,
): (style: Style) => Format {
  const formats = new Map<string, Format>()
  return (style) => {
    const key = `${locale()} ${style}`
    const cached = formats.get(key)
    if (cached !== undefined) return cached
    const format = create(locale(), style)
    formats.set(key, format)
    return format
  }
}

const timestampFormat = cacheFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)

/** Formats a timestamp in the user's time zone. */
export const formatTimestamp = (timestamp: string): string => timestampFormat().format(new Date(timestamp))
