import { type Tracker, TrackerError } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'

type Assignment = RecordOf<'assignment'>

/** Returns the key of an assignment, such as MBA-12; empty without the extensions, which add keys and numbers. */
export const assignmentKey = (
  projectKey: string | undefined,
  { number }: Pick<Assignment, 'number'>,
): string => (projectKey === undefined || number === undefined ? '' : `${projectKey}-${number}`)

const isAssignmentKey = (text: string): boolean => /^[a-z][a-z0-9]{1,7}-[1-9]\d{0,9}$/i.test(text)

/** Returns undefined if there is no such assignment, or the caller may not see it. */
export async function findByKey(
  tracker: Pick<Tracker, 'call'>,
  key: string,
  signal?: AbortSignal,
): Promise<Pick<Assignment, 'id' | 'name' | 'projectId' | 'number' | 'assignmentTypeId'> | undefined> {
  if (!isAssignmentKey(key)) return undefined
  try {
    const { assignment } = await tracker.call('GET /ext/assignment/by-key', { query: { key } }, { signal })
    return assignment
  } catch (error) {
    if (error instanceof TrackerError && error.status === 404) return undefined
    throw error
  }
}
