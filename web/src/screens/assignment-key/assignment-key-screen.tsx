import { useEffect } from 'preact/hooks'
import { findByKey } from '../../data/assignments.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { assignmentPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'

/** Redirects from a short address such as /a/MBA-12 to the assignment on the board of its project. */
export function AssignmentKeyScreen({ parameters: { key = '' } }: ScreenProps) {
  const { router, tracker } = useServices()
  const { value, problem, reload } = useLoaded(
    key,
    [],
    async (signal) => (await findByKey(tracker, key, signal)) ?? null,
    { cacheName: 'key' },
  )
  useEffect(() => {
    if (value) router.go(assignmentPath(value.projectId, value.id), { replace: true })
  }, [value])
  return (
    <Page title={key}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="fields" rows={3} cells="field" />}
      {value === null && (
        <EmptyState
          icon="search"
          title={t('There is no such assignment, or you are not a member of its project')}
        >
          <a href="/projects">{t('Go to the projects')}</a>
        </EmptyState>
      )}
    </Page>
  )
}
