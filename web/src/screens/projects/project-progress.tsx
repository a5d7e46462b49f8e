import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'

export interface Progress {
  readonly open: number
  readonly total: number
}

/**
 * Loads one report on all projects, and returns a function that returns the progress of a project. Returns
 * undefined while the report is loading, and without the extensions.
 */
export function useProgress(): ((projectId: string) => Progress | undefined) | undefined {
  const { configuration, tracker } = useServices()
  const { extensions } = configuration
  const stages = useListing('workflow', extensions ? catalogQuery : undefined).rows
  const { value } = useLoaded('progress', ['assignment'], async (signal) => {
    if (!extensions) return undefined
    const query = { groupBy: 'project,workflow' }
    const { result } = await tracker.call('GET /ext/reports/assignments', { query }, { signal })
    return result
  })
  if (value === undefined || stages.length === 0) return undefined
  const groups = Map.groupBy(value.groups, ({ project }) => project?.id)
  // Groups are sorted by project. If the report is truncated, the last project in it may be incomplete.
  const isCut = value.totalGroups > value.groups.length
  const cutId = isCut ? value.groups.at(-1)?.project?.id : undefined
  return (projectId) => {
    const projectGroups = groups.get(projectId) ?? []
    if (projectId === cutId || (isCut && projectGroups.length === 0)) return undefined
    const doneStageIds = doneStagesOf(projectId, stages)
    const sumOf = (parts: typeof projectGroups) =>
      parts.reduce((sum, { assignments }) => sum + assignments, 0)
    return {
      open: sumOf(projectGroups.filter(({ workflow }) => !doneStageIds.has(workflow?.id ?? ''))),
      total: sumOf(projectGroups),
    }
  }
}

/** Shows how many assignments are done, as a bar and as a text. */
export const ProgressBar = ({ open, total }: Progress) =>
  total === 0 ? (
    <span class="quiet-text">{t('No assignments')}</span>
  ) : (
    <>
      <svg class="progress-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="mark-rest" width="100" height="4" />
        <rect class="mark-disc" width={100 * (1 - open / total)} height="4" />
      </svg>
      <span class="quiet-text">{t('{done} of {total} done', { done: total - open, total })}</span>
    </>
  )
