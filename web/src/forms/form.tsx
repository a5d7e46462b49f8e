import { computed, type ReadonlySignal, signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { FieldErrors } from '../api/problems.ts'
import { deleteDraft, readDraft, writeDraft } from '../services/browser-storage.ts'
import { t } from '../texts/text.ts'

/** The typed values as text. A form converts them for the API when it submits. */
export type FormValues = Readonly<Record<string, string>>

interface FormOptions<Values extends FormValues> {
  /**
   * Stores the typed values in this tab under this name until they are submitted or discarded. Without it
   * they are not stored.
   */
  readonly draft?: string
  readonly initial: Values
  /** Sends the values. A thrown error is shown next to the fields. */
  submit(values: Values): Promise<void>
}

export interface FormState<Values extends FormValues> {
  readonly values: ReadonlySignal<Values>
  /** Errors by field. `generalErrors` has errors without a field. */
  readonly errors: ReadonlySignal<FieldErrors>
  readonly isBusy: ReadonlySignal<boolean>
  set(name: keyof Values & string, value: string): void
  submit(): Promise<boolean>
  /** Lets the next submit wait for a value that the user has typed, but that is still searched for. */
  waitFor(search: Promise<void>): void
  /** Resets the form and deletes the draft. */
  discard(): void
  /** True if any value differs from its initial value. */
  readonly isChanged: ReadonlySignal<boolean>
  /** True after the values were accepted, until one is changed. */
  readonly isAccepted: ReadonlySignal<boolean>
  /**
   * Applies a change of the record. Fields that were not edited here get the new value. The others stay as
   * typed.
   */
  follow(next: Values): void
}

/**
 * Keeps typed values until the API accepts them, despite errors, outages, a lost session or a closed dialog.
 */
export function useForm<Values extends FormValues>(options: FormOptions<Values>): FormState<Values> {
  const latestOptions = useRef(options)
  latestOptions.current = options
  const isBusy = useSignal(false)
  return useMemo(() => {
    const { draft, initial } = latestOptions.current
    const initialValues = signal(initial)
    const values = signal<Values>({ ...initial, ...readDraft(draft, initial) })
    const errors = signal<FieldErrors>({})
    const isAccepted = signal(false)
    let typedValue = Promise.resolve()
    const submit = async () => {
      if (isBusy.peek()) return false
      isBusy.value = true
      try {
        await typedValue
        await latestOptions.current.submit(values.peek())
        errors.value = {}
        isAccepted.value = true
        deleteDraft(draft)
        return true
      } catch (error) {
        errors.value = errorsOf(error)
        return false
      } finally {
        isBusy.value = false
      }
    }
    return {
      values,
      errors,
      isBusy,
      isAccepted,
      set(name, value) {
        isAccepted.value = false
        values.value = { ...values.peek(), [name]: value }
        const { [name]: _corrected, ...others } = errors.peek()
        errors.value = others
        writeDraft(draft, changedFields(values.peek(), initialValues.peek()))
      },
      submit,
      waitFor(search) {
        typedValue = search
      },
      discard() {
        values.value = initialValues.peek()
        errors.value = {}
        deleteDraft(draft)
      },
      isChanged: computed(() => Object.keys(changedFields(values.value, initialValues.value)).length > 0),
      follow(next) {
        const former = initialValues.peek()
        const typed = values.peek()
        const untouched = Object.keys(next).filter((name) => typed[name] === former[name])
        initialValues.value = next
        if (untouched.some((name) => next[name] !== former[name]))
          values.value = { ...typed, ...Object.fromEntries(untouched.map((name) => [name, next[name]])) }
      },
    }
  }, [isBusy])
}

/**
 * Returns the fields that a draft keeps. After a reload, the other fields have the current values of the
 * record.
 */
const changedFields = (values: FormValues, initial: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== initial[name]))

function errorsOf(error: unknown): FieldErrors {
  if (error instanceof TrackerError && Object.keys(error.errors).length > 0) return error.errors
  return { generalErrors: [error instanceof Error ? error.message : String(error)] }
}

interface FormProps<Values extends FormValues> {
  readonly form: FormState<Values>
  readonly submitLabel: string
  readonly children: ComponentChildren
  readonly onCancel?: (() => void) | undefined
  readonly cancelLabel?: string
  /** True if nothing has changed. The buttons are hidden, because there is nothing to send. */
  readonly isIdle?: boolean
  /** True if the form cannot be submitted now. The reason is shown next to it. */
  readonly isDisabled?: boolean
  /** True if something else is more important where the form is shown. */
  readonly isSecondary?: boolean
  readonly onDone?: (() => void) | undefined
  /** Shown before the buttons. */
  readonly aside?: ComponentChildren
}

/**
 * Draws errors without a field, the fields, and the buttons. Ctrl+Enter submits from every control. After an
 * error, the focus moves to the errors without a field or, if there are none, to the first invalid field.
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
    isSecondary = false,
    onDone,
    aside,
  } = props
  const element = useRef<HTMLFormElement>(null)
  const submit = async () => {
    if (isDisabled) return
    if (await form.submit()) return onDone?.()
    // The messages are rendered when `submit` resolves. Moving the focus later could interrupt typing.
    const invalid = element.current?.querySelector<HTMLElement>('[aria-invalid=true], .form-problem')
    invalid?.focus()
    // The messages have moved the buttons. If not all fits, the field is more important.
    for (const shown of [element.current?.lastElementChild, invalid])
      shown?.scrollIntoView({ block: 'nearest' })
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
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return
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
        <button
          type="submit"
          class={isSecondary ? 'button' : 'button primary'}
          aria-disabled={isDisabled || form.isBusy.value}
        >
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
