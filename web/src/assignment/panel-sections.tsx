import { useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { SelectField, TextField } from '../forms/fields.tsx'
import { Form, useForm } from '../forms/form.tsx'
import { useServices } from '../services/services.ts'
import { inOneLine, type MessageKey, t } from '../texts/text.ts'
import { formatTimestamp } from '../time/days.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { ActivitySection } from './activity-section.tsx'
import { AttachFiles, AttachmentsSection } from './attachments-section.tsx'
import { Adder, Guard, type PanelData, PanelSection } from './panel-section.tsx'
import { TimeSection } from './recorded-hours.tsx'
import { type Relation, Relations } from './relations.tsx'

export interface PanelSectionsProps extends PanelData {
  readonly assignment: RecordOf<'assignment'>
  readonly stages: readonly ProjectStage[]
  onSaved(assignment: RecordOf<'assignment'>): void
}

/**
 * Shows the sections below the fields in groups: related assignments and controls that add something, time,
 * files, and activity. Their code is in the second script.
 */
export function PanelSections({ assignment, stages, onSaved, ...data }: PanelSectionsProps) {
  const { extensions } = useServices().configuration
  const { id: assignmentId } = assignment
  const [addedRelation, setAddedRelation] = useState<Relation>()
  const shared = { assignment, stages }
  return (
    <>
      <div class="panel-group">
        <Guard>
          {extensions && <Relations {...data} {...shared} addedRelation={addedRelation} onSaved={onSaved} />}
        </Guard>
        <div class="panel-adders">
          <Guard>
            {extensions && <NewPart {...shared} />}
            {extensions && <AddRelation onChoose={setAddedRelation} />}
            <ImpedimentsSection {...data} assignmentId={assignmentId} />
            {extensions && <AttachFiles assignmentId={assignmentId} />}
          </Guard>
        </div>
      </div>
      <div class="panel-group">
        <Guard>
          <TimeSection {...data} assignment={assignment} />
        </Guard>
      </div>
      <Guard>{extensions && <AttachmentsSection {...data} assignmentId={assignmentId} />}</Guard>
      <div class="panel-group">
        {extensions ? (
          <Guard>
            <ActivitySection {...data} assignment={assignment} />
          </Guard>
        ) : (
          <p class="quiet-text">
            {inOneLine(
              t('Created {time}', { time: formatTimestamp(assignment.createdAt) }),
              assignment.updatedAt && t('Changed {time}', { time: formatTimestamp(assignment.updatedAt) }),
            )}
          </p>
        )}
      </div>
    </>
  )
}

/** Adds parts by name. Each gets the dates, the type and the responsible person of the assignment. */
function NewPart({ assignment, stages }: Pick<PanelSectionsProps, 'assignment' | 'stages'>) {
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

const relations: Readonly<Record<Relation, MessageKey>> = {
  partOf: 'Part of…',
  waitsFor: 'Waits for…',
  blocks: 'Needed by…',
}

/** A menu that adds another assignment. */
const AddRelation = ({ onChoose }: { onChoose(relation: Relation): void }) => (
  <Menu
    label={t('Add a relation…')}
    class="button quiet"
    items={(Object.keys(relations) as Relation[]).map((relation) => ({
      label: t(relations[relation]),
      run: () => onChoose(relation),
    }))}
  >
    <Icon name="plus" />
    <span>{t('Add a relation…')}</span>
  </Menu>
)

/** Marks an assignment as blocked. Its open impediments are shown above the description. */
function ImpedimentsSection({
  assignmentId,
  impediments,
  kinds,
}: Pick<PanelData, 'impediments' | 'kinds'> & { readonly assignmentId: string }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <PanelSection name="impediments" title={t('Impediments')} isEmpty={!isAdding}>
      {isAdding ? (
        <NewImpediment assignmentId={assignmentId} kinds={kinds.rows} onClose={() => setAdding(false)} />
      ) : (
        <button type="button" class="button quiet" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          <span>{impediments.rows.length > 0 ? t('Add another impediment…') : t('Mark as blocked…')}</span>
        </button>
      )}
    </PanelSection>
  )
}

interface NewImpedimentProps {
  readonly assignmentId: string
  readonly kinds: readonly { readonly id: string; readonly name: string }[]
  onClose(): void
}

function NewImpediment({ assignmentId, kinds, onClose }: NewImpedimentProps) {
  const { api } = useServices()
  const form = useForm({
    draft: `impediment-${assignmentId}`,
    initial: { impedimentId: '', description: '' },
    async submit(values) {
      await api.create('assignmentImpediment', { ...values, assignmentId })
    },
  })
  return (
    <Form form={form} submitLabel={t('Add')} onCancel={onClose} onDone={onClose}>
      <SelectField form={form} name="impedimentId" label={t('Impediment')} required choices={kinds} />
      <TextField form={form} name="description" label={t('Note')} />
    </Form>
  )
}
