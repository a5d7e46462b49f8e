import { sentenceOf } from '../api/problems.ts'
import type { Services } from '../services/services.ts'

/** Gives labels to a new assignment. It exists by then, so that an error is only reported. */
export const addLabels = (
  { api, toasts }: Pick<Services, 'api' | 'toasts'>,
  assignmentId: string,
  labelIds: readonly string[],
): Promise<unknown> =>
  Promise.all(labelIds.map((labelId) => api.create('assignmentLabel', { assignmentId, labelId }))).catch(
    (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
  )
