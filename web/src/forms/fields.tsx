import { useRef } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { Api } from '../api/api.ts'
import { useServices } from '../services/services.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { addDays } from '../time/days.ts'
import { formatHours, hoursPerDay, sumHours } from '../time/hours.ts'
import { Field, type FieldProps, parseHours, reject } from './field.tsx'
import type { FormValues } from './form.tsx'

export interface TextFieldProps<Values extends FormValues> extends FieldProps<Values> {
  readonly type?: 'text' | 'password' | 'date' | 'email'
  readonly autocomplete?: string
  /**
   * The keyboard of phones. It is set for several mail addresses and for numbers. Numbers are typed in text
   * fields, because the mouse wheel would change the value of a number field.
   */
  readonly inputMode?: 'decimal' | 'numeric' | 'email'
  readonly placeholder?: string
}

export function TextField<Values extends FormValues>(props: TextFieldProps<Values>) {
  const { form, name, type = 'text', autocomplete = 'off', inputMode, placeholder } = props
  return (
    <Field {...props}>
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          type={type as 'text'}
          name={name}
          value={form.values.value[name]}
          maxLength={lengthMaxOf(name)}
          autocomplete={autocomplete}
          inputMode={inputMode}
          placeholder={placeholder}
          onInput={(event) => form.set(name, event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function TextAreaField<Values extends FormValues>(props: FieldProps<Values>) {
  const { form, name } = props
  return (
    <Field {...props}>
      {(attributes) => (
        <textarea
          {...attributes}
          class="input"
          name={name}
          rows={3}
          value={form.values.value[name]}
          maxLength={lengthMaxOf(name)}
          onInput={(event) => form.set(name, event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface Choice {
  readonly id: string
  readonly name: string
  /** Draws a dot of this color before the name. In the open list, only some browsers draw it. */
  readonly color?: string | null
}

export function SelectField<Values extends FormValues>(
  props: FieldProps<Values> & { readonly choices: readonly Choice[] },
) {
  const { form, name, choices } = props
  const value = form.values.value[name] ?? ''
  const chosen = choices.find(({ id }) => id === value)
  return (
    <Field {...props}>
      {(attributes) => (
        <span class="select-frame" data-color={chosen?.color ?? undefined}>
          <select
            {...attributes}
            class="input"
            name={name}
            value={value}
            onChange={(event) => form.set(name, event.currentTarget.value)}
          >
            {!chosen && <option value={value}>{value === '' ? t('Choose…') : '…'}</option>}
            {choices.map((choice) => (
              <option key={choice.id} value={choice.id} data-color={choice.color ?? undefined}>
                {choice.name}
              </option>
            ))}
          </select>
        </span>
      )}
    </Field>
  )
}

/** A select with translated choices. */
export const ChoiceField = <Values extends FormValues>(
  props: FieldProps<Values> & {
    readonly choices: readonly (Omit<Choice, 'name'> & { readonly name: MessageKey })[]
  },
) => <SelectField {...props} choices={props.choices.map((choice) => ({ ...choice, name: t(choice.name) }))} />

/** The name of a record. It is the first field of a dialog. */
export const NameField = <Values extends FormValues & { readonly name: string }>(
  props: Pick<FieldProps<Values>, 'form' | 'hint'>,
) => <TextField {...props} name="name" label={t('Name')} required autofocus />

/** Returns the API's limit for properties of this name. It is the same in all resources. */
const lengthMaxOf = (name: string): number | undefined =>
  name === 'currentPassword' ? limits.password : (limits as Readonly<Record<string, number>>)[name]

interface OtherHours {
  /** The hours of the same person in other entries of the day. */
  readonly others: number
  /** The hours that the entry has had until now. Fewer hours are always accepted. */
  readonly previous?: number
}

/**
 * Returns a question if the day would have more than 24 hours. Hours that were questioned are accepted when
 * they are confirmed.
 */
export function useHoursQuestion() {
  const lastQuestion = useRef<string>(undefined)
  return (
    hours: number,
    field: string,
    { others, previous = 0 }: OtherHours,
    isConfirmed: boolean,
  ): string | undefined => {
    const sum = sumHours([{ amountHours: hours }, { amountHours: others }])
    const question = `${field} ${hours} ${sum}`
    const isTooMuch = sum > hoursPerDay && hours > previous
    if (!isTooMuch || (isConfirmed && lastQuestion.current === question)) return undefined
    lastQuestion.current = question
    return t('{hours} on one day? Confirm once more if that is right.', { hours: formatHours(sum) })
  }
}

interface EntryOfHours {
  readonly userId: string
  readonly day: string
  readonly previous?: number
}

/**
 * Parses the hours of a form. If the day would have more than 24, they are rejected at first, and accepted when
 * they are submitted again.
 */
export function useHoursOfDay() {
  const { api } = useServices()
  const questionOf = useHoursQuestion()
  return async (
    text: string,
    field: string,
    { userId, day, previous = 0 }: EntryOfHours,
  ): Promise<number> => {
    const hours = parseHours(text, field)
    const others = Math.max(0, (await loadHoursOfDay(api, userId, day)) - previous)
    const question = questionOf(hours, field, { others, previous }, true)
    return question === undefined ? hours : reject({ [field]: [question] })
  }
}

/** Sums the hours that a person has recorded on a day, or returns 0 if the server cannot be asked. */
async function loadHoursOfDay(api: Api, userId: string, day: string): Promise<number> {
  try {
    const query = { userId, dateFrom: day, dateTo: addDays(day, 1), pageSize: limits.pageSize }
    const { data } = await api.list('appointment', query)
    return sumHours(data)
  } catch {
    return 0
  }
}
