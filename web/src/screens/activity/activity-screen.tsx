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

/** Lists all changes in a project, the newest first. */
export function ActivityScreen({ parameters: { projectId = '' } }: ScreenProps) {
  const { people, toasts, tracker } = useServices()
  const load = async (before: string | undefined, signal?: AbortSignal) =>
    (await tracker.call('GET /ext/history', { query: { projectId, pageSize, before } }, { signal })).result
  const first = useLoaded(
    `activity-${projectId}`,
    ['assignment', 'appointment', 'comment'],
    async (signal) => {
      const page = await load(undefined, signal)
      await people.waitForNames(page.data.flatMap(({ callerId }) => callerId ?? []))
      return page
    },
  )
  const [older, setOlder] = useState<{ data: readonly Change[]; next: string | null }>()
  const next = older ? older.next : first.value?.next
  const loadMore = () =>
    load(next ?? undefined).then(
      (page) => setOlder({ data: [...(older?.data ?? []), ...page.data], next: page.next }),
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  const changes = [...(first.value?.data ?? []), ...(older?.data ?? [])]
  return (
    <Page title={t('Activity')} parentLink={<ProjectCrumbs projectId={projectId} />}>
      {first.problem && <LoadProblem problem={first.problem} onRetry={first.reload} />}
      {first.value === undefined && !first.problem && <Skeleton as="rows" rows={8} cells="face lines" />}
      {first.value?.data.length === 0 && (
        <EmptyState title={t('Nothing has happened yet')}>
          <p>{t('All changes in this project are listed here.')}</p>
        </EmptyState>
      )}
      <ChangeList changes={changes} />
      {next && (
        <button type="button" class="button" onClick={() => void loadMore()}>
          {t('Show older')}
        </button>
      )}
    </Page>
  )
}
