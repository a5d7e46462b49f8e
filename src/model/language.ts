/** The languages of pages and mails, as values of `lang`. */
export const languages = ['en', 'pt-BR'] as const

export type Language = (typeof languages)[number]

/** The first of these tags that is supported, compared by language and not by country. `ui_locales` separates them by spaces. */
export function languageAmong(tags = ''): Language | undefined {
  for (const tag of tags.split(' ')) {
    const language = languages.find((known) => languageOf(known) === languageOf(tag))
    if (language !== undefined) return language
  }
  return undefined
}

const languageOf = (tag: string): string => (tag.split('-')[0] ?? '').toLowerCase()

/** No browser sends this many. */
const rangesMax = 30

/** The supported language that the browser prefers (RFC 9110, 12.5.4). */
export function acceptedLanguage(header = ''): Language {
  const ranges = header
    .split(',', rangesMax)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { tag, quality: quality === undefined ? 1 : Number.parseFloat(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((first, second) => second.quality - first.quality)
  return languageAmong(ranges.map(({ tag }) => tag).join(' ')) ?? 'en'
}
