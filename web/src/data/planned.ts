import type { RecordOf } from '../api/api.ts'
import { t } from '../texts/text.ts'
import { addDays, dayOf, formatDay, isDay, today } from '../time/days.ts'

type Assignment = RecordOf<'assignment'>
/** The flags, and the values that are placeholders while a flag is true. */
export const placeholders = {
  isUnscheduled: ['startDate', 'endDate'],
  isUnassigned: ['userId'],
} as const satisfies Partial<Record<keyof Assignment, readonly (keyof Assignment)[]>>

type Dated = Pick<Assignment, 'startDate' | 'endDate' | 'isUnscheduled'>

/** The id of the responsible person; empty while nobody is responsible. */
export const responsibleOf = ({
  userId,
  isUnassigned,
}: Pick<Assignment, 'userId' | 'isUnassigned'>): string => (isUnassigned ? '' : userId)

/** The fields that make a person responsible, or nobody. A placeholder that becomes responsible is the same id. */
export const assignedTo = (userId: string): Partial<Assignment> =>
  userId === '' ? { isUnassigned: true } : { userId, isUnassigned: false }

/** The first day; empty without dates. */
export const startDayOf = ({ startDate, isUnscheduled }: Dated): string =>
  isUnscheduled ? '' : dayOf(startDate)

/** The last day; empty without dates. */
export const endDayOf = ({ endDate, isUnscheduled }: Dated): string => (isUnscheduled ? '' : dayOf(endDate))

/**
 * The fields that give an assignment dates for the first time. Without an end it takes the day of its start;
 * without a start it begins today, or on its end if that is past. Without both it has today as a placeholder.
 */
export function datesBetween(start: string, end: string) {
  if (start === '' && end === '') return { startDate: today(), endDate: today(), isUnscheduled: true }
  const startDate = start || (isDay(end) && end < today() ? end : today())
  return { startDate, endDate: end || startDate, isUnscheduled: false }
}

export const isLate = (row: Dated, isDone: boolean): boolean => {
  const end = endDayOf(row)
  return !isDone && end !== '' && end < today()
}

/** Red once it is late, amber on the last two days. */
export function dueColorOf(row: Dated, isDone: boolean): 'red' | 'amber' | undefined {
  const end = endDayOf(row)
  if (isDone || end === '') return undefined
  if (end < today()) return 'red'
  return end <= addDays(today(), 1) ? 'amber' : undefined
}

/** Says until when the work lasts. */
export function untilText(row: Dated): string {
  const end = endDayOf(row)
  return end === '' ? t('No dates') : t('Until {day}', { day: formatDay(end) })
}

/** Says until when the work lasts, or lasted if that is past and it is not done. */
export const dueText = (row: Dated, isDone: boolean): string =>
  isLate(row, isDone) ? t('Was due {day}', { day: formatDay(endDayOf(row)) }) : untilText(row)
