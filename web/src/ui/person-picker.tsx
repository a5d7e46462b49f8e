import { Field, type FieldProps } from '../forms/fields.tsx'
import type { FormValues } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { Combobox } from './combobox.tsx'

export interface PersonPickerProps {
  readonly label: string
  readonly placeholder?: string
  /** The id of the person chosen, if any. */
  readonly value?: string
  readonly id?: string
  readonly attributes?: Readonly<Record<string, string>>
  onChoose(id: string): void
}

/** Finds a person by name, among those the caller may know. */
export function PersonPicker({
  label,
  placeholder = 'Name',
  value = '',
  onChoose,
  ...rest
}: PersonPickerProps) {
  const { people } = useServices()
  return (
    <Combobox
      {...rest}
      label={label}
      placeholder={placeholder}
      chosen={value === '' ? '' : people.nameOf(value)}
      find={(text, signal) => people.search(text, signal)}
      onChoose={(person) => onChoose(person.id)}
    />
  )
}

/** The same as a field of a form. */
export function PersonField<Values extends FormValues>(props: FieldProps<Values>) {
  const { form, name, label } = props
  return (
    <Field {...props}>
      {({ id, ...attributes }) => (
        <PersonPicker
          id={id}
          label={label}
          attributes={attributes}
          value={form.values.value[name] ?? ''}
          onChoose={(person) => form.set(name, person)}
        />
      )}
    </Field>
  )
}
