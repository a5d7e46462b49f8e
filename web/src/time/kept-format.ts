import { locale } from '../texts/text.ts'

/** Caches formats by style, once for each language: creating one costs more than using it a thousand times. */
export function keptFormat<Style, Format>(
  make: (locale: string, style: Style) => Format,
): (style: Style) => Format {
  const formats = new Map<string, Format>()
  return (style) => {
    const key = `${locale()} ${style}`
    const known = formats.get(key)
    if (known !== undefined) return known
    const format = make(locale(), style)
    formats.set(key, format)
    return format
  }
}

const format = keptFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)

/** Formats a timestamp in the user's time zone. */
export const formatTimestamp = (timestamp: string): string => format().format(new Date(timestamp))
