import { locale } from '../texts/text.ts'

/** A moment as people write it, in their own time zone. */
export const showMoment = (moment: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))
