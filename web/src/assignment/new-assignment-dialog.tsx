import type { RecordOf } from '../api/api.ts'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { addDays, today } from '../time/days.ts'
import { Dialog } from '../ui/dialog.tsx'
import { AssignmentFields } from './assignment-fields.tsx'
import { type AssignmentValues, bodyOf } from './assignment-values.ts'

export interface NewAssignmentDialogProps {
  readonly projectId: string
  readonly workflowId: string
  readonly stages: readonly RecordOf<'workflow'>[]
  onClose(): void
}

/** A week is what most things take. */
const daysByDefault = 6

export function NewAssignmentDialog({ projectId, workflowId, stages, onClose }: NewAssignmentDialogProps) {
  const { api, session, toasts } = useServices()
  const initial: AssignmentValues = {
    name: '',
    description: '',
    workflowId,
    assignmentTypeId: '',
    userId: session.person.value?.id ?? '',
    startDate: today(),
    endDate: addDays(today(), daysByDefault),
    amountHours: '',
  }
  const form = useForm({
    draft: `new-assignment-${projectId}`,
    initial,
    async submit(values) {
      const assignment = await api.create('assignment', bodyOf(values, projectId))
      toasts.show({ kind: 'done', text: `${assignment.name} was created.` })
    },
  })
  return (
    <Dialog title="New assignment" onClose={onClose}>
      <Form form={form} submitLabel="Create assignment" onCancel={onClose} onDone={onClose}>
        <AssignmentFields form={form} stages={stages} autofocus />
      </Form>
    </Dialog>
  )
}
