import { Field, type FieldProps } from '../forms/fields.tsx'
import type { FormValues } from '../forms/use-form.ts'
import { DayInput } from './day-input.tsx'

/** A day as a field of a form. */
export function DayField<Values extends FormValues>(
  props: FieldProps<Values> & { onChange?(day: string): void },
) {
  const { form, name, label, onChange = (day: string) => form.set(name, day) } = props
  return (
    <Field {...props}>
      {(attributes) => (
        <DayInput
          attributes={{ ...attributes }}
          label={label}
          value={form.values.value[name] ?? ''}
          onChange={onChange}
        />
      )}
    </Field>
  )
}
