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

/** Caches texts by language and value: screens format the same few days again and again, which costs more than finding the text. */
export function cacheTexts<Style extends string>(
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

const timestampFormat = cacheFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)

/** Formats a timestamp in the user's time zone. */
export const formatTimestamp = (timestamp: string): string => timestampFormat().format(new Date(timestamp))
