import type { RecordOf } from '../api/api.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { AssignmentFields } from './assignment-fields.tsx'
import { type AssignmentValues, bodyOf } from './assignment-values.ts'
import { lastTypeOf, newAssignment, rememberType } from './new-assignment.ts'

export interface NewAssignmentDialogProps {
  readonly scope: { readonly projectId: string; readonly stages: readonly RecordOf<'workflow'>[] }
  onClose(): void
  onMade?(assignment: RecordOf<'assignment'>): void
}

export function NewAssignmentDialog({ scope, onClose, onMade }: NewAssignmentDialogProps) {
  const { projectId, stages } = scope
  const workflowId = stages[0]?.id ?? ''
  const { api, session, toasts } = useServices()
  const types = useListing('assignmentType', catalogQuery)
  const { startDate, endDate } = newAssignment(projectId, workflowId, '')
  const initial: AssignmentValues = {
    name: '',
    description: '',
    workflowId,
    assignmentTypeId: lastTypeOf(types.rows) ?? '',
    userId: session.person.value?.id ?? '',
    startDate,
    endDate,
    amountHours: '0',
  }
  const form = useForm({
    draft: `new-assignment-${projectId}-${workflowId}`,
    initial,
    async submit(values) {
      const assignment = await api.create('assignment', bodyOf(values, projectId))
      rememberType(assignment.assignmentTypeId)
      onMade?.(assignment)
      toasts.show({ kind: 'done', text: t('{name} was created.', { name: assignment.name }) })
    },
  })
  return (
    <Dialog title={t('New assignment')} onClose={onClose}>
      <Form form={form} submitLabel={t('Create assignment')} onCancel={onClose} onDone={onClose}>
        <AssignmentFields form={form} projectId={projectId} stages={stages} autofocus />
      </Form>
    </Dialog>
  )
}
