import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { SelectField, TextField } from '../forms/fields.tsx'
import { Form, useForm } from '../forms/form.tsx'
import type { Upload } from '../services/files.ts'
import { useRemoval, useServices } from '../services/services.ts'
import { inOneLine, locale, type MessageKey, t } from '../texts/text.ts'
import { formatTimestamp } from '../time/days.ts'
import { AttachmentImage, FileMark, isImageType, useSaveAttachment } from '../ui/files.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { LoadProblem } from '../ui/page-states.tsx'
import { ActivitySection } from './activity-section.tsx'
import { PanelForm } from './panel-form.tsx'
import { Guard, type PanelData, PanelSection } from './panel-section.tsx'
import { TimeSection } from './recorded-hours.tsx'
import { type Relation, Relations } from './relations.tsx'

type Attachment = RecordOf<'attachment'>

interface AttachmentsSectionProps extends Pick<PanelData, 'attachments'> {
  readonly assignmentId: string
}

/** Lists the files of an assignment and the files that are being uploaded. */
export function AttachmentsSection({ assignmentId, attachments }: AttachmentsSectionProps) {
  const { files } = useServices()
  const uploads = files.uploads.value.filter((upload) => upload.assignmentId === assignmentId)
  if (attachments.rows.length === 0 && uploads.length === 0 && !attachments.problem) return null
  return (
    <div class="panel-group">
      <PanelSection name="attachments" title={t('Attachments')} isEmpty={false}>
        {attachments.problem && attachments.rows.length === 0 && (
          <LoadProblem problem={attachments.problem} onRetry={attachments.reload} />
        )}
        <ul class="rows">
          {attachments.rows.map((row) => (
            <AttachmentRow key={row.id} attachment={row} />
          ))}
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
        {attachments.isCut && <p class="quiet-text">{t('Only the first 500 are shown.')}</p>}
      </PanelSection>
    </div>
  )
}

/** A button that adds files. */
export function AttachFiles({ assignmentId }: Pick<AttachmentsSectionProps, 'assignmentId'>) {
  const { configuration, files } = useServices()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('Files to attach')}
        onChange={({ currentTarget }) => {
          for (const file of currentTarget.files ?? []) void files.upload(assignmentId, file)
          currentTarget.value = ''
        }}
      />
      <button
        type="button"
        class="button quiet"
        data-tool="files"
        title={t('Or drop them here, or paste them into a text. Any type, up to {count} MB each.', {
          count: configuration.fileMegabytes,
        })}
        onClick={() => input.current?.click()}
      >
        <Icon name="plus" />
        <span>{t('Files')}</span>
      </button>
    </>
  )
}

/** Larger images have no preview, because it would download the whole file. */
const previewBytesMax = 5 * 1024 ** 2

function AttachmentRow({ attachment }: { readonly attachment: Attachment }) {
  const { id, name, type, size, userId, createdAt } = attachment
  const { people } = useServices()
  const remove = useRemoval()
  const save = useSaveAttachment(attachment)
  return (
    <li class="row removable-row">
      {isImageType(type) && size <= previewBytesMax ? (
        <AttachmentImage id={id} name={name} isSmall />
      ) : (
        <FileMark />
      )}
      <span class="row-text">
        <button
          type="button"
          class="link-button"
          aria-label={t('Download {name}', { name })}
          title={t('Download {name}', { name })}
          onClick={save}
        >
          <span dir="auto">{name}</span>
        </button>
        <span class="quiet-text line">
          {inOneLine(formatBytes(size), people.nameOf(userId), formatTimestamp(createdAt))}
        </span>
      </span>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('Remove {name}', { name })}
        onClick={() => void remove('attachment', id, name)}
      >
        <Icon name="trash" />
      </button>
    </li>
  )
}

function UploadRow({ upload: { id, file, progress, problem } }: { readonly upload: Upload }) {
  const { files } = useServices()
  const { name } = file
  return (
    <li class="row">
      <span class="row-text">
        <span dir="auto">{name}</span>
        {problem === undefined ? (
          <progress class="line" aria-label={t('Upload of {name}', { name })} value={progress} />
        ) : (
          <span class="field-errors line" role="alert">
            {problem}
          </span>
        )}
      </span>
      {problem !== undefined && (
        <button type="button" class="button" onClick={() => files.retry(id)}>
          {t('Try again')}
        </button>
      )}
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('Cancel the upload of {name}', { name })}
        onClick={() => files.cancel(id)}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

const units = ['byte', 'kilobyte', 'megabyte'] as const

function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1024 ** power)
}

export interface PanelSectionsProps extends PanelData {
  readonly assignment: RecordOf<'assignment'>
  readonly stages: readonly ProjectStage[]
  /** True if only the assignment is known, without its lists. */
  readonly isPartial: boolean
  onSaved(assignment: RecordOf<'assignment'>): void
}

/**
 * Shows the sections below the fields in groups: related assignments and controls that add something, time,
 * files, and activity. Their code is in the second script.
 */
export function PanelSections({ assignment, stages, isPartial, onSaved, ...data }: PanelSectionsProps) {
  const { extensions } = useServices().configuration
  const { id: assignmentId } = assignment
  const [openForm, setOpenForm] = useState<FormName>()
  const shared = { assignment, stages, onClose: () => setOpenForm(undefined) }
  const formButtonProps = (name: FormName) => ({
    name,
    isOpen: openForm === name,
    onClick: () => setOpenForm(openForm === name ? undefined : name),
  })
  const time = (
    <div class="panel-group">
      <Guard>
        <TimeSection appointments={isPartial ? undefined : data.appointments} assignment={assignment} />
      </Guard>
    </div>
  )
  if (isPartial) return time
  return (
    <>
      <div class="panel-group">
        <Guard>
          {extensions && <Relations {...data} {...shared} openForm={openForm} onSaved={onSaved} />}
        </Guard>
        <Guard>
          <fieldset class="panel-adders" aria-label={t('Add')}>
            {extensions && <FormButton {...formButtonProps('part')} label={t('Sub-assignment')} />}
            {extensions && <AddRelation onChoose={setOpenForm} />}
            <FormButton {...formButtonProps('impediment')} label={t('Impediment')} />
            {extensions && <AttachFiles assignmentId={assignmentId} />}
          </fieldset>
          {openForm === 'part' && <NewPart {...shared} />}
          {openForm === 'impediment' && <NewImpediment {...shared} kinds={data.kinds.rows} />}
        </Guard>
      </div>
      {time}
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

/** The forms that the buttons that add something open. */
type FormName = 'part' | 'impediment' | Relation

interface FormButtonProps {
  readonly name: FormName
  readonly label: string
  readonly isOpen: boolean
  onClick(): void
}

/** Opens a form or closes it. If it closed when the focus leaves it, what the user clicks would move. */
const FormButton = ({ name, label, isOpen, onClick }: FormButtonProps) => (
  <button type="button" class="button quiet" data-tool={name} aria-expanded={isOpen} onClick={onClick}>
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
    <PanelForm onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        <input
          data-autofocus
          class="input"
          dir="auto"
          aria-label={t('Name of the new sub-assignment')}
          placeholder={t('Add a sub-assignment…')}
          maxLength={limits.name}
          value={name}
          readOnly={isBusy}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        {problem && (
          <p class="field-errors" role="alert">
            {problem}
          </p>
        )}
      </form>
    </PanelForm>
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
  readonly assignment: RecordOf<'assignment'>
  readonly kinds: readonly { readonly id: string; readonly name: string }[]
  onClose(): void
}

/** Marks the assignment as blocked. Its open impediments are shown above the description. */
function NewImpediment({ assignment, kinds, onClose }: NewImpedimentProps) {
  const { api } = useServices()
  const assignmentId = assignment.id
  const form = useForm({
    draft: `impediment-${assignmentId}`,
    initial: { impedimentId: '', description: '' },
    async submit(values) {
      await api.create('assignmentImpediment', { ...values, assignmentId })
    },
  })
  return (
    <PanelForm onClose={onClose}>
      <Form form={form} submitLabel={t('Add')} onCancel={onClose} onDone={onClose}>
        <SelectField
          form={form}
          name="impedimentId"
          label={t('Impediment')}
          required
          autofocus
          choices={kinds}
        />
        <TextField form={form} name="description" label={t('Note')} />
      </Form>
    </PanelForm>
  )
}

export interface MissingAssignmentProps {
  readonly assignment: RecordOf<'assignment'> | undefined
  onRestored(): void
}

/** Replaces an assignment that was removed, or that the user may no longer see. */
export function MissingAssignment({ assignment, onRestored }: MissingAssignmentProps) {
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
