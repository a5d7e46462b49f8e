import { locale } from '../texts/text.ts'

/** By locale. Making one costs more than all that is written with it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(language: string): Intl.DateTimeFormat {
  const known = formats.get(language)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  formats.set(language, format)
  return format
}

/** A moment as people write it, in their own time zone. */
export const showMoment = (moment: string): string => formatOf(locale()).format(new Date(moment))
