import type { RecordOf } from '../api/api.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { SelectField, TextAreaField, TextField } from '../forms/fields.tsx'
import type { FormState } from '../forms/use-form.ts'
import { PersonField } from '../ui/person-picker.tsx'
import type { AssignmentValues } from './assignment-values.ts'

export interface AssignmentFieldsProps {
  readonly form: FormState<AssignmentValues>
  readonly stages: readonly RecordOf<'workflow'>[]
  readonly autofocus?: boolean
}

/** Every field of an assignment, for new and old ones alike. */
export function AssignmentFields({ form, stages, autofocus = false }: AssignmentFieldsProps) {
  const types = useListing('assignmentType', catalogQuery)
  return (
    <>
      <TextField form={form} name="name" label="Name" required autofocus={autofocus} maxLength={200} />
      <TextAreaField form={form} name="description" label="Description" maxLength={2000} />
      <div class="field-pair">
        <SelectField form={form} name="workflowId" label="Stage" required choices={stages} />
        <SelectField form={form} name="assignmentTypeId" label="Type" required choices={types.rows} />
      </div>
      <div class="field-pair">
        <TextField form={form} name="startDate" label="Start" type="date" required />
        <TextField form={form} name="endDate" label="End" type="date" required />
      </div>
      <div class="field-pair">
        <PersonField form={form} name="userId" label="Responsible" required />
        <TextField form={form} name="amountHours" label="Planned hours" inputMode="decimal" required />
      </div>
    </>
  )
}
