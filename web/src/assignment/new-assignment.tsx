import { useEffect } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { choosableStages } from '../data/project-stages.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { SelectField, TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { type FormState, useForm } from '../forms/use-form.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { addDays, daysBetween, isDay, today } from '../time/days.ts'
import { DayField } from '../ui/day-input.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DescriptionTextField } from '../ui/markdown-field.tsx'
import { PersonField } from '../ui/person-picker.tsx'
import { type AssignmentValues, bodyOf } from './assignment-values.ts'
import { NonMemberNote } from './in-place-fields.tsx'
import { priorityChoices } from './priority.ts'

export interface NewAssignmentDialogProps {
  readonly scope: { readonly projectId: string; readonly stages: readonly RecordOf<'workflow'>[] }
  onClose(): void
  onCreated?(assignment: RecordOf<'assignment'>): void
}

export function NewAssignmentDialog({ scope, onClose, onCreated }: NewAssignmentDialogProps) {
  const { projectId, stages } = scope
  const workflowId = stages[0]?.id ?? ''
  const { api, configuration, router, session, toasts } = useServices()
  const { extensions } = configuration
  const ownId = session.person.value?.id ?? ''
  const types = useListing('assignmentType', catalogQuery)
  // An empty form plans nothing. Without the extensions, every assignment has dates and a person.
  const { startDate, endDate } = extensions ? noDates : newAssignmentDefaults(projectId, workflowId, '')
  const initial: AssignmentValues = {
    name: '',
    description: '',
    workflowId,
    assignmentTypeId: lastTypeOf(types.rows, projectId) ?? '',
    userId: extensions ? '' : ownId,
    startDate,
    endDate,
    amountHours: '0',
    priority: '',
  }
  const form = useForm({
    draft: `new-assignment-${projectId}-${workflowId}`,
    initial,
    async submit(values) {
      const assignment = await api.create('assignment', bodyOf(values, projectId, { extensions, ownId }))
      rememberType(assignment.assignmentTypeId, projectId)
      onCreated?.(assignment)
      toasts.show({
        kind: 'done',
        text: t('{name} was created.', { name: assignment.name }),
        action: { label: t('Open'), run: () => router.go(assignmentPath(projectId, assignment.id)) },
      })
    },
  })
  // The types may arrive after the dialog.
  useEffect(() => form.follow(initial), [initial.assignmentTypeId])
  return (
    <Dialog title={t('New assignment')} onClose={onClose}>
      <Form form={form} submitLabel={t('Create assignment')} onCancel={onClose} onDone={onClose}>
        <AssignmentFields form={form} projectId={projectId} stages={stages} autofocus />
      </Form>
    </Dialog>
  )
}

export interface AssignmentFieldsProps {
  readonly projectId: string
  readonly form: FormState<AssignmentValues>
  readonly stages: readonly RecordOf<'workflow'>[]
  readonly autofocus?: boolean
}

/** Every field of a new assignment. */
function AssignmentFields({ form, projectId, stages, autofocus = false }: AssignmentFieldsProps) {
  const { extensions } = useServices().configuration
  const types = useListing('assignmentType', catalogQuery)
  const optionalDay = extensions
    ? { placeholder: t('No dates'), clearLabel: t('No dates') }
    : { required: true }
  /** A start after the end moves the end too, so that the duration stays the same. */
  const changeStart = (day: string) => {
    const { startDate, endDate } = form.values.peek()
    form.set('startDate', day)
    if (isDay(startDate) && isDay(day) && day > endDate)
      form.set('endDate', addDays(day, Math.max(0, daysBetween(startDate, endDate))))
  }
  return (
    <>
      <TextField form={form} name="name" label={t('Name')} required autofocus={autofocus} />
      <DescriptionTextField form={form} projectId={projectId} />
      <div class="field-pair">
        <SelectField
          form={form}
          name="workflowId"
          label={t('Stage')}
          required
          choices={choosableStages(stages)}
        />
        <SelectField form={form} name="assignmentTypeId" label={t('Type')} required choices={types.rows} />
      </div>
      <div class="field-pair">
        <DayField form={form} name="startDate" label={t('Start')} {...optionalDay} onChange={changeStart} />
        <DayField form={form} name="endDate" label={t('End')} {...optionalDay} />
      </div>
      <div class="field-pair">
        <PersonField
          form={form}
          name="userId"
          label={t('Responsible')}
          projectId={projectId}
          required={!extensions}
          {...(extensions && { offersNobody: true, placeholder: t('Nobody yet') })}
        />
        <TextField form={form} name="amountHours" label={t('Planned hours')} inputMode="decimal" required />
      </div>
      {extensions && (
        <SelectField form={form} name="priority" label={t('Priority')} choices={priorityChoices()} />
      )}
      <NonMemberNote projectId={projectId} userId={form.values.value.userId} />
    </>
  )
}

const noDates = { startDate: '', endDate: '' }

/** A new assignment with dates lasts a week, because most do. */
const defaultDays = 6
const typeKeyOf = (projectId: string) => `tracker.type.${projectId}`

/** Returns the values of a new assignment for which nothing was chosen. */
export const newAssignmentDefaults = (projectId: string, workflowId: string, userId: string) => ({
  startDate: today(),
  endDate: addDays(today(), defaultDays),
  amountHours: 0,
  projectId,
  workflowId,
  userId,
})

/** Returns the type used last in this browser for the project if it still exists, otherwise the first type. */
export function lastTypeOf(types: readonly { readonly id: string }[], projectId: string): string | undefined {
  const last = localStorage.getItem(typeKeyOf(projectId))
  return (types.find(({ id }) => id === last) ?? types[0])?.id
}

export const rememberType = (id: string, projectId: string): void =>
  localStorage.setItem(typeKeyOf(projectId), id)
