import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/api-problem.ts'
import { useMembers } from '../data/use-members.ts'
import { assignmentPath } from '../router/addresses.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { showMoment } from '../time/moments.ts'
import { Guarded } from '../ui/guarded.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadProblem } from '../ui/notes.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { CommentsSection } from './comments-section.tsx'
import { DescriptionField } from './description-field.tsx'
import { HistorySection } from './history-section.tsx'
import { ImpedimentsSection } from './impediments-section.tsx'
import { FactsInPlace, TextInPlace } from './in-place-fields.tsx'
import { PeopleSection } from './people-section.tsx'
import { TimeSection } from './time-section.tsx'
import { useAssignment } from './use-assignment.ts'
import { type PanelSections, usePanelSections } from './use-panel-sections.ts'

type Assignment = RecordOf<'assignment'>

export interface AssignmentPanelProps {
  readonly id: string
  readonly projectId: string
  readonly projectName: string
  readonly stages: readonly RecordOf<'workflow'>[]
  onClose(): void
}

/** One assignment beside its screen, with an address of its own. Escape leads back. */
export function AssignmentPanel({ id, projectId, projectName, stages, onClose }: AssignmentPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const found = useAssignment(id)
  const { assignment } = found
  // Asked for with the assignment, not after it.
  const sections = usePanelSections(id)
  const members = useMembers(projectId)
  const remove = useRemoval()
  const copyLink = useCopyLink()
  const removeThis = async () => {
    if (assignment && (await remove('assignment', assignment.id, assignment.name))) onClose()
  }
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <aside
      class="panel"
      aria-labelledby="panel-title"
      onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && onClose()}
    >
      <header class="panel-header">
        <span class="panel-project" dir="auto">
          {projectName}
        </span>
        <h2 id="panel-title" class="visually-hidden" ref={heading} tabIndex={-1}>
          {assignment?.name ?? t('Assignment')}
        </h2>
        {assignment && !found.isGone && (
          <>
            <PanelButton icon="copy" label={t('Copy the link')} run={() => copyLink(assignment)} />
            <PanelButton icon="trash" label={t('Remove this assignment')} run={() => void removeThis()} />
          </>
        )}
        <PanelButton icon="close" label={t('Close')} run={onClose} />
      </header>
      <PanelContent found={found} sections={sections} areMembersKnown={!members.isLoading} stages={stages} />
    </aside>
  )
}

interface PanelContentProps {
  readonly found: ReturnType<typeof useAssignment>
  readonly sections: PanelSections
  /** Who is none of them has a line that says so. */
  readonly areMembersKnown: boolean
  readonly stages: readonly RecordOf<'workflow'>[]
}

function PanelContent({ found, sections, areMembersKnown, stages }: PanelContentProps) {
  const { assignment, problem, isGone, put, reload } = found
  if (isGone) return <Gone assignment={assignment} onRestored={reload} />
  if (assignment === undefined || !areMembersKnown)
    return problem ? (
      <LoadProblem problem={problem} onRetry={reload} />
    ) : (
      <Skeleton as="fields" blocks={1} rows={3} cells="field field" />
    )
  return (
    <div class="panel-body">
      <Guarded instead={unshown}>
        <TextInPlace class="panel-name" assignment={assignment} name="name" label={t('Name')} onSaved={put} />
      </Guarded>
      <Guarded instead={unshown}>
        <FactsInPlace assignment={assignment} stages={stages} onSaved={put} />
      </Guarded>
      <Guarded instead={unshown}>
        <DescriptionField assignment={assignment} onSaved={put} />
      </Guarded>
      {sections.areKnown ? (
        <Sections {...sections} assignment={assignment} />
      ) : (
        <Skeleton as="rows" blocks={4} rows={1} cells="lines" />
      )}
    </div>
  )
}

function Sections({ assignment, ...sections }: PanelSections & { readonly assignment: Assignment }) {
  const { configuration } = useServices()
  return (
    <>
      <Guarded instead={unshown}>
        <TimeSection {...sections} assignment={assignment} />
      </Guarded>
      <Guarded instead={unshown}>
        <ImpedimentsSection {...sections} assignmentId={assignment.id} />
      </Guarded>
      <Guarded instead={unshown}>
        <PeopleSection {...sections} assignment={assignment} />
      </Guarded>
      <Guarded instead={unshown}>
        {configuration.extensions && <CommentsSection {...sections} assignmentId={assignment.id} />}
      </Guarded>
      <footer class="panel-footer quiet-text">
        <p>{t('Created {moment}', { moment: showMoment(assignment.createdAt) })}</p>
        {assignment.updatedAt && <p>{t('Changed {moment}', { moment: showMoment(assignment.updatedAt) })}</p>}
      </footer>
      <Guarded instead={unshown}>
        <HistorySection assignmentId={assignment.id} />
      </Guarded>
    </>
  )
}

/** In place of a section that fails; the others go on. */
const unshown = (retry: () => void) => (
  <div class="panel-section" role="alert">
    <p>{t('This part cannot be shown.')}</p>
    <button type="button" class="button" onClick={retry}>
      {t('Try again')}
    </button>
  </div>
)

interface PanelButtonProps {
  readonly icon: 'copy' | 'trash' | 'close'
  readonly label: string
  run(): void
}

const PanelButton = ({ icon, label, run }: PanelButtonProps) => (
  <button type="button" class="button quiet icon-only" aria-label={label} title={label} onClick={run}>
    <Icon name={icon} />
  </button>
)

function useCopyLink(): (assignment: Assignment) => void {
  const { toasts } = useServices()
  return ({ id, projectId }) => {
    const address = location.origin + assignmentPath(projectId, id)
    navigator.clipboard.writeText(address).then(
      () => toasts.show({ kind: 'done', text: t('The link was copied.') }),
      () =>
        toasts.show({
          kind: 'problem',
          text: t('The browser does not allow copying. The link is {address}', { address }),
        }),
    )
  }
}

/** It was removed, here or elsewhere, or the person may no longer see it. */
function Gone({
  assignment,
  onRestored,
}: {
  readonly assignment: Assignment | undefined
  onRestored(): void
}) {
  const { api, toasts } = useServices()
  const Note = ({ children }: { readonly children: ComponentChildren }) => (
    <div class="panel-body" role="alert">
      {children}
    </div>
  )
  if (assignment === undefined)
    return (
      <Note>
        <p>{t('There is no such assignment any more, or you may not see it.')}</p>
      </Note>
    )
  const restore = () =>
    api
      .restore('assignment', [assignment.id])
      .then(onRestored, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  return (
    <Note>
      <p>{t('{name} was removed while you had it open.', { name: assignment.name })}</p>
      <button type="button" class="button" onClick={() => void restore()}>
        {t('Restore')}
      </button>
    </Note>
  )
}
