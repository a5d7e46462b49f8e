import { locale } from '../texts/text.ts'

/** A moment as people tell it, in their own time. */
export const showMoment = (moment: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))
