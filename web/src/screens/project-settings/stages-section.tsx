import { useEffect, useState } from 'preact/hooks'
import type { BatchItem } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import { type ColorName, colorIn, type ProjectStage, useProjectStages } from '../../data/project-stages.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Icon, IconButton } from '../../ui/icon.tsx'

/** A stage as the form shows it. Without a color of its own it has the default color. */
interface Line {
  readonly stage: ProjectStage
  readonly isUsed: boolean
  readonly color: ColorName | undefined
}

/** Chooses the stages of a project, with their order and colors. Administrators change the stages themselves, for all projects. */
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
      {!isLoading && <StagesForm projectId={projectId} stages={stages} choices={choices} />}
      {session.person.value?.isAdministrator && (
        <p>
          <a href="/administration/workflows">{t('Change the stages…')}</a>
        </p>
      )}
    </section>
  )
}

interface StagesFormProps {
  readonly projectId: string
  readonly stages: readonly ProjectStage[]
  readonly choices: readonly RecordOf<'projectStage'>[]
}

function StagesForm({ projectId, stages, choices }: StagesFormProps) {
  const { configuration } = useServices()
  const [edited, setEdited] = useState<readonly Line[]>()
  const doneIds = doneStagesOf(projectId, stages)
  const defaults = useProjectStages(undefined).stages
  const stored = stages.map((stage): Line => {
    const color = choices.find(({ workflowId }) => workflowId === stage.id)?.color ?? undefined
    return { stage, isUsed: stage.isUsed, color }
  })
  const saving = useSaving(projectId, choices, () => setEdited(undefined))
  const lines = edited ?? stored
  const used = lines.filter(({ isUsed }) => isUsed)
  const change = (id: string, values: Partial<Line>) =>
    setEdited(sortUsedFirst(lines.map((line) => (line.stage.id === id ? { ...line, ...values } : line))))
  const move = (from: number, to: number) => {
    const next = [...lines]
    next.splice(to, 0, ...next.splice(from, 1))
    setEdited(next)
  }
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
            onChange={(values) => change(line.stage.id, values)}
            onMove={(steps) => move(index, index + steps)}
          />
        ))}
      </ol>
      <p class="field-errors" role="alert">
        {saving.problem}
      </p>
      {(edited || choices.length > 0) && (
        <div class="form-buttons">
          {edited && (
            <>
              <button
                type="button"
                class="button primary"
                aria-disabled={saving.isBusy}
                onClick={() => void saving.save(used)}
              >
                {t('Save the stages')}
              </button>
              <button type="button" class="button" onClick={() => setEdited(undefined)}>
                {t('Cancel')}
              </button>
            </>
          )}
          {choices.length > 0 && (
            <button type="button" class="button quiet" onClick={() => void saving.save([])}>
              {t('Use all stages again')}
            </button>
          )}
        </div>
      )}
    </>
  )
}

const sortUsedFirst = (lines: readonly Line[]): readonly Line[] =>
  lines.toSorted((a, b) => Number(b.isUsed) - Number(a.isUsed))

/** Saves all stages in one batch, all or none. The edited lines stay until the list has them, so that nothing flashes. */
function useSaving(projectId: string, choices: StagesFormProps['choices'], onShown: () => void) {
  const { api, toasts, tracker } = useServices()
  const [isBusy, setBusy] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    if (!isSaved) return
    setSaved(false)
    onShown()
  }, [choices])
  return {
    isBusy,
    problem,
    async save(used: readonly Line[]) {
      if (isBusy) return
      setBusy(true)
      setProblem(undefined)
      try {
        // Others may have chosen since the page was opened.
        const { data } = await api.list('projectStage', { projectId, pageSize: 100 })
        const items = itemsOf(projectId, used, data)
        if (items.length > 0) await tracker.call('POST /ext/batch', { body: { mode: 'allOrNothing', items } })
        setSaved(true)
        api.announce('projectStage')
        toasts.show({ kind: 'done', text: t('The stages were saved.') })
      } catch (error) {
        setProblem(sentenceOf(error))
      }
      setBusy(false)
    },
  }
}

/** The writes that turn the stored rows into the used stages. */
function itemsOf(projectId: string, used: readonly Line[], stored: readonly RecordOf<'projectStage'>[]) {
  const resource = 'projectStage' as const
  const kept = new Set(used.map(({ stage }) => stage.id))
  const removed = stored.filter(({ workflowId }) => !kept.has(workflowId)).map(({ id }) => id)
  const written = used.flatMap(({ stage, color = null }, order): BatchItem[] => {
    const body = { projectId, workflowId: stage.id, order, color }
    const row = stored.find(({ workflowId }) => workflowId === stage.id)
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
