import { sentenceOf } from '../api/problems.ts'
import type { Services } from '../services/services.ts'

/**
 * Adds labels to an assignment that was just created. An error is only reported, because the assignment
 * exists already.
 */
export const addLabels = (
  { api, toasts }: Pick<Services, 'api' | 'toasts'>,
  assignmentId: string,
  labelIds: readonly string[],
): Promise<unknown> =>
  Promise.all(labelIds.map((labelId) => api.create('assignmentLabel', { assignmentId, labelId }))).catch(
    (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
  )
