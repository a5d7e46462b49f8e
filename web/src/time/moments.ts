import { keptFormat } from './kept-format.ts'

const format = keptFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)

/** A moment as people write it, in their own time zone. */
export const showMoment = (moment: string): string => format().format(new Date(moment))
