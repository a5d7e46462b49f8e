import { useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { untilText } from '../data/planned.ts'
import { useListing } from '../data/use-listing.ts'
import { useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { Combobox } from '../ui/combobox.tsx'
import { LoadProblem } from '../ui/notes.tsx'
import { doneStagesOf, findInProject } from './assignment-values.ts'
import { Adder, PanelSection } from './panel-section.tsx'
import { RelatedRow, type Relation } from './related-row.tsx'
import type { PanelData } from './use-panel-data.ts'

type Assignment = RecordOf<'assignment'>

interface PartsSectionProps extends Pick<PanelData, 'parts'> {
  /** The relation whose input field the user has opened. */
  readonly addedRelation: Relation | undefined
  readonly assignment: Assignment
  readonly stages: readonly RecordOf<'workflow'>[]
  onSaved(assignment: Assignment): void
}

/** Shows the assignment that this one is a part of, and its own parts. */
export function PartsSection({ assignment, stages, parts, addedRelation, onSaved }: PartsSectionProps) {
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
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  const lineOf = (part: Assignment) =>
    inOneLine(stages.find(({ id }) => id === part.workflowId)?.name, untilText(part))
  const isAdding = !parent && addedRelation === 'partOf'
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
      )}
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </PanelSection>
  )
}

/** Adds parts by name. Each gets the dates, the type and the responsible person of the assignment. */
export function NewPart({ assignment, stages }: Pick<PartsSectionProps, 'assignment' | 'stages'>) {
  const { api } = useServices()
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const add = async () => {
    if (isBusy || name.trim() === '') return
    const { id: parentId, projectId, userId, assignmentTypeId, startDate, endDate } = assignment
    const { isUnscheduled, isUnassigned } = assignment
    const workflowId = stages[0]?.id ?? assignment.workflowId
    setBusy(true)
    setProblem(undefined)
    try {
      const shared = {
        projectId,
        userId,
        assignmentTypeId,
        startDate,
        endDate,
        workflowId,
        isUnscheduled,
        isUnassigned,
      }
      await api.create('assignment', { ...shared, name, amountHours: 0, parentId })
      setName('')
    } catch (error) {
      setProblem(sentenceOf(error))
    }
    setBusy(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Adder>
        <input
          class="input"
          dir="auto"
          aria-label={t('Name of the new sub-assignment')}
          placeholder={t('Add a sub-assignment…')}
          maxLength={limits.name}
          value={name}
          readOnly={isBusy}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Adder>
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
