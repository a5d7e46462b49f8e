import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { t } from '../texts/text.ts'
import type { FormState, FormValues } from './use-form.ts'

interface FormProps<Values extends FormValues> {
  readonly form: FormState<Values>
  readonly submitLabel: string
  readonly children: ComponentChildren
  readonly onCancel?: (() => void) | undefined
  readonly cancelLabel?: string
  /** True if nothing has changed. The buttons are hidden, because there is nothing to send. */
  readonly isIdle?: boolean
  /** True if the form cannot be submitted now; the reason is shown next to it. */
  readonly isDisabled?: boolean
  readonly onDone?: (() => void) | undefined
  /** Shown before the buttons. */
  readonly aside?: ComponentChildren
}

/**
 * Draws errors without a field, the fields, and the buttons. After an error, the focus moves to the errors
 * without a field or, if there are none, to the first invalid field.
 */
export function Form<Values extends FormValues>(props: FormProps<Values>) {
  const {
    form,
    submitLabel,
    children,
    onCancel,
    cancelLabel = t('Cancel'),
    isIdle = false,
    isDisabled = false,
    onDone,
    aside,
  } = props
  const element = useRef<HTMLFormElement>(null)
  const submit = async () => {
    if (isDisabled) return
    if (await form.submit()) return onDone?.()
    // The messages are rendered when `submit` resolves. Moving the focus later could interrupt typing.
    element.current?.querySelector<HTMLElement>('[aria-invalid=true], .form-problem')?.focus()
  }
  return (
    <form
      ref={element}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <GeneralErrors form={form} />
      {children}
      <div class={`form-buttons ${isIdle ? 'idle' : ''}`}>
        {aside}
        {onCancel && (
          <button
            type="button"
            class="button"
            onClick={() => {
              form.discard()
              onCancel()
            }}
          >
            {cancelLabel}
          </button>
        )}
        <button type="submit" class="button primary" aria-disabled={isDisabled || form.isBusy.value}>
          {form.isBusy.value ? t('Please wait…') : submitLabel}
        </button>
      </div>
    </form>
  )
}

/** Shows errors without a field, and errors of fields that this form does not have. */
function GeneralErrors<Values extends FormValues>({ form }: { readonly form: FormState<Values> }) {
  const fields = form.values.value
  const sentences = Object.entries(form.errors.value).flatMap(([name, messages]) =>
    name in fields ? [] : messages,
  )
  if (sentences.length === 0) return null
  return (
    <div class="form-problem" role="alert" tabIndex={-1}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  )
}
