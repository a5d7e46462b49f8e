/** The languages of pages and mails, as values of `lang`. */
export const languages = ['en', 'pt-BR'] as const

export type Language = (typeof languages)[number]

/** Returns the first supported language among these space-separated tags, whatever their regions are. */
export function supportedLanguage(tags = ''): Language | undefined {
  for (const tag of tags.split(' ')) {
    const language = languages.find((supported) => primarySubtag(supported) === primarySubtag(tag))
    if (language !== undefined) return language
  }
  return undefined
}

const primarySubtag = (tag: string): string => (tag.split('-')[0] ?? '').toLowerCase()

/** No browser sends this many. */
const rangesMax = 30

/** Returns the supported language that an Accept-Language header prefers (RFC 9110, 12.5.4). */
export function preferredLanguage(header = ''): Language {
  const ranges = header
    .split(',', rangesMax)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
      return { tag, quality: quality === undefined ? 1 : Number.parseFloat(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((first, second) => second.quality - first.quality)
  return supportedLanguage(ranges.map(({ tag }) => tag).join(' ')) ?? 'en'
}
