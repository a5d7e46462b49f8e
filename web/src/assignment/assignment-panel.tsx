import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { changedAt } from '../data/changed-at.ts'
import { useListing } from '../data/use-listing.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useMembers } from '../data/use-members.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatTimestamp } from '../time/format-timestamp.ts'
import { ChangeList } from '../ui/change-list.tsx'
import { copyText } from '../ui/copy-secret.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Icon } from '../ui/icon.tsx'
import { PersonRow } from '../ui/members-dialog.tsx'
import { LoadProblem } from '../ui/notes.tsx'
import { PersonPicker } from '../ui/person-picker.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { assignmentKey } from './assignment-key.ts'
import { AttachmentsSection, useAttachmentDrop } from './attachments-section.tsx'
import { CommentsSection } from './comments-section.tsx'
import { DependenciesSection } from './dependencies-section.tsx'
import { DescriptionField } from './description-field.tsx'
import { ImpedimentsSection } from './impediments-section.tsx'
import { AssignmentFieldsInPlace, TextInPlace } from './in-place-fields.tsx'
import { LabelsSection } from './labels-section.tsx'
import { PartsSection } from './parts-section.tsx'
import { TimeSection } from './time-section.tsx'
import { type PanelSections, usePanelSections } from './use-panel-sections.ts'
import { WatchButton } from './watch-button.tsx'

type Assignment = RecordOf<'assignment'>

export interface AssignmentPanelProps {
  readonly id: string
  readonly projectId: string
  readonly projectName: string
  readonly projectKey: string | undefined
  readonly stages: readonly RecordOf<'workflow'>[]
  onClose(): void
}

/** Shows one assignment next to a screen. It has an address of its own; Escape closes it. */
export function AssignmentPanel(props: AssignmentPanelProps) {
  const { id, projectId, projectName, projectKey, stages, onClose } = props
  const heading = useRef<HTMLHeadingElement>(null)
  const loaded = useAssignment(id)
  const { assignment } = loaded
  // The sections are requested together with the assignment, not after it.
  const sections = usePanelSections(id, projectId)
  const members = useMembers(projectId)
  const remove = useRemoval()
  const copy = useCopy()
  const drop = useAttachmentDrop(id)
  const removeAssignment = async () => {
    if (assignment && (await remove('assignment', assignment.id, assignment.name))) onClose()
  }
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <aside
      class={`panel ${drop.isOver ? 'drop' : ''}`}
      {...drop.handlers}
      aria-labelledby="panel-title"
      onKeyDown={(event) => {
        // Escape in a dialog of a section closes only the dialog.
        const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null
        if (event.key === 'Escape' && !event.defaultPrevented && !isInDialog) onClose()
      }}
    >
      <header class="panel-header">
        <span class="panel-project" dir="auto">
          {projectName}
        </span>
        <h2 id="panel-title" class="visually-hidden" ref={heading} tabIndex={-1}>
          {assignment?.name ?? t('Assignment')}
        </h2>
        {assignment && !loaded.isMissing && (
          <>
            <CopyKeyButton assignmentKey={assignmentKey(projectKey, assignment)} />
            {projectKey !== undefined && <WatchButton assignmentId={id} />}
            <PanelButton
              icon="copy"
              label={t('Copy link')}
              run={() => copy(location.origin + assignmentPath(projectId, id), t('The link was copied.'))}
            />
            <PanelButton
              icon="trash"
              label={t('Remove this assignment')}
              run={() => void removeAssignment()}
            />
          </>
        )}
        <PanelButton icon="close" label={t('Close')} run={onClose} />
      </header>
      <PanelContent
        loaded={loaded}
        sections={sections}
        areMembersKnown={!members.isLoading}
        stages={stages}
      />
    </aside>
  )
}

interface PanelContentProps {
  readonly loaded: ReturnType<typeof useAssignment>
  readonly sections: PanelSections
  /** The members must be loaded first: a responsible person who is not a member is marked as such. */
  readonly areMembersKnown: boolean
  readonly stages: readonly RecordOf<'workflow'>[]
}

function PanelContent({ loaded, sections, areMembersKnown, stages }: PanelContentProps) {
  const { assignment, problem, isMissing, put, reload } = loaded
  if (isMissing) return <MissingAssignment assignment={assignment} onRestored={reload} />
  if (assignment === undefined || !areMembersKnown)
    return problem ? (
      <LoadProblem problem={problem} onRetry={reload} />
    ) : (
      <Skeleton as="fields" blocks={1} rows={3} cells="field field" />
    )
  return (
    <div class="panel-body">
      <ErrorBoundary fallback={sectionFallback}>
        <TextInPlace class="panel-name" assignment={assignment} name="name" label={t('Name')} onSaved={put} />
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        <AssignmentFieldsInPlace assignment={assignment} stages={stages} onSaved={put} />
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        <DescriptionField assignment={assignment} onSaved={put} />
      </ErrorBoundary>
      {sections.areLoaded ? (
        <Sections {...sections} assignment={assignment} stages={stages} onSaved={put} />
      ) : (
        <Skeleton as="rows" blocks={4} rows={1} cells="lines" />
      )}
    </div>
  )
}

interface SectionsProps extends PanelSections {
  readonly assignment: Assignment
  readonly stages: readonly RecordOf<'workflow'>[]
  onSaved(assignment: Assignment): void
}

function Sections({ assignment, stages, onSaved, ...sections }: SectionsProps) {
  const { configuration } = useServices()
  return (
    <>
      <ErrorBoundary fallback={sectionFallback}>
        {configuration.extensions && <LabelsSection {...sections} assignment={assignment} />}
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        {configuration.extensions && (
          <PartsSection {...sections} assignment={assignment} stages={stages} onSaved={onSaved} />
        )}
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        <TimeSection {...sections} assignment={assignment} />
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        <ImpedimentsSection {...sections} assignmentId={assignment.id} />
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        {configuration.extensions && (
          <DependenciesSection {...sections} assignment={assignment} stages={stages} />
        )}
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        <PeopleSection {...sections} assignment={assignment} />
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        {configuration.extensions && <AttachmentsSection {...sections} assignmentId={assignment.id} />}
      </ErrorBoundary>
      <ErrorBoundary fallback={sectionFallback}>
        {configuration.extensions && <CommentsSection {...sections} assignment={assignment} />}
      </ErrorBoundary>
      <footer class="panel-footer quiet-text">
        <p>{t('Created {time}', { time: formatTimestamp(assignment.createdAt) })}</p>
        {assignment.updatedAt && (
          <p>{t('Changed {time}', { time: formatTimestamp(assignment.updatedAt) })}</p>
        )}
      </footer>
      <ErrorBoundary fallback={sectionFallback}>
        <HistorySection assignmentId={assignment.id} />
      </ErrorBoundary>
    </>
  )
}

/** Replaces a section that fails; the others continue to work. */
const sectionFallback = (retry: () => void) => (
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

/** Returns a function that copies a text, and says so. */
function useCopy(): (text: string, copiedMessage: string) => void {
  const { toasts } = useServices()
  return (text, copiedMessage) =>
    void copyText(text).then(
      () => toasts.show({ kind: 'done', text: copiedMessage }),
      () => toasts.show({ kind: 'problem', text: t('The browser does not allow copying: {text}', { text }) }),
    )
}

/** Shows the key that people write in messages, and copies it. */
function CopyKeyButton({ assignmentKey: key }: { readonly assignmentKey: string }) {
  const copy = useCopy()
  if (key === '') return null
  return (
    <button
      type="button"
      class="button quiet panel-key"
      title={t('Copy {key}', { key })}
      aria-label={t('Copy {key}', { key })}
      onClick={() => copy(key, t('{key} was copied.', { key }))}
    >
      {key}
    </button>
  )
}

/** Replaces an assignment that was removed, or that the user may no longer see. */
function MissingAssignment({
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
        <p>{t('This assignment no longer exists, or you do not have access to it.')}</p>
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

/** Returns the live assignment, or its last known state if it was removed meanwhile. */
function useAssignment(id: string) {
  const listing = useListing('assignment', { ids: id }, { live: true })
  const [saved, setSaved] = useState<Assignment>()
  const [last, setLast] = useState<Assignment>()
  const stored = listing.rows[0]
  useEffect(() => {
    if (stored !== undefined) setLast(stored)
  }, [stored])
  const read = stored ?? last
  const newest = saved && (!read || changedAt(saved) > changedAt(read)) ? saved : read
  return {
    assignment: newest,
    isMissing: !listing.isLoading && listing.problem === undefined && stored === undefined,
    problem: listing.problem,
    /** Shows a saved value before the listing reports it. */
    put: setSaved,
    reload: listing.reload,
  }
}

/** Lists the people who work on the assignment in addition to the responsible person. */
function PeopleSection({
  assignment,
  participants,
}: Pick<PanelSections, 'participants'> & { readonly assignment: RecordOf<'assignment'> }) {
  const assignmentId = assignment.id
  const { api, people } = useServices()
  const remove = useRemoval()
  const [problem, setProblem] = useState<string>()
  const add = (userId: string) => {
    if (participants.rows.some((participant) => participant.userId === userId))
      return setProblem(t('{name} is already working on it.', { name: people.nameOf(userId) }))
    api.create('userAssignment', { assignmentId, userId }).then(
      () => setProblem(undefined),
      (error) => setProblem(sentenceOf(error)),
    )
  }
  return (
    <section class="panel-section" aria-labelledby="people-title">
      <h3 id="people-title">{t('Also working on it')}</h3>
      <ul class="rows">
        {participants.rows.map(({ id, userId }) => (
          <PersonRow
            key={id}
            id={userId}
            name={people.nameOf(userId)}
            removeLabel={t('Remove {name} from the assignment', { name: people.nameOf(userId) })}
            onRemove={() => void remove('userAssignment', id, people.nameOf(userId))}
          />
        ))}
      </ul>
      <PersonPicker
        label={t('Add a person')}
        placeholder={t('Add a person…')}
        projectId={assignment.projectId}
        onChoose={add}
      />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </section>
  )
}

/** Shows the changes of the assignment and of its comments, hours and impediments; loads them once it is opened. */
function HistorySection({ assignmentId }: { readonly assignmentId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section class="panel-section">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h3 class="in-summary">{t('History')}</h3>
        </summary>
        {isOpen && <HistoryEntries assignmentId={assignmentId} />}
      </details>
    </section>
  )
}

const resourcesInHistory = [
  ...(['assignment', 'appointment', 'comment', 'userAssignment'] as const),
  ...(['assignmentImpediment', 'assignmentLabel', 'assignmentDependency'] as const),
] as const

function HistoryEntries({ assignmentId }: { readonly assignmentId: string }) {
  const { tracker } = useServices()
  const { value, problem, reload } = useLoaded(`history-${assignmentId}`, resourcesInHistory, (signal) => {
    const query = { assignmentId, pageSize: 50 } as const
    return tracker.call('GET /ext/history', { query }, { signal })
  })
  if (problem) return <LoadProblem problem={problem} onRetry={reload} />
  return value === undefined ? (
    <Skeleton as="rows" rows={2} cells="face lines" />
  ) : (
    <ChangeList changes={value.result.data} assignmentId={assignmentId} />
  )
}
