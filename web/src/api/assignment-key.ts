import { type Tracker, TrackerError } from '#tracker-client'
import type { RecordOf } from './api.ts'

type Assignment = RecordOf<'assignment'>

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
