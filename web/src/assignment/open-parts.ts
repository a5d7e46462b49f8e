import type { RecordOf } from '../api/api.ts'
import { loadStages } from '../data/project-stages.ts'
import type { Services } from '../services/services.ts'
import { tn } from '../texts/text.ts'
import { doneStagesOf } from './assignment-values.ts'

type MovedAssignment = Pick<RecordOf<'assignment'>, 'id' | 'projectId' | 'workflowId'>

/** The number of ids that fit into a filter. */
const idsMax = 40

/** Shows how many parts are still open after assignments were moved to a stage that means done. */
export async function warnOfOpenParts(
  services: Pick<Services, 'api' | 'configuration' | 'toasts' | 'tracker'>,
  rows: readonly MovedAssignment[],
): Promise<void> {
  const { configuration, toasts, tracker } = services
  const [first] = rows
  if (!configuration.extensions || first === undefined) return
  try {
    const stages = await loadStages(services, first.projectId, new AbortController().signal)
    const doneStageIds = doneStagesOf(first.projectId, stages)
    const ids = rows.filter(({ workflowId }) => doneStageIds.has(workflowId)).map(({ id }) => `'${id}'`)
    if (ids.length === 0) return
    const conditions = [...doneStageIds].map((id) => `workflowId ne '${id}'`).slice(0, 10)
    const filter = [`parentId in (${ids.slice(0, idsMax).join(', ')})`, ...conditions].join(' and ')
    const query = { filter, fields: 'id', pageSize: 1, count: true }
    const count = (await tracker.call('GET /ext/query/assignments', { query })).result.totalCount ?? 0
    if (count > 0)
      toasts.show({ kind: 'done', text: tn(count, '1 part is still open.', '{count} parts are still open.') })
  } catch {
    // The move has succeeded; only the warning is missing.
  }
}
