import { type Tracker, TrackerError } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { t } from '../texts/text.ts'
import { addDays, dayOf, formatDay, isDay, timestampOf, today } from '../time/days.ts'

type Assignment = RecordOf<'assignment'>
/** Maps each flag to the fields whose values are placeholders while the flag is true. */
export const placeholders = {
  isUnscheduled: ['startDate', 'endDate'],
  isUnassigned: ['userId'],
} as const satisfies Partial<Record<keyof Assignment, readonly (keyof Assignment)[]>>

type Dated = Pick<Assignment, 'startDate' | 'endDate' | 'isUnscheduled'>

/** Returns the id of the responsible person, or empty if there is none. */
export const responsibleOf = ({
  userId,
  isUnassigned,
}: Pick<Assignment, 'userId' | 'isUnassigned'>): string => (isUnassigned ? '' : userId)

/**
 * Returns the fields that set the responsible person, or that remove the person if the id is empty. The flag
 * is always included, because the placeholder of an unassigned record may be the same id.
 */
export const assignedTo = (userId: string): Partial<Assignment> =>
  userId === '' ? { isUnassigned: true } : { userId, isUnassigned: false }

/** Returns the first day, or empty without dates. */
export const startDayOf = ({ startDate, isUnscheduled }: Dated): string =>
  isUnscheduled ? '' : dayOf(startDate)

/** Returns the last day, or empty without dates. */
export const endDayOf = ({ endDate, isUnscheduled }: Dated): string => (isUnscheduled ? '' : dayOf(endDate))

/**
 * Returns the fields that give an assignment dates for the first time. Without an end, it ends on the day of
 * its start. Without a start, it starts today, or on its end if that is past. Without both, today is a
 * placeholder.
 */
export function datesBetween(start: string, end: string) {
  if (start === '' && end === '') return { startDate: today(), endDate: today(), isUnscheduled: true }
  const startDate = start || (isDay(end) && end < today() ? end : today())
  return { startDate, endDate: end || startDate, isUnscheduled: false }
}

/**
 * Returns the fields that set the first day of an assignment with dates. A start after the end moves the end,
 * too.
 */
export function startOn(day: string, { startDate, endDate }: Dated): Partial<Assignment> {
  const start = timestampOf(day, startDate)
  return start > endDate ? { startDate: start, endDate: start } : { startDate: start }
}

export const isLate = (row: Dated, isDone: boolean): boolean => {
  const end = endDayOf(row)
  return !isDone && end !== '' && end < today()
}

/** Returns red if the assignment is late, and amber on its last two days. */
export function dueColorOf(row: Dated, isDone: boolean): 'red' | 'amber' | undefined {
  const end = endDayOf(row)
  if (isDone || end === '') return undefined
  if (end < today()) return 'red'
  return end <= addDays(today(), 1) ? 'amber' : undefined
}

/** Says until when the work lasts. */
export function untilText(row: Dated): string {
  const end = endDayOf(row)
  return end === '' ? t('No dates') : t('Ends {day}', { day: formatDay(end) })
}

/** Says until when the work lasts, or until when it should have lasted if it is late. */
export const dueText = (row: Dated, isDone: boolean): string =>
  isLate(row, isDone) ? t('Should have ended {day}', { day: formatDay(endDayOf(row)) }) : untilText(row)

/** Returns the key of an assignment, such as MBA-12, or an empty text without the extensions. */
export const assignmentKey = (
  projectKey: string | undefined,
  { number }: Pick<Assignment, 'number'>,
): string => (projectKey === undefined || number === undefined ? '' : `${projectKey}-${number}`)

export const isAssignmentKey = (text: string): boolean => /^[a-z][a-z0-9]{1,7}-[1-9]\d{0,9}$/i.test(text)

/**
 * Splits a text at words that may be keys of assignments. Every second piece is such a word. Parts of longer
 * words and of paths are no keys.
 */
export const splitAtKeys = (text: string): readonly string[] =>
  text.split(/(?<![\w./-])([A-Z][A-Z0-9]{1,7}-[1-9]\d{0,9})(?![\w-])/)

/** Returns undefined if there is no such assignment, or the caller may not see it. */
export async function findByKey(
  tracker: Pick<Tracker, 'call'>,
  key: string,
  signal?: AbortSignal,
): Promise<Assignment | undefined> {
  if (!isAssignmentKey(key)) return undefined
  try {
    const { assignment } = await tracker.call('GET /ext/assignment/by-key', { query: { key } }, { signal })
    return assignment
  } catch (error) {
    if (error instanceof TrackerError && error.status === 404) return undefined
    throw error
  }
}

/**
 * Returns the time of the last change in epoch milliseconds. Timestamps cannot be compared as texts, because
 * they have no trailing zeros.
 */
export const changedAt = ({
  createdAt,
  updatedAt,
}: Pick<RecordOf<'assignment' | 'comment'>, 'createdAt' | 'updatedAt'>): number =>
  Date.parse(updatedAt ?? createdAt)
