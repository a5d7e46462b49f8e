import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { isOutage, sentenceOf } from '../api/problems.ts'
import { assignmentKey, changedAt } from '../data/assignments.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { useListing } from '../data/use-listing.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useMembers } from '../data/use-members.ts'
import { assignmentPath } from '../router/router.ts'
import { useRemoval, useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatAge } from '../time/days.ts'
import { useCopy } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLater } from '../ui/lazy.tsx'
import { Menu } from '../ui/menu.tsx'
import { LoadProblem, Skeleton } from '../ui/page-states.tsx'
import { PersonPicker, PersonRow } from '../ui/people.tsx'
import { DescriptionField } from './description-field.tsx'
import { AssignmentFieldsInPlace, NameInPlace } from './in-place-fields.tsx'
import { LabelsSection } from './labels-section.tsx'
import { PanelFrame, PanelSteps } from './panel-frame.tsx'
import { Adder, Guard, type PanelData, PanelSection, usePanelData } from './panel-section.tsx'
import type { MissingAssignmentProps, PanelSectionsProps } from './panel-sections.tsx'
import { withQueuedStage } from './queue.ts'

type Assignment = RecordOf<'assignment'>

interface AssignmentPanelProps {
  readonly id: string
  readonly projectId: string
  readonly projectName: ComponentChildren
  readonly projectKey: string | undefined
  readonly stages: readonly ProjectStage[]
  onClose(): void
}

/** Shows one assignment in a panel over a screen. The open panel has its own URL. */
export function AssignmentPanel(props: AssignmentPanelProps) {
  const { id, projectId, stages, onClose } = props
  const { extensions } = useServices().configuration
  const loaded = useAssignment(id)
  // The lists of the panel are requested together with the assignment, not after it.
  const data = usePanelData(id, projectId)
  const members = useMembers(projectId)
  const { assignment, problem, isMissing, put, reload } = loaded
  // The members must be loaded first, because a responsible person who is not a member is marked.
  const isReady = !isMissing && !members.isLoading && data.areFieldsLoaded
  const shown = isReady ? assignment : undefined
  const isLoading = !isMissing && !shown && !problem
  return (
    <PanelFrame
      id={id}
      title={assignment?.name ?? t('Assignment')}
      tools={<PanelTools {...props} assignment={isMissing ? undefined : assignment} />}
      isLoading={isLoading}
      name={
        shown && (
          <Guard>
            <NameInPlace assignment={shown} onSaved={put} />
          </Guard>
        )
      }
      foot={shown && extensions && !problem && <LaterComposer assignment={shown} />}
      onClose={onClose}
    >
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {isMissing && <LaterMissing assignment={assignment} onRestored={reload} />}
      {isLoading && <Skeleton as="fields" rows={9} cells="label value" />}
      {shown && (
        <PanelBody {...data} assignment={shown} stages={stages} isPartial={!!problem} onSaved={put} />
      )}
    </PanelFrame>
  )
}

function PanelBody(props: PanelSectionsProps) {
  const { isPartial } = props
  const { extensions } = useServices().configuration
  return (
    <div class="panel-body">
      <BlockedCallout {...props} />
      <Guard>
        <DescriptionField {...props} />
      </Guard>
      <Guard>
        <AssignmentFieldsInPlace {...props} labels={extensions && !isPartial && <LabelsSection {...props} />}>
          {!isPartial && <PeopleSection {...props} />}
        </AssignmentFieldsInPlace>
      </Guard>
      <LaterSections {...props} />
    </div>
  )
}

type PanelToolsProps = Pick<
  AssignmentPanelProps,
  'id' | 'projectId' | 'projectName' | 'projectKey' | 'onClose'
> & {
  readonly assignment: Assignment | undefined
}

/** Shows the project of the assignment, and buttons and a menu that act on the whole assignment. */
function PanelTools({ id, projectId, projectName, projectKey, assignment, onClose }: PanelToolsProps) {
  const { extensions } = useServices().configuration
  const remove = useRemoval()
  const copy = useCopy()
  const watch = useWatch(extensions ? assignment?.id : undefined)
  const key = assignment ? assignmentKey(projectKey, assignment) : ''
  const sharedPath = key === '' ? assignmentPath(projectId, id) : `/a/${key}`
  const removeAssignment = async () => {
    if (assignment && (await remove('assignment', assignment.id, assignment.name))) onClose()
  }
  return (
    <>
      <span class="panel-path">
        <span dir="auto">{projectName}</span>
        {key !== '' && (
          <>
            <span aria-hidden="true">/</span>
            <CopyKeyButton assignmentKey={key} />
          </>
        )}
      </span>
      {assignment && (
        <>
          {watch && <WatchButton {...watch} />}
          <Menu
            label={t('Actions')}
            items={[
              {
                label: t('Copy link'),
                run: () => copy(location.origin + sharedPath, t('The link was copied.')),
              },
              ...(watch
                ? [{ label: watch.isWatching ? t('Stop watching') : t('Watch'), run: watch.toggle }]
                : []),
              { label: t('Remove this assignment'), kind: 'danger', run: () => void removeAssignment() },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </>
      )}
      <PanelSteps id={id} projectId={projectId} />
    </>
  )
}

/** Shows the other sections together, once their script and all their data are loaded. */
function LaterSections(props: PanelSectionsProps) {
  const script = useLater(true, () => import('./panel-sections.tsx'))
  if (script === undefined || !(props.areLoaded || props.isPartial))
    return <Skeleton as="rows" blocks={4} rows={1} cells="lines" />
  return <script.PanelSections {...props} />
}

function LaterMissing(props: MissingAssignmentProps) {
  const script = useLater(true, () => import('./panel-sections.tsx'))
  return script && <script.MissingAssignment {...props} />
}

/** Shows the field of the next comment, once its script is loaded. */
function LaterComposer(props: Pick<PanelSectionsProps, 'assignment'>) {
  const script = useLater(true, () => import('./comment-form.tsx'))
  return (
    script && (
      <Guard>
        <script.CommentComposer {...props} />
      </Guard>
    )
  )
}

/** Shows what blocks the assignment, with a button that resolves it. */
function BlockedCallout({ impediments, kinds }: Pick<PanelData, 'impediments' | 'kinds'>) {
  const remove = useRemoval()
  return impediments.rows.map(({ id, impedimentId, description, createdAt }) => {
    const name = kinds.rows.find((kind) => kind.id === impedimentId)?.name ?? t('Impediment')
    return (
      <div key={id} class="panel-blocked" data-color="red">
        <Icon name="warning" />
        <p class="row-text">
          <strong dir="auto">{name}</strong>
          {description && (
            <span class="line" dir="auto">
              {description}
            </span>
          )}
          <span class="line blocked-age">{t('Blocked {age}', { age: formatAge(createdAt) })}</span>
        </p>
        <button
          type="button"
          class="button"
          aria-label={t('Resolve {name}', { name })}
          onClick={() => void remove('assignmentImpediment', id, name, '{name} is resolved.')}
        >
          <Icon name="check" />
          {t('Resolve')}
        </button>
      </div>
    )
  })
}

/** A button that shows the key and copies it, because people write keys in messages. */
function CopyKeyButton({ assignmentKey: key }: { readonly assignmentKey: string }) {
  const copy = useCopy()
  return (
    <button
      type="button"
      class="button quiet"
      title={t('Copy {key}', { key })}
      aria-label={t('Copy {key}', { key })}
      onClick={() => copy(key, t('{key} was copied.', { key }))}
    >
      {key}
    </button>
  )
}

/**
 * Returns the live assignment, or its last known state if it was removed in the meantime. Without a network,
 * an assignment that was not opened before has the values of the lists that showed it, and a problem.
 */
function useAssignment(id: string) {
  const services = useServices()
  const listing = useListing('assignment', { ids: id }, { live: true })
  const [saved, setSaved] = useState<Assignment>()
  const [lastListed, setLastListed] = useState<Assignment>()
  const listed = listing.rows[0]
  useEffect(() => {
    if (listed !== undefined) setLastListed(listed)
  }, [listed])
  const isUnseen = listed === undefined && isOutage(listing.problem)
  useEffect(() => {
    if (!isUnseen) return
    import('./change-many.ts')
      .then(({ loadOrRecall }) => loadOrRecall(services, [id]))
      .then(
        ([seen]) => setLastListed(seen),
        () => undefined,
      )
  }, [isUnseen])
  const lastKnown = listed ?? lastListed
  const newest = saved && (!lastKnown || changedAt(saved) > changedAt(lastKnown)) ? saved : lastKnown
  return {
    assignment: newest && withQueuedStage(newest),
    isMissing: !listing.isLoading && listing.problem === undefined && listed === undefined,
    problem: listed ? undefined : listing.problem,
    /** Shows a saved value before the listing reports it. */
    put: setSaved,
    reload: listing.reload,
  }
}

/** Lists the people who work on the assignment in addition to the responsible person. */
function PeopleSection({
  assignment,
  participants,
}: Pick<PanelData, 'participants'> & { readonly assignment: RecordOf<'assignment'> }) {
  const assignmentId = assignment.id
  const { api, people } = useServices()
  const remove = useRemoval()
  const [problem, setProblem] = useState<string>()
  const add = (userId: string) => {
    if (participants.rows.some((participant) => participant.userId === userId))
      return setProblem(t('{name} is already working on it.', { name: people.nameOf(userId) }))
    void api.create('userAssignment', { assignmentId, userId }).then(
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
          chosen={{ ids: participants.rows.map(({ userId }) => userId), note: t('Participant') }}
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

interface Watch {
  readonly isWatching: boolean
  toggle(): void
}

/**
 * Returns whether the user is notified about an assignment, and a function that turns this on or off. Returns
 * undefined while the state is unknown.
 */
function useWatch(assignmentId: string | undefined): Watch | undefined {
  const { toasts, tracker } = useServices()
  const [chosen, setChosen] = useState<boolean>()
  const { value } = useLoaded(
    `watch-${assignmentId}`,
    ['assignment', 'userAssignment', 'comment'],
    async (signal) => {
      if (assignmentId === undefined) return undefined
      const { watch } = await tracker.call('GET /ext/watch', { query: { assignmentId } }, { signal })
      setChosen(undefined)
      return watch
    },
  )
  if (!value || assignmentId === undefined) return undefined
  const isWatching = chosen ?? value.isWatching
  const choose = async () => {
    setChosen(!isWatching)
    try {
      await tracker.call('PATCH /ext/watch', { body: { assignmentId, isWatching: !isWatching } })
      toasts.show({
        kind: 'done',
        text: isWatching
          ? t('You are no longer notified about this assignment.')
          : t('You are notified about this assignment.'),
      })
    } catch (error) {
      setChosen(isWatching)
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  return { isWatching, toggle: () => void choose() }
}

const WatchButton = ({ isWatching, toggle }: Watch) => (
  <button
    type="button"
    class="button quiet icon-only watch"
    aria-pressed={isWatching}
    aria-label={t('Watch')}
    title={isWatching ? t('Stop watching') : t('Watch')}
    onClick={toggle}
  >
    <Icon name="bell" />
  </button>
)
