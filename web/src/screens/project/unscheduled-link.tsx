import { useLoaded } from '../../data/use-loaded.ts'
import { projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { tn } from '../../texts/text.ts'

/**
 * Counts the assignments without dates, which views of a period leave out. Returns undefined while loading.
 */
export function useUnscheduledCount(projectId: string): number | undefined {
  const { configuration, tracker } = useServices()
  const { value, problem } = useLoaded(`unscheduled ${projectId}`, ['assignment'], async (signal) => {
    if (!configuration.extensions) return 0
    const filter = `projectId eq '${projectId}' and isUnscheduled eq true`
    const query = { filter, fields: 'id', pageSize: 1, count: true }
    return (await tracker.call('GET /ext/query/assignments', { query }, { signal })).result.totalCount ?? 0
  })
  return problem ? 0 : value
}

/**
 * Links to the assignments without dates. Views render the link together with their rows, because it may add
 * a line above them.
 */
export const UnscheduledLink = ({
  projectId,
  count = 0,
}: {
  readonly projectId: string
  readonly count?: number | undefined
}) =>
  count > 0 && (
    <a class="button" href={projectPath(projectId, '?view=list&dates=none')}>
      {tn(count, '1 without dates', '{count} without dates')}
    </a>
  )
