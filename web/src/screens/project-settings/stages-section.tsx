import { useEffect, useRef, useState } from 'preact/hooks'
import type { BatchItem } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import {
  type ColorName,
  colorIn,
  type ProjectStage,
  stagesOf,
  stagesQuery,
  useProjectStages,
} from '../../data/project-stages.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Icon, IconButton } from '../../ui/icon.tsx'

type Choice = RecordOf<'projectStage'>

/** A stage as the list shows it. Without a color of its own it has the default color. */
interface Line {
  readonly stage: ProjectStage
  readonly isUsed: boolean
  readonly color: ColorName | undefined
}

/**
 * Chooses the stages of a project, with their order and colors. Administrators change the stages themselves,
 * for all projects.
 */
export function StagesSection({ projectId }: { readonly projectId: string }) {
  const { configuration, session } = useServices()
  const { stages, choices, isLoading } = useProjectStages(projectId)
  return (
    <section class="form" aria-labelledby="settings-stages">
      <h2 id="settings-stages">{t('Stages')}</h2>
      <p class="quiet-text">
        {configuration.extensions
          ? t('These are the columns of the board. An unused stage has one only while assignments are in it.')
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
  const doneIds = doneStagesOf(projectId, stages)
  const defaults = useProjectStages(undefined).stages
  const { lines, change } = useStageChanges(projectId, defaults, choices)
  const used = lines.filter(({ isUsed }) => isUsed)
  return (
    <>
      <ol class="rows">
        {lines.map((line, index) => (
          <StageRow
            key={line.stage.id}
            line={line}
            defaultColor={colorIn(defaults, line.stage.id)}
            isDone={doneIds.has(line.stage.id)}
            isEditable={configuration.extensions}
            isOnly={line.isUsed && used.length === 1}
            isFirst={index === 0}
            isLast={index === used.length - 1}
            onChange={(values) => change((now) => withValues(now, line.stage.id, values))}
            onMove={(steps) => change((now) => withPlace(now, line.stage.id, index + steps))}
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

/** Changes lines: those that are shown, then those that the server has. */
type LinesChange = (lines: readonly Line[]) => readonly Line[]

const withValues = (lines: readonly Line[], id: string, values: Partial<Line>): readonly Line[] =>
  sortUsedFirst(lines.map((line) => (line.stage.id === id ? { ...line, ...values } : line)))

const withPlace = (lines: readonly Line[], id: string, place: number): readonly Line[] =>
  lines
    .filter(({ stage }) => stage.id !== id)
    .toSpliced(place, 0, ...lines.filter(({ stage }) => stage.id === id))

const withoutChoices: LinesChange = (lines) => lines.map((line) => ({ ...line, isUsed: false }))

const sortUsedFirst = (lines: readonly Line[]): readonly Line[] =>
  lines.toSorted((a, b) => Number(b.isUsed) - Number(a.isUsed))

const linesOf = (defaults: readonly ProjectStage[], choices: readonly Choice[]): readonly Line[] =>
  stagesOf(defaults, choices).map((stage) => {
    const color = choices.find(({ workflowId }) => workflowId === stage.id)?.color ?? undefined
    return { stage, isUsed: stage.isUsed, color }
  })

/**
 * Saves each change at once, one after the other. Changed lines are shown until the list has them, so that
 * nothing flashes.
 */
function useStageChanges(
  projectId: string,
  defaults: readonly ProjectStage[],
  choices: readonly Choice[],
): { readonly lines: readonly Line[]; change(run: LinesChange): void } {
  const { api, toasts, tracker } = useServices()
  const [edited, setEdited] = useState<readonly Line[]>()
  const unsaved = useRef(0)
  const last = useRef(Promise.resolve())
  useEffect(() => {
    if (unsaved.current === 0) setEdited(undefined)
  }, [choices])
  const inTurn = (write: () => Promise<void>) => {
    unsaved.current += 1
    last.current = last.current
      .then(write)
      .catch((error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
      .then(() => {
        unsaved.current -= 1
        if (unsaved.current === 0) api.announce('projectStage')
      })
    return last.current
  }
  const load = async () => (await api.list('projectStage', { projectId, ...stagesQuery })).data
  /** Writes all stages in one batch, all or none. */
  const write = async (stored: readonly Choice[], next: readonly NewChoice[]) => {
    const items = itemsOf(projectId, next, stored)
    if (items.length > 0) await tracker.call('POST /ext/batch', { body: { mode: 'allOrNothing', items } })
  }
  const save = async (run: LinesChange) => {
    // Others may have chosen since the page was opened.
    const before = await load()
    const after = run(linesOf(defaults, before))
      .filter(({ isUsed }) => isUsed)
      .map(({ stage, color = null }) => ({ workflowId: stage.id, color }))
    await write(before, after)
    const undo = async () => {
      const current = await load()
      if (textOf(current) !== textOf(after)) throw new Error(t('It was changed or removed in the meantime.'))
      await write(current, before)
    }
    toasts.show({ kind: 'done', text: t('The stages were saved.'), undo: () => inTurn(undo) })
  }
  return {
    lines: edited ?? linesOf(defaults, choices),
    change(run) {
      setEdited((lines = linesOf(defaults, choices)) => {
        const next = run(lines)
        return next.some(({ isUsed }) => isUsed) ? next : lines
      })
      void inTurn(() => save(run))
    },
  }
}

type NewChoice = Pick<Choice, 'workflowId' | 'color'>

const textOf = (choices: readonly NewChoice[]): string =>
  JSON.stringify(choices.map(({ workflowId, color = null }) => [workflowId, color]))

/** Returns the writes that turn the stored rows into the next ones. */
function itemsOf(projectId: string, next: readonly NewChoice[], stored: readonly Choice[]) {
  const resource = 'projectStage' as const
  const kept = new Set(next.map(({ workflowId }) => workflowId))
  const removed = stored.filter(({ workflowId }) => !kept.has(workflowId)).map(({ id }) => id)
  const written = next.flatMap(({ workflowId, color = null }, order): BatchItem[] => {
    const body = { projectId, workflowId, order, color }
    const row = stored.find((choice) => choice.workflowId === workflowId)
    if (row === undefined) return [{ resource, operation: 'create', body }]
    const isSame = row.order === order && (row.color ?? null) === color
    return isSame ? [] : [{ resource, operation: 'update', body: { ...body, id: row.id } }]
  })
  const removal: BatchItem = { resource, operation: 'remove', body: { ids: removed } }
  return removed.length === 0 ? written : [removal, ...written]
}

interface StageRowProps {
  readonly line: Line
  readonly defaultColor: ColorName
  readonly isDone: boolean
  /** The extensions store the choices. */
  readonly isEditable: boolean
  /** A project uses at least one stage. */
  readonly isOnly: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  onChange(values: Partial<Line>): void
  onMove(steps: number): void
}

function StageRow(props: StageRowProps) {
  const { line, isDone, isEditable, isOnly, isFirst, isLast, onChange, onMove } = props
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
      <span class="color-dot" data-color={color ?? props.defaultColor} aria-hidden="true" />
      <span class={isUsed ? 'row-text' : 'row-text quiet-text'} dir="auto">
        {name}
      </span>
      {isDone && (
        <span class="chip">
          <Icon name="check" /> {t('Means done')}
        </span>
      )}
      {isEditable && isUsed && (
        <span class="row-buttons">
          <select
            class="input"
            aria-label={t('Color of {name}', { name })}
            value={color ?? ''}
            onChange={({ currentTarget }) =>
              onChange({ color: (currentTarget.value || undefined) as ColorName | undefined })
            }
          >
            {colorChoices.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {t(choice.name)}
              </option>
            ))}
          </select>
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
