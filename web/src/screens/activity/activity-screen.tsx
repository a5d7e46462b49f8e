import { ChangeList } from '../../assignment/change-list.tsx'
import { useHistory } from '../../assignment/use-history.ts'
import type { ScreenProps } from '../../router/router.ts'
import { t } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { ProjectSubPage } from '../../ui/project-page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

/** Lists all changes in a project, the newest first. */
export function ActivityScreen({ parameters: { projectId = '' } }: ScreenProps) {
  const { changes, hasOlder, problem, reload, loadOlder } = useHistory({ projectId, pageSize: 50 })
  return (
    <ProjectSubPage projectId={projectId} path="activity" title={t('Activity')}>
      <div class="narrow-page">
        {problem && <LoadProblem problem={problem} onRetry={reload} />}
        {changes === undefined && !problem && <Skeleton as="rows" rows={8} cells="face lines" />}
        {changes?.length === 0 && (
          <EmptyState icon="pulse" title={t('Nothing has happened yet')}>
            <p>{t('All changes in this project are listed here.')}</p>
          </EmptyState>
        )}
        <ChangeList changes={changes ?? []} />
        {hasOlder && (
          <button type="button" class="button" onClick={() => void loadOlder()}>
            {t('Show older')}
          </button>
        )}
      </div>
    </ProjectSubPage>
  )
}
