import { useState } from 'preact/hooks'
import type { Change } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { ChangeList } from '../../assignment/change-list.tsx'
import { useLoaded } from '../../data/use-loaded.ts'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page, ProjectCrumbs } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const pageSize = 50
const changedResources = [
  ...(['assignment', 'appointment', 'comment', 'attachment', 'label', 'assignmentLabel'] as const),
  ...(['assignmentDependency', 'assignmentImpediment', 'userAssignment', 'userProject'] as const),
]

/** The newest changes of a project, down to where the next page begins. */
interface Changes {
  readonly data: readonly Change[]
  readonly next: string | null
}

/** Lists all changes in a project, the newest first. */
export function ActivityScreen({ parameters: { projectId = '' } }: ScreenProps) {
  const { people, toasts, tracker } = useServices()
  const load = async (before?: string, signal?: AbortSignal): Promise<Changes> => {
    const query = { projectId, pageSize, before }
    const { result } = await tracker.call('GET /ext/history', { query }, { signal })
    await people.waitForNames(result.data.flatMap(({ callerId }) => callerId ?? []))
    return result
  }
  const newest = useLoaded(`activity-${projectId}`, changedResources, (signal) => load(undefined, signal))
  const [loaded, setLoaded] = useState<Changes>({ data: [], next: null })
  const changes = newest.value && !newest.isStale ? joinChanges(newest.value, loaded) : undefined
  const loadMore = ({ data, next }: Changes) =>
    load(next ?? undefined).then(
      (older) => setLoaded({ data: [...data, ...older.data], next: older.next }),
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  return (
    <Page title={t('Activity')} parentLink={<ProjectCrumbs projectId={projectId} />}>
      {newest.problem && <LoadProblem problem={newest.problem} onRetry={newest.reload} />}
      {changes === undefined && !newest.problem && <Skeleton as="rows" rows={8} cells="face lines" />}
      {changes?.data.length === 0 && (
        <EmptyState icon="clock" title={t('Nothing has happened yet')}>
          <p>{t('All changes in this project are listed here.')}</p>
        </EmptyState>
      )}
      <ChangeList changes={changes?.data ?? []} />
      {changes?.next && (
        <button type="button" class="button" onClick={() => void loadMore(changes)}>
          {t('Show older')}
        </button>
      )}
    </Page>
  )
}

/** Puts the newest page above what was loaded before, or returns it alone if it does not reach down to that. */
function joinChanges(newest: Changes, loaded: Changes): Changes {
  const lastId = newest.data.at(-1)?.id
  const end = loaded.data.findIndex(({ id }) => id === lastId)
  return end === -1 ? newest : { data: [...newest.data, ...loaded.data.slice(end + 1)], next: loaded.next }
}
