import { useEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { deleteDraft } from '../forms/drafts.ts'
import { TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DescriptionTextField } from '../ui/markdown-field.tsx'
import { addLabels } from './add-labels.ts'
import { bodyOf, lastTypeOf, newAssignmentDefaults, rememberType } from './assignment-values.ts'
import { NonMemberNote } from './in-place-fields.tsx'
import { type NewAssignmentValues, PropertyChips } from './new-assignment-chips.tsx'

export interface NewAssignmentDialogProps {
  readonly scope: { readonly projectId: string; readonly stages: readonly RecordOf<'workflow'>[] }
  /** Replaces the name of a draft. */
  readonly name?: string | undefined
  onClose(): void
  onCreated?(assignment: RecordOf<'assignment'>): void
}

export function NewAssignmentDialog(props: NewAssignmentDialogProps) {
  const { scope, name, onClose } = props
  const { projectId, stages } = scope
  const element = useRef<HTMLDivElement>(null)
  const [staysOpen, setStaysOpen] = useState(localStorage.getItem(staysOpenKey) === 'true')
  const { form, draft } = useNewAssignmentForm(props)
  useEffect(() => {
    if (name !== undefined) form.set('name', name)
  }, [name])
  /** Keeps the properties, which the next assignment often shares. */
  const goOn = () => {
    form.set('name', '')
    form.set('description', '')
    deleteDraft(draft)
    element.current?.querySelector<HTMLElement>('[name=name]')?.focus()
  }
  return (
    <Dialog title={t('New assignment')} onClose={onClose}>
      <div ref={element} class="new-assignment">
        <Form
          form={form}
          submitLabel={t('Create assignment')}
          onCancel={onClose}
          onDone={staysOpen ? goOn : onClose}
          aside={
            <label class="check-line">
              <input
                type="checkbox"
                checked={staysOpen}
                onChange={({ currentTarget: { checked } }) => {
                  localStorage.setItem(staysOpenKey, String(checked))
                  setStaysOpen(checked)
                }}
              />
              {t('Create another')}
            </label>
          }
        >
          <TextField
            form={form}
            name="name"
            label={t('Name')}
            placeholder={t('Name of the assignment')}
            required
            autofocus
            isLabelHidden
          />
          <DescriptionTextField form={form} projectId={projectId} isLabelHidden />
          <PropertyChips form={form} projectId={projectId} stages={stages} />
          <NonMemberNote projectId={projectId} userId={form.values.value.userId} />
        </Form>
      </div>
    </Dialog>
  )
}

/** The choice is that of the browser, for every project. */
const staysOpenKey = 'tracker.create-another'

/** The form keeps what was typed until it is sent or cancelled. */
function useNewAssignmentForm({ scope, onCreated }: NewAssignmentDialogProps) {
  const { projectId, stages } = scope
  const workflowId = stages[0]?.id ?? ''
  const services = useServices()
  const { api, configuration, router, session, toasts } = services
  const { extensions } = configuration
  const ownId = session.person.value?.id ?? ''
  const types = useListing('assignmentType', catalogQuery)
  // An empty form plans nothing. Without the extensions, every assignment has dates and a person.
  const { startDate, endDate } = extensions ? noDates : newAssignmentDefaults(projectId, workflowId, '')
  const initial: NewAssignmentValues = {
    name: '',
    description: '',
    workflowId,
    assignmentTypeId: lastTypeOf(types.rows, projectId) ?? '',
    userId: extensions ? '' : ownId,
    startDate,
    endDate,
    amountHours: '0',
    priority: '',
    labelIds: '',
  }
  const draft = `new-assignment-${projectId}-${workflowId}`
  const form = useForm({
    draft,
    initial,
    async submit({ labelIds, ...values }) {
      const assignment = await api.create('assignment', bodyOf(values, projectId, { extensions, ownId }))
      await addLabels(services, assignment.id, labelIds.split(' ').filter(Boolean))
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
  return { form, draft }
}

const noDates = { startDate: '', endDate: '' }
