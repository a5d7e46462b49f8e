import { useEffect } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { AssignmentFields } from './assignment-fields.tsx'
import { bodyOf, valuesOf } from './assignment-values.ts'

export interface AssignmentFormProps {
  readonly assignment: RecordOf<'assignment'>
  readonly stages: readonly RecordOf<'workflow'>[]
}

/** The fields follow what others change, except those being typed in; saving sends what one sees. */
export function AssignmentForm({ assignment, stages }: AssignmentFormProps) {
  const { api, toasts } = useServices()
  const form = useForm({
    draft: `assignment-${assignment.id}`,
    initial: valuesOf(assignment),
    async submit(values) {
      const { id, projectId } = assignment
      await api.update('assignment', { ...bodyOf(values, projectId, assignment), id })
      form.follow(values)
      toasts.show({ kind: 'done', text: `${values.name} was saved.` })
    },
  })
  useEffect(() => form.follow(valuesOf(assignment)), [form, assignment])
  return (
    <Form
      form={form}
      submitLabel="Save"
      cancelLabel="Discard changes"
      isIdle={!form.isChanged.value}
      onCancel={() => undefined}
    >
      <AssignmentFields form={form} stages={stages} />
    </Form>
  )
}
