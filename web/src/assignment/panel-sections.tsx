import { useEffect, useRef, useState } from 'preact/hooks'
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
import { Guard, type PanelData } from './panel-section.tsx'
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
  const [openForm, setOpenForm] = useState<FormName>()
  const shared = { assignment, stages }
  const adders = useRef<HTMLFieldSetElement>(null)
  const close = () => {
    adders.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus()
    setOpenForm(undefined)
  }
  const formButtonProps = (name: FormName) => ({
    isOpen: openForm === name,
    onClick: () => setOpenForm(openForm === name ? undefined : name),
  })
  return (
    <>
      <div class="panel-group">
        <Guard>
          {extensions && <Relations {...data} {...shared} addedRelation={addedRelation} onSaved={onSaved} />}
        </Guard>
        <Guard>
          <fieldset ref={adders} class="panel-adders" aria-label={t('Add')}>
            {extensions && <FormButton {...formButtonProps('part')} label={t('Sub-assignment')} />}
            {extensions && <AddRelation onChoose={setAddedRelation} />}
            <FormButton {...formButtonProps('impediment')} label={t('Impediment')} />
            {extensions && <AttachFiles assignmentId={assignmentId} />}
          </fieldset>
          {openForm === 'part' && <NewPart {...shared} onClose={close} />}
          {openForm === 'impediment' && (
            <NewImpediment assignmentId={assignmentId} kinds={data.kinds.rows} onClose={close} />
          )}
        </Guard>
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

/** The forms that open below the buttons that add something. */
type FormName = 'part' | 'impediment'

interface FormButtonProps {
  readonly label: string
  readonly isOpen: boolean
  onClick(): void
}

/** Opens a form or closes it. If it closed when the focus leaves it, what the user clicks would move. */
const FormButton = ({ label, isOpen, onClick }: FormButtonProps) => (
  <button type="button" class="button quiet" aria-expanded={isOpen} onClick={onClick}>
    <Icon name="plus" />
    <span>{label}</span>
  </button>
)

interface NewPartProps extends Pick<PanelSectionsProps, 'assignment' | 'stages'> {
  onClose(): void
}

/** Adds parts by name. Each gets the dates, the type and the responsible person of the assignment. */
function NewPart({ assignment, stages, onClose }: NewPartProps) {
  const { api } = useServices()
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
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
      <input
        ref={field}
        class="input"
        dir="auto"
        aria-label={t('Name of the new sub-assignment')}
        placeholder={t('Add a sub-assignment…')}
        maxLength={limits.name}
        value={name}
        readOnly={isBusy}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          onClose()
        }}
      />
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

/** A menu that chooses the relation in which another assignment is added. */
const AddRelation = ({ onChoose }: { onChoose(relation: Relation): void }) => (
  <Menu
    label={t('Relation')}
    class="button quiet"
    items={(Object.keys(relations) as Relation[]).map((relation) => ({
      label: t(relations[relation]),
      run: () => onChoose(relation),
    }))}
  >
    <Icon name="plus" />
    <span>{t('Relation')}</span>
  </Menu>
)

interface NewImpedimentProps {
  readonly assignmentId: string
  readonly kinds: readonly { readonly id: string; readonly name: string }[]
  onClose(): void
}

/** Marks the assignment as blocked. Its open impediments are shown above the description. */
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
