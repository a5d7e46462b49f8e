import { useEffect, useRef, useState } from 'preact/hooks'
import type { BatchItem } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { changedText } from '../../assignment/change-assignment.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import {
  type ColorName,
  colorIn,
  type ProjectStage,
  type StageLook,
  stageLooksOf,
  stagesOf,
  stagesQuery,
  useProjectStages,
} from '../../data/project-stages.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Icon, IconButton } from '../../ui/icon.tsx'
import { StageMark } from '../../ui/marks.tsx'

type Choice = RecordOf<'projectStage'>

/** A line of the list. If its color is undefined, the stage has the default color. */
interface Line {
  readonly stage: ProjectStage
  readonly isUsed: boolean
  readonly color: ColorName | undefined
}

/**
 * Lets the user choose the stages of a project, their order and their colors. Only administrators can change
 * the stages that all projects have.
 */
export function StagesSection({ projectId }: { readonly projectId: string }) {
  const { configuration, session } = useServices()
  const { stages, choices, isLoading } = useProjectStages(projectId)
  return (
    <section aria-labelledby="settings-stages">
      <h2 id="settings-stages">{t('Stages')}</h2>
      <p class="quiet-text">
        {configuration.extensions
          ? t(
              'The columns of the board, in this order. A stage that is not used stays on it until no assignment is left in it.',
            )
          : t('All projects have these stages. Administrators change them.')}
      </p>
      {!isLoading && <StagesList projectId={projectId} stages={stages} choices={choices} />}
      {session.person.value?.isAdministrator && (
        <p>
          <a href="/administration/workflows">{t('Change the stages…')}</a>
        </p>
      )}
    </section>
  )
}

interface StagesListProps {
  readonly projectId: string
  readonly stages: readonly ProjectStage[]
  readonly choices: readonly Choice[]
}

function StagesList({ projectId, stages, choices }: StagesListProps) {
  const { configuration } = useServices()
  const doneStageIds = doneStagesOf(projectId, stages)
  const defaults = useProjectStages(undefined).stages
  const { lines, change } = useStageChanges(projectId, defaults, choices)
  const used = lines.filter(({ isUsed }) => isUsed)
  const colorOf = ({ stage, color }: Line) => color ?? colorIn(defaults, stage.id)
  const looks = stageLooksOf(
    lines.map((line) => ({ id: line.stage.id, color: colorOf(line) })),
    doneStageIds,
  )
  return (
    <>
      <ol class="rows">
        {lines.map((line, index) => (
          <StageRow
            key={line.stage.id}
            line={line}
            look={looks.get(line.stage.id)}
            defaultColor={colorIn(defaults, line.stage.id)}
            isEditable={configuration.extensions}
            isOnly={line.isUsed && used.length === 1}
            isFirst={index === 0}
            isLast={index === used.length - 1}
            onChange={(values) => change((current) => withValues(current, line.stage.id, values))}
            onMove={(steps) => change((current) => withPlace(current, line.stage.id, index + steps))}
          />
        ))}
      </ol>
      {choices.length > 0 && (
        <div class="form-buttons">
          <button type="button" class="button quiet" onClick={() => change(withoutChoices)}>
            {t('Use all stages again')}
          </button>
        </div>
      )}
    </>
  )
}

/** A change to the lines. It is applied to the shown lines first, and then to the lines on the server. */
type LinesChange = (lines: readonly Line[]) => readonly Line[]

const withValues = (lines: readonly Line[], id: string, values: Partial<Line>): readonly Line[] =>
  sortUsedFirst(lines.map((line) => (line.stage.id === id ? { ...line, ...values } : line)))

const withPlace = (lines: readonly Line[], id: string, place: number): readonly Line[] =>
  lines
    .filter(({ stage }) => stage.id !== id)
    .toSpliced(place, 0, ...lines.filter(({ stage }) => stage.id === id))

/** A project that has chosen no stages uses all of them. */
const withoutChoices: LinesChange = (lines) => lines.map((line) => ({ ...line, isUsed: false }))

const sortUsedFirst = (lines: readonly Line[]): readonly Line[] =>
  lines.toSorted((a, b) => Number(b.isUsed) - Number(a.isUsed))

const linesOf = (defaults: readonly ProjectStage[], choices: readonly Choice[]): readonly Line[] =>
  stagesOf(defaults, choices).map((stage) => {
    const color = choices.find(({ workflowId }) => workflowId === stage.id)?.color ?? undefined
    return { stage, isUsed: stage.isUsed, color }
  })

/**
 * Saves each change at once, one after the other. Changed lines are shown until the loaded list contains
 * them, so that nothing flashes.
 */
function useStageChanges(
  projectId: string,
  defaults: readonly ProjectStage[],
  choices: readonly Choice[],
): { readonly lines: readonly Line[]; change(run: LinesChange): void } {
  const { api, toasts, tracker } = useServices()
  const [changedLines, setChangedLines] = useState<readonly Line[]>()
  const pendingCount = useRef(0)
  const lastWrite = useRef(Promise.resolve())
  useEffect(() => {
    if (pendingCount.current === 0) setChangedLines(undefined)
  }, [choices])
  const enqueue = (write: () => Promise<void>) => {
    pendingCount.current += 1
    lastWrite.current = lastWrite.current
      .then(write)
      .catch((error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
      .then(() => {
        pendingCount.current -= 1
        if (pendingCount.current === 0) api.announce('projectStage')
      })
    return lastWrite.current
  }
  const load = async () => (await api.list('projectStage', { projectId, ...stagesQuery })).data
  /** Writes all stages in one batch, all or none. */
  const write = async (stored: readonly Choice[], next: readonly NewChoice[]) => {
    const items = itemsOf(projectId, next, stored)
    if (items.length > 0) await tracker.call('POST /ext/batch', { body: { mode: 'allOrNothing', items } })
  }
  const save = async (run: LinesChange) => {
    // Other users may have changed the stages since the page was opened.
    const before = await load()
    const after = run(linesOf(defaults, before))
      .filter(({ isUsed }) => isUsed)
      .map(({ stage, color = null }) => ({ workflowId: stage.id, color }))
    await write(before, after)
    const undo = async () => {
      const current = await load()
      if (comparableTextOf(current) !== comparableTextOf(after)) throw new Error(changedText())
      await write(current, before)
    }
    toasts.show({ kind: 'done', text: t('The stages were saved.'), undo: () => enqueue(undo) })
  }
  return {
    lines: changedLines ?? linesOf(defaults, choices),
    change(run) {
      setChangedLines((lines = linesOf(defaults, choices)) => {
        const next = run(lines)
        // Without a used stage, the lines stay until the choices are deleted and all stages are used.
        return next.some(({ isUsed }) => isUsed) ? next : lines
      })
      void enqueue(() => save(run))
    },
  }
}

type NewChoice = Pick<Choice, 'workflowId' | 'color'>

const comparableTextOf = (choices: readonly NewChoice[]): string =>
  JSON.stringify(choices.map(({ workflowId, color = null }) => [workflowId, color]))

/** Returns the batch items that turn the stored rows into the next ones. */
function itemsOf(projectId: string, next: readonly NewChoice[], stored: readonly Choice[]) {
  const resource = 'projectStage' as const
  const keptIds = new Set(next.map(({ workflowId }) => workflowId))
  const removedIds = stored.filter(({ workflowId }) => !keptIds.has(workflowId)).map(({ id }) => id)
  const writes = next.flatMap(({ workflowId, color = null }, order): BatchItem[] => {
    const body = { projectId, workflowId, order, color }
    const row = stored.find((choice) => choice.workflowId === workflowId)
    if (row === undefined) return [{ resource, operation: 'create', body }]
    const isSame = row.order === order && (row.color ?? null) === color
    return isSame ? [] : [{ resource, operation: 'update', body: { ...body, id: row.id } }]
  })
  const removal: BatchItem = { resource, operation: 'remove', body: { ids: removedIds } }
  return removedIds.length === 0 ? writes : [removal, ...writes]
}

interface StageRowProps {
  readonly line: Line
  readonly look: StageLook | undefined
  readonly defaultColor: ColorName
  /** True if the extensions are available. */
  readonly isEditable: boolean
  /** True for the only used stage. It cannot be deselected. */
  readonly isOnly: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  onChange(values: Partial<Line>): void
  onMove(steps: number): void
}

function StageRow(props: StageRowProps) {
  const { line, look, isEditable, isOnly, isFirst, isLast, onChange, onMove } = props
  const { stage, isUsed, color } = line
  const { name } = stage
  return (
    <li class="row stage-row">
      {isEditable && (
        <input
          type="checkbox"
          aria-label={t('Use {name}', { name })}
          checked={isUsed}
          disabled={isOnly}
          onChange={({ currentTarget }) => onChange({ isUsed: currentTarget.checked })}
        />
      )}
      {look && <StageMark {...look} />}
      <span class={isUsed ? 'row-text' : 'row-text quiet-text'} dir="auto">
        {name}
      </span>
      {look?.isDone && (
        <span class="chip">
          <Icon name="check" /> {t('Means done')}
        </span>
      )}
      {isEditable && isUsed && (
        <span class="row-buttons">
          <span class="select-frame" data-color={color ?? props.defaultColor}>
            <select
              class="input"
              aria-label={t('Color of {name}', { name })}
              value={color ?? ''}
              onChange={({ currentTarget }) =>
                onChange({ color: (currentTarget.value || undefined) as ColorName | undefined })
              }
            >
              {colorChoices.map((choice) => (
                <option key={choice.id} value={choice.id} data-color={choice.color ?? props.defaultColor}>
                  {t(choice.name)}
                </option>
              ))}
            </select>
          </span>
          <IconButton
            icon="up"
            label={t('Move {name} up', { name })}
            isDisabled={isFirst}
            run={() => onMove(-1)}
          />
          <IconButton
            icon="down"
            label={t('Move {name} down', { name })}
            isDisabled={isLast}
            run={() => onMove(1)}
          />
        </span>
      )}
    </li>
  )
}
