import type { RecordOf } from '../api/api.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { SelectField, TextAreaField, TextField } from '../forms/fields.tsx'
import type { FormState } from '../forms/use-form.ts'
import { t } from '../texts/text.ts'
import { addDays, daysBetween, isDay } from '../time/days.ts'
import { DayField } from '../ui/day-field.tsx'
import { PersonField } from '../ui/person-picker.tsx'
import type { AssignmentValues } from './assignment-values.ts'
import { NotAMember } from './in-place-fields.tsx'

export interface AssignmentFieldsProps {
  readonly projectId: string
  readonly form: FormState<AssignmentValues>
  readonly stages: readonly RecordOf<'workflow'>[]
  readonly autofocus?: boolean
}

/** Every field of a new assignment. */
export function AssignmentFields({ form, projectId, stages, autofocus = false }: AssignmentFieldsProps) {
  const types = useListing('assignmentType', catalogQuery)
  /** A start behind the end takes it along: as many days as before. */
  const startOn = (day: string) => {
    const { startDate, endDate } = form.values.peek()
    form.set('startDate', day)
    if (isDay(startDate) && isDay(day) && day > endDate)
      form.set('endDate', addDays(day, Math.max(0, daysBetween(startDate, endDate))))
  }
  return (
    <>
      <TextField form={form} name="name" label={t('Name')} required autofocus={autofocus} />
      <TextAreaField form={form} name="description" label={t('Description')} />
      <div class="field-pair">
        <SelectField form={form} name="workflowId" label={t('Stage')} required choices={stages} />
        <SelectField form={form} name="assignmentTypeId" label={t('Type')} required choices={types.rows} />
      </div>
      <div class="field-pair">
        <DayField form={form} name="startDate" label={t('Start')} required onChange={startOn} />
        <DayField form={form} name="endDate" label={t('End')} required />
      </div>
      <div class="field-pair">
        <PersonField form={form} name="userId" label={t('Responsible')} projectId={projectId} required />
        <TextField form={form} name="amountHours" label={t('Planned hours')} inputMode="decimal" required />
      </div>
      <NotAMember projectId={projectId} userId={form.values.value.userId} />
    </>
  )
}
