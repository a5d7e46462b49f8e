import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { changedAt } from '../data/changed-at.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { useListing } from '../data/use-listing.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useMembers } from '../data/use-members.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { formatTimestamp } from '../time/format-timestamp.ts'
import { PersonRow } from '../ui/avatar.tsx'
import { copyText } from '../ui/copy.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadProblem } from '../ui/notes.tsx'
import { PersonPicker } from '../ui/person-picker.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { assignmentKey } from './assignment-key.ts'
import { AttachmentsSection } from './attachments-section.tsx'
import { CommentsSection } from './comments-section.tsx'
import { DescriptionField } from './description-field.tsx'
import { ImpedimentsSection } from './impediments-section.tsx'
import { AssignmentFieldsInPlace, NameInPlace } from './in-place-fields.tsx'
import { LabelsSection } from './labels-section.tsx'
import { PanelButton, PanelFrame } from './panel-frame.tsx'
import { Adder, PanelSection } from './panel-section.tsx'
import { withQueuedStage } from './queue.ts'
import { Relations } from './relations.tsx'
import { TimeSection } from './time-section.tsx'
import { type PanelSections, usePanelSections } from './use-panel-sections.ts'
import { WatchButton } from './watch-button.tsx'

type Assignment = RecordOf<'assignment'>

export interface AssignmentPanelProps {
  readonly id: string
  readonly projectId: string
  readonly projectName: string
  readonly projectKey: string | undefined
  readonly stages: readonly ProjectStage[]
  onClose(): void
}

/** Shows one assignment over a screen. It has an address of its own. */
export function AssignmentPanel(props: AssignmentPanelProps) {
  const { id, projectId, stages, onClose } = props
  const { extensions } = useServices().configuration
  const loaded = useAssignment(id)
  // The sections are requested together with the assignment, not after it.
  const sections = usePanelSections(id, projectId)
  const members = useMembers(projectId)
  const { assignment, problem, isMissing, put, reload } = loaded
  // The members must be loaded first: a responsible person who is not a member is marked as such.
  const isReady = !isMissing && !members.isLoading && sections.areFieldsLoaded
  const shown = isReady ? assignment : undefined
  return (
    <PanelFrame
      id={id}
      title={assignment?.name ?? t('Assignment')}
      tools={<PanelTools {...props} assignment={isMissing ? undefined : assignment} />}
      isLoading={!isMissing && shown === undefined && !problem}
      name={
        shown && (
          <Guard>
            <NameInPlace assignment={shown} onSaved={put} />
          </Guard>
        )
      }
      onClose={onClose}
    >
      {isMissing && <MissingAssignment assignment={assignment} onRestored={reload} />}
      {!isMissing && shown === undefined && problem && <LoadProblem problem={problem} onRetry={reload} />}
      {!isMissing && shown === undefined && !problem && (
        <Skeleton as="fields" rows={10} cells="label value" />
      )}
      {shown && (
        <div class="panel-body">
          <BlockedLine {...sections} />
          <Guard>
            <AssignmentFieldsInPlace assignment={shown} stages={stages} onSaved={put}>
              {extensions && <LabelsSection {...sections} assignment={shown} />}
              <PeopleSection {...sections} assignment={shown} />
            </AssignmentFieldsInPlace>
          </Guard>
          <Guard>
            <DescriptionField assignment={shown} onSaved={put} />
          </Guard>
          {sections.areLoaded ? (
            <Sections {...sections} assignment={shown} stages={stages} onSaved={put} />
          ) : (
            <Skeleton as="rows" blocks={4} rows={1} cells="lines" />
          )}
        </div>
      )}
    </PanelFrame>
  )
}

type PanelToolsProps = Pick<
  AssignmentPanelProps,
  'id' | 'projectId' | 'projectName' | 'projectKey' | 'onClose'
> & {
  readonly assignment: Assignment | undefined
}

/** Shows where the assignment is, and acts on the whole of it. */
function PanelTools({ id, projectId, projectName, projectKey, assignment, onClose }: PanelToolsProps) {
  const remove = useRemoval()
  const copy = useCopy()
  const key = assignment ? assignmentKey(projectKey, assignment) : ''
  const sharedPath = key === '' ? assignmentPath(projectId, id) : `/a/${key}`
  const removeAssignment = async () => {
    if (assignment && (await remove('assignment', assignment.id, assignment.name))) onClose()
  }
  return (
    <>
      <span class="panel-project" dir="auto">
        {projectName}
      </span>
      {assignment && (
        <>
          <CopyKeyButton assignmentKey={key} />
          {projectKey !== undefined && <WatchButton assignmentId={id} />}
          <PanelButton
            icon="copy"
            label={t('Copy link')}
            run={() => copy(location.origin + sharedPath, t('The link was copied.'))}
          />
          <PanelButton icon="trash" label={t('Remove this assignment')} run={() => void removeAssignment()} />
        </>
      )}
    </>
  )
}

interface SectionsProps extends PanelSections {
  readonly assignment: Assignment
  readonly stages: readonly ProjectStage[]
  onSaved(assignment: Assignment): void
}

/** The sections in groups: other work, what was said, time and files, and what has happened. */
function Sections({ assignment, stages, onSaved, ...sections }: SectionsProps) {
  const { extensions } = useServices().configuration
  const { id: assignmentId } = assignment
  return (
    <>
      <div class="panel-group">
        <Guard>
          {extensions && (
            <Relations {...sections} assignment={assignment} stages={stages} onSaved={onSaved} />
          )}
        </Guard>
        <Guard>
          <ImpedimentsSection {...sections} assignmentId={assignmentId} />
        </Guard>
      </div>
      {extensions && (
        <div class="panel-group">
          <Guard>
            <CommentsSection {...sections} assignment={assignment} />
          </Guard>
        </div>
      )}
      <div class="panel-group">
        <Guard>
          <TimeSection {...sections} assignment={assignment} />
        </Guard>
        <Guard>{extensions && <AttachmentsSection {...sections} assignmentId={assignmentId} />}</Guard>
      </div>
      <div class="panel-group">
        <Guard>
          <HistorySection assignmentId={assignmentId} />
        </Guard>
        <p class="quiet-text">
          {inOneLine(
            t('Created {time}', { time: formatTimestamp(assignment.createdAt) }),
            assignment.updatedAt && t('Changed {time}', { time: formatTimestamp(assignment.updatedAt) }),
          )}
        </p>
      </div>
    </>
  )
}

/** Says that the assignment is blocked, and why, before everything else. */
function BlockedLine({ impediments, kinds }: Pick<PanelSections, 'impediments' | 'kinds'>) {
  if (impediments.rows.length === 0) return null
  const names = impediments.rows.flatMap(
    ({ impedimentId }) => kinds.rows.find(({ id }) => id === impedimentId)?.name ?? [],
  )
  return (
    <p class="blocked panel-blocked">
      <Icon name="warning" />
      <span>{inOneLine(t('Blocked'), ...names)}</span>
    </p>
  )
}

/** A section that fails leaves the others usable. */
const Guard = ({ children }: { readonly children: ComponentChildren }) => (
  <ErrorBoundary
    fallback={(retry) => (
      <div class="panel-section" role="alert">
        <p>{t('This part cannot be shown.')}</p>
        <button type="button" class="button" onClick={retry}>
          {t('Try again')}
        </button>
      </div>
    )}
  >
    {children}
  </ErrorBoundary>
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
    assignment: newest && withQueuedStage(newest),
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
    <PanelSection name="people" title={t('Participants')} isEmpty={participants.rows.length === 0} isField>
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
      <Adder>
        <PersonPicker
          label={t('Add a person')}
          placeholder={t('Add a person…')}
          projectId={assignment.projectId}
          onChoose={add}
        />
      </Adder>
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </PanelSection>
  )
}

/** Shows the changes of the assignment and of its comments, hours and impediments; loads them once it is opened. */
function HistorySection({ assignmentId }: { readonly assignmentId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section class="panel-section">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="with-chevron">
          <Icon name="right" />
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
  const key = `history-${assignmentId}`
  const { value, problem, reload } = useLoaded(key, resourcesInHistory, async (signal) => {
    const query = { assignmentId, pageSize: 50 } as const
    const [{ result }, { ChangeList }] = await Promise.all([
      tracker.call('GET /ext/history', { query }, { signal }),
      import('./change-list.tsx'),
    ])
    return { changes: result.data, ChangeList }
  })
  if (problem) return <LoadProblem problem={problem} onRetry={reload} />
  return value === undefined ? (
    <Skeleton as="rows" rows={2} cells="face lines" />
  ) : (
    <value.ChangeList changes={value.changes} assignmentId={assignmentId} />
  )
}
