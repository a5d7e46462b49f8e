import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import { type FieldErrors, withFieldLabel } from '../api/problems.ts'
import { t } from '../texts/text.ts'
import { parseDuration } from '../time/hours.ts'
import type { FormState, FormValues } from './form.tsx'

export interface FieldProps<Values extends FormValues> {
  readonly form: FormState<Values>
  readonly name: keyof Values & string
  readonly label: string
  /** One sentence below the label. */
  readonly hint?: string
  readonly required?: boolean
  /** Takes the focus when its dialog opens. */
  readonly autofocus?: boolean
  /** Shows the label only to screen readers, for a field that needs no visible label. */
  readonly isLabelHidden?: boolean
}

/** Connects a control with its label, hint and messages. */
export interface ControlAttributes {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: 'true'
  readonly 'aria-required'?: 'true'
  readonly 'data-autofocus'?: ''
}

export function Field<Values extends FormValues>(
  props: FieldProps<Values> & {
    /** Whether the control needs the whole width of a row of settings. */
    readonly isWide?: boolean
    readonly children: (attributes: ControlAttributes) => ComponentChildren
  },
) {
  const { form, name, label, hint, required = false, autofocus = false, isLabelHidden = false } = props
  const id = useId()
  const messages = (form.errors.value[name] ?? []).map((message) => withFieldLabel(label, name, message))
  const describedBy = [...(hint ? [`${id}-hint`] : []), ...(messages.length > 0 ? [`${id}-errors`] : [])]
  return (
    <div class={`field ${props.isWide ? 'wide' : ''}`}>
      <label for={id} class={isLabelHidden ? 'visually-hidden' : ''}>
        {label}
        {!required && <span class="field-optional"> {t('(optional)')}</span>}
      </label>
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {props.children({
        id,
        ...(describedBy.length > 0 && { 'aria-describedby': describedBy.join(' ') }),
        ...(messages.length > 0 && { 'aria-invalid': 'true' }),
        ...(required && { 'aria-required': 'true' }),
        ...(autofocus && { 'data-autofocus': '' }),
      })}
      {messages.length > 0 && (
        <p class="field-errors" id={`${id}-errors`} role="alert">
          {messages.join(' ')}
        </p>
      )}
    </div>
  )
}

/** Throws the errors of a form's own checks in the format of the API's errors. */
export const reject = (errors: FieldErrors): never => {
  throw new TrackerError(400, t('Please correct the fields below.'), { errors })
}

/** Parses typed hours, or rejects them with a message for the field. */
export function parseHours(text: string, field: string): number {
  // Blank text is left out of the request, so that the API reports the field as missing in its own words.
  if (text.trim() === '') return undefined as never
  return (
    parseDuration(text) ??
    reject({ [field]: [t('Enter hours as a number, such as 1.5, 1:30, 1h30 or 90m.')] })
  )
}
