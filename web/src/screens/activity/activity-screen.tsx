import type { ResourceName } from '../../api/api.ts'
import { useHistory } from '../../assignment/use-history.ts'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { ChoiceButtons } from '../../ui/choice-buttons.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { ProjectSubPage } from '../../ui/project-page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ChangeDays } from './change-days.tsx'

type Kind = 'all' | 'assignments' | 'hours' | 'members'

/** The choices of the filter, and the resources whose changes they show. */
const kinds: Readonly<Record<Kind, { readonly label: MessageKey; readonly resource?: ResourceName }>> = {
  all: { label: 'All' },
  assignments: { label: 'Assignments', resource: 'assignment' },
  hours: { label: 'Hours', resource: 'appointment' },
  members: { label: 'Members', resource: 'userProject' },
}
const kindNames = Object.keys(kinds) as Kind[]

/** Lists all changes in a project, the newest first. */
export function ActivityScreen({ parameters: { projectId = '' } }: ScreenProps) {
  const { router } = useServices()
  const requested = router.address.value.searchParams.get('show')
  const kind = kindNames.find((name) => name === requested) ?? 'all'
  const { resource } = kinds[kind]
  const { changes, hasOlder, problem, reload, loadOlder } = useHistory({ projectId, resource, pageSize: 50 })
  return (
    <ProjectSubPage
      projectId={projectId}
      path="activity"
      title={t('Activity')}
      actions={
        <ChoiceButtons
          label={t('Filter')}
          names={kindNames}
          current={kind}
          labelOf={(name) => t(kinds[name].label)}
          onChoose={(name) => router.setQuery({ show: name === 'all' ? '' : name })}
        />
      }
    >
      <div class="narrow-page">
        {problem && <LoadProblem problem={problem} onRetry={reload} />}
        {changes === undefined && !problem && <Skeleton as="rows" rows={8} cells="face lines" />}
        {changes?.length === 0 && (
          <EmptyState icon="pulse" title={t('Nothing has happened yet')}>
            <p>{t('All changes in this project are listed here.')}</p>
          </EmptyState>
        )}
        <ChangeDays changes={changes ?? []} />
        {hasOlder && (
          <button type="button" class="button" onClick={() => void loadOlder()}>
            {t('Show older')}
          </button>
        )}
      </div>
    </ProjectSubPage>
  )
}
