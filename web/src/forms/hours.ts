import { t } from '../texts/text.ts'
import { refuse } from './use-form.ts'

/** Hours as people type them: 1.5, 1,5 or 1:30. Blank is left to the interface, which says that it is missing. */
export function readHours(text: string, field: string): number {
  const [, hours, minutes] = /^(\d{1,6}):([0-5]?\d)$/.exec(text.trim()) ?? []
  const number =
    hours === undefined
      ? Number(text.trim().replace(',', '.'))
      : Number(hours) + Math.round((Number(minutes) / 60) * 100) / 100
  if (text.trim() === '') return undefined as never
  if (Number.isFinite(number)) return number
  return refuse({ [field]: [t('Hours are a number, such as 1.5 or 1:30.')] })
}
