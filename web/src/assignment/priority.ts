import { t } from '../texts/text.ts'

/**
 * Returns the names of the priorities by number, from 1 (low) to 4 (urgent). Index 0 means no priority and is
 * stored as null.
 */
export const priorityNames = () => [t('No priority'), t('Low'), t('Medium'), t('High'), t('Urgent')]

/** Returns the name of a stored priority, or an empty text for none. */
export const priorityName = (priority: number | null | undefined): string =>
  priority ? (priorityNames()[priority] ?? '') : ''

/** Returns the choices of a select, whose value is empty for no priority. */
export const priorityChoices = (): readonly { readonly id: string; readonly name: string }[] =>
  priorityNames().map((name, priority) => ({ id: priority === 0 ? '' : String(priority), name }))

/** Parses the value of a select. */
export const parsePriority = (text: string): number | null => (text === '' ? null : Number(text))
