import { t } from '../texts/text.ts'

/** The names of the priorities, from none, which is stored as null, to the most urgent. */
export const priorityNames = () => [t('No priority'), t('Low'), t('Medium'), t('High'), t('Urgent')]

/** Returns an empty text for none. */
export const priorityName = (priority: number | null | undefined): string =>
  priority ? (priorityNames()[priority] ?? '') : ''

/** The choices of a select, whose value is empty for none. */
export const priorityChoices = (): readonly { readonly id: string; readonly name: string }[] =>
  priorityNames().map((name, priority) => ({ id: priority === 0 ? '' : String(priority), name }))

export const priorityOf = (text: string): number | null => (text === '' ? null : Number(text))
