import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { Api, RecordOf } from '../api/api.ts'
import { sentenceOf, withFieldLabel } from '../api/problems.ts'
import { untilText } from '../data/assignments.ts'
import { type Neighbour, noDependencies, startsTooEarly } from '../data/project-links.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { useListing } from '../data/use-listing.ts'
import { assignmentPath } from '../router/router.ts'
import { useRemoval, useServices } from '../services/services.ts'
import { inOneLine, type MessageKey, t } from '../texts/text.ts'
import { formatDay } from '../time/days.ts'
import { Combobox } from '../ui/combobox.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadProblem } from '../ui/page-states.tsx'
import { doneStagesOf } from './assignment-values.ts'
import { PanelForm } from './panel-form.tsx'
import { Adder, type PanelData, PanelSection } from './panel-section.tsx'

type Assignment = RecordOf<'assignment'>

/** The ways in which an assignment can be related to another one. */
export type Relation = 'partOf' | 'waitsFor' | 'blocks'

interface RelationsProps extends Pick<PanelData, 'parts' | 'dependencies'> {
  readonly assignment: Assignment
  readonly stages: readonly ProjectStage[]
  /** The form of the panel that the user has opened. It may be the input field of a relation. */
  readonly openForm: string | undefined
  onClose(): void
  onSaved(assignment: Assignment): void
}

/**
 * Shows related assignments: the parent and the parts of this assignment, and the assignments that it waits
 * for or blocks.
 */
export const Relations = ({ parts, dependencies, onSaved, ...shared }: RelationsProps) => (
  <>
    <PartsSection {...shared} parts={parts} onSaved={onSaved} />
    <DependenciesSection {...shared} dependencies={dependencies} />
  </>
)

type PartsSectionProps = Omit<RelationsProps, 'dependencies'>

/** Shows the parent of the assignment and its parts. */
function PartsSection({ assignment, stages, parts, openForm, onClose, onSaved }: PartsSectionProps) {
  const { api, tracker } = useServices()
  const [problem, setProblem] = useState<string>()
  const parent = useListing('assignment', assignment.parentId ? { ids: assignment.parentId } : undefined)
    .rows[0]
  const doneStageIds = doneStagesOf(assignment.projectId, stages)
  const doneCount = parts.rows.filter(({ workflowId }) => doneStageIds.has(workflowId)).length
  const setParent = async (id: string, parentId: string | null) => {
    setProblem(undefined)
    try {
      const saved = (await tracker.call('PATCH /ext/assignment', { body: { id, parentId } })).assignment
      if (id === assignment.id) onSaved(saved)
      api.announce('assignment')
      if (parentId !== null) onClose()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  const lineOf = (part: Assignment) =>
    inOneLine(stages.find(({ id }) => id === part.workflowId)?.name, untilText(part))
  const isAdding = !parent && openForm === 'partOf'
  if (parts.rows.length === 0 && !parts.problem && !parent && !isAdding && problem === undefined) return null
  return (
    <PanelSection
      name="parts"
      title={t('Sub-assignments')}
      isEmpty={parts.rows.length === 0}
      aside={
        parts.rows.length > 0 && (
          <span class="quiet-text">
            {' '}
            {t('{done} of {count} done', { done: doneCount, count: parts.rows.length })}
          </span>
        )
      }
    >
      {parts.problem && <LoadProblem problem={parts.problem} onRetry={parts.reload} />}
      <ul class="rows">
        {parts.rows.map((part) => (
          <RelatedRow
            key={part.id}
            assignment={part}
            line={lineOf(part)}
            isDone={doneStageIds.has(part.workflowId)}
            removeLabel={t('Remove {name} from the sub-assignments', { name: part.name })}
            onRemove={() => void setParent(part.id, null)}
          />
        ))}
      </ul>
      {parent && (
        <>
          <h4>{t('Part of')}</h4>
          <ul class="rows">
            <RelatedRow
              assignment={parent}
              line={lineOf(parent)}
              isDone={doneStageIds.has(parent.workflowId)}
              removeLabel={t('Remove from {name}', { name: parent.name })}
              onRemove={() => void setParent(assignment.id, null)}
            />
          </ul>
        </>
      )}
      {isAdding && (
        <PanelForm onClose={onClose}>
          <Adder>
            <Combobox
              opensImmediately
              label={t('Make it a part of another assignment')}
              placeholder={t('Part of…')}
              valueText=""
              find={async (text, signal) =>
                (await findInProject(api, assignment.projectId, text, signal))
                  .filter(({ id }) => id !== assignment.id)
                  .map((other) => ({ id: other.id, name: other.name, note: lineOf(other) }))
              }
              onChoose={({ id }) => void setParent(assignment.id, id)}
            />
          </Adder>
        </PanelForm>
      )}
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </PanelSection>
  )
}

type DependenciesSectionProps = Omit<RelationsProps, 'parts' | 'onSaved'>

/** Shows which assignments of the project have to be done before or after this assignment. */
function DependenciesSection(props: DependenciesSectionProps) {
  const { assignment, stages, dependencies, openForm, onClose } = props
  const { waitsFor, blocks, isCut } = dependencies.value ?? noDependencies
  const present = [assignment, ...[...waitsFor, ...blocks].map(({ other }) => other)]
  const common = { assignment, stages, onClose, presentIds: new Set(present.map(({ id }) => id)) }
  const isAdding = openForm === 'waitsFor' || openForm === 'blocks'
  if (present.length === 1 && !dependencies.problem && !isAdding) return null
  return (
    <PanelSection
      name="dependencies"
      title={t('Dependencies')}
      isEmpty={waitsFor.length === 0 && blocks.length === 0}
    >
      {dependencies.problem && <LoadProblem problem={dependencies.problem} onRetry={dependencies.reload} />}
      <Neighbours
        {...common}
        direction={directions.waitsFor}
        neighbours={waitsFor}
        isAdding={openForm === 'waitsFor'}
      />
      <Neighbours
        {...common}
        direction={directions.blocks}
        neighbours={blocks}
        isAdding={openForm === 'blocks'}
      />
      {isCut && <p class="quiet-text">{t('Only the first 100 are shown.')}</p>}
    </PanelSection>
  )
}

interface Direction {
  readonly title: MessageKey
  readonly add: MessageKey
  readonly placeholder: MessageKey
  readonly warning: MessageKey
  /** Returns which of two assignments waits, and which it waits for. */
  order<Item>(self: Item, other: Item): { readonly waiting: Item; readonly blocker: Item }
}

const directions: Readonly<Record<'waitsFor' | 'blocks', Direction>> = {
  waitsFor: {
    title: 'Waits for',
    add: 'Add an assignment to wait for',
    placeholder: 'Waits for…',
    warning: 'Ends on {day}, after this one starts',
    order: (self, other) => ({ waiting: self, blocker: other }),
  },
  blocks: {
    title: 'Needed by',
    add: 'Add an assignment that waits for this one',
    placeholder: 'Needed by…',
    warning: 'Starts on {day}, before this one ends',
    order: (self, other) => ({ waiting: other, blocker: self }),
  },
}

interface NeighboursProps {
  readonly assignment: Assignment
  readonly stages: readonly ProjectStage[]
  readonly direction: Direction
  readonly neighbours: readonly Neighbour[]
  readonly presentIds: ReadonlySet<string>
  readonly isAdding: boolean
  onClose(): void
}

function Neighbours(props: NeighboursProps) {
  const { assignment, stages, direction, neighbours, presentIds, isAdding, onClose } = props
  const { api } = useServices()
  const [problem, setProblem] = useState<string>()
  const doneStageIds = doneStagesOf(assignment.projectId, stages)
  const add = async (otherId: string) => {
    setProblem(undefined)
    const { waiting, blocker } = direction.order(assignment.id, otherId)
    try {
      await api.create('assignmentDependency', { assignmentId: waiting, blockedById: blocker })
    } catch (error) {
      setProblem(await explain(api, error, blocker))
    }
  }
  const adder = (
    <Adder>
      <Combobox
        opensImmediately={isAdding}
        label={t(direction.add)}
        placeholder={t(direction.placeholder)}
        valueText=""
        find={async (text, signal) =>
          (await findInProject(api, assignment.projectId, text, signal))
            .filter(({ id }) => !presentIds.has(id))
            .map(({ id, name, workflowId }) => ({
              id,
              name,
              note: stages.find((stage) => stage.id === workflowId)?.name ?? '',
            }))
        }
        onChoose={({ id }) => void add(id)}
      />
    </Adder>
  )
  return (
    <>
      {neighbours.length > 0 && <h4>{t(direction.title)}</h4>}
      <ul class="rows">
        {neighbours.map((neighbour) => (
          <NeighbourRow
            key={neighbour.linkId}
            {...neighbour}
            assignment={assignment}
            direction={direction}
            doneStageIds={doneStageIds}
            stageName={stages.find(({ id }) => id === neighbour.other.workflowId)?.name}
          />
        ))}
      </ul>
      {isAdding ? <PanelForm onClose={onClose}>{adder}</PanelForm> : neighbours.length > 0 && adder}
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

interface NeighbourRowProps extends Neighbour {
  readonly assignment: Assignment
  readonly direction: Direction
  readonly doneStageIds: ReadonlySet<string>
  readonly stageName: string | undefined
}

function NeighbourRow({ linkId, other, assignment, direction, doneStageIds, stageName }: NeighbourRowProps) {
  const remove = useRemoval()
  const { waiting, blocker } = direction.order(assignment, other)
  const isEitherDone = [waiting, blocker].some(({ workflowId }) => doneStageIds.has(workflowId))
  const date = other === blocker ? other.endDate : other.startDate
  return (
    <RelatedRow
      assignment={other}
      line={inOneLine(stageName, untilText(other))}
      isDone={doneStageIds.has(other.workflowId)}
      removeLabel={t('Remove the dependency on {name}', { name: other.name })}
      onRemove={() => void remove('assignmentDependency', linkId, other.name, 'The dependency was removed.')}
    >
      {!isEitherDone && startsTooEarly(waiting, blocker) && (
        <span class="line">
          <span class="blocked">
            <Icon name="warning" />
            {t(direction.warning, { day: formatDay(date) })}
          </span>
        </span>
      )}
    </RelatedRow>
  )
}

/**
 * Returns the message of an error. The field name at its beginning is replaced by the name of the assignment.
 */
async function explain(api: Api, error: unknown, blockerId: string): Promise<string> {
  const messages = error instanceof TrackerError ? error.errors.blockedById : undefined
  if (messages === undefined) return sentenceOf(error)
  const blocker = await api.get('assignment', blockerId).catch(() => undefined)
  return messages
    .map((message) => withFieldLabel(blocker?.name ?? t('Assignment'), 'blockedById', message))
    .join(' ')
}

interface RelatedRowProps {
  readonly assignment: Assignment
  /** Details, which are shown below the name. */
  readonly line: string
  readonly isDone: boolean
  readonly removeLabel: string
  onRemove(): void
  readonly children?: ComponentChildren
}

/** Shows a related assignment, with a button that ends the relation. */
function RelatedRow({ assignment, line, isDone, removeLabel, onRemove, children }: RelatedRowProps) {
  const { router } = useServices()
  const { id, projectId, name } = assignment
  return (
    <li class="row removable-row">
      {isDone && <Icon name="check" />}
      <span class="row-text">
        <a dir="auto" href={assignmentPath(projectId, id, router.address.value.search)}>
          {name}
        </a>
        <span class="quiet-text line">{line}</span>
        {children}
      </span>
      <button type="button" class="button quiet icon-only" aria-label={removeLabel} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  )
}

/** Finds assignments of one project by a part of their name or description. */
async function findInProject(
  api: Api,
  projectId: string,
  search: string,
  signal: AbortSignal,
): Promise<readonly Assignment[]> {
  const query = { projectId, search, pageSize: suggestionsMax, sortColumn: 'name' } as const
  return (await api.list('assignment', query, signal)).data
}

/** Users type more to find other assignments. */
const suggestionsMax = 20
