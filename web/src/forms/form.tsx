import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { t } from '../texts/text.ts'
import type { FormState, FormValues } from './use-form.ts'

export interface FormProps<Values extends FormValues> {
  readonly form: FormState<Values>
  readonly submitLabel: string
  readonly children: ComponentChildren
  readonly onCancel?: (() => void) | undefined
  readonly cancelLabel?: string
  /** Nothing is changed, so there is nothing to send: the buttons are hidden. */
  readonly isIdle?: boolean
  /** It cannot be sent now; why stands beside it. */
  readonly isOff?: boolean
  readonly onDone?: (() => void) | undefined
}

/** Fields, what is wrong with them, and the buttons. After a refusal the focus goes to the first wrong field. */
export function Form<Values extends FormValues>(props: FormProps<Values>) {
  const {
    form,
    submitLabel,
    children,
    onCancel,
    cancelLabel = t('Cancel'),
    isIdle = false,
    isOff = false,
    onDone,
  } = props
  const element = useRef<HTMLFormElement>(null)
  const submit = async () => {
    if (isOff) return
    if (await form.submit()) return onDone?.()
    // The messages are drawn by now. The focus moves at once: later it would interrupt what the person types next.
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
      <GeneralErrors form={form} element={element} />
      {children}
      <div class={`form-buttons ${isIdle ? 'idle' : ''}`}>
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
        <button type="submit" class="button primary" aria-disabled={isOff || form.isBusy.value}>
          {form.isBusy.value ? t('One moment…') : submitLabel}
        </button>
      </div>
    </form>
  )
}

interface GeneralErrorsProps<Values extends FormValues> {
  readonly form: FormState<Values>
  readonly element: { readonly current: HTMLFormElement | null }
}

/** What belongs to no field, and what belongs to a field this form does not show. */
function GeneralErrors<Values extends FormValues>({ form }: GeneralErrorsProps<Values>) {
  const known = form.values.value
  const sentences = Object.entries(form.errors.value).flatMap(([name, messages]) =>
    name in known ? [] : messages,
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
