import { computed, type ReadonlySignal, signal, useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { FieldErrors } from '../api/problems.ts'
import { t } from '../texts/text.ts'
import { deleteDraft, readDraft, writeDraft } from './drafts.ts'

/** The typed values as text; a form converts them for the API when it submits. */
export type FormValues = Readonly<Record<string, string>>

interface FormOptions<Values extends FormValues> {
  /**
   * Stores the typed values in this tab under this name until they are submitted or discarded. Without it
   * they are not stored.
   */
  readonly draft?: string
  readonly initial: Values
  /** Sends the values; a thrown error is shown next to the fields. */
  submit(values: Values): Promise<void>
}

export interface FormState<Values extends FormValues> {
  readonly values: ReadonlySignal<Values>
  /** Errors by field; `generalErrors` holds those without one. */
  readonly errors: ReadonlySignal<FieldErrors>
  readonly isBusy: ReadonlySignal<boolean>
  set(name: keyof Values & string, value: string): void
  submit(): Promise<boolean>
  /** Resets the form and deletes the draft. */
  discard(): void
  /** True if any value differs from its initial value. */
  readonly isChanged: ReadonlySignal<boolean>
  /**
   * Applies a change of the record. Fields that were not edited here get the new value; the others stay as
   * typed.
   */
  follow(next: Values): void
}

/**
 * Keeps typed values until the API accepts them, despite errors, outages, a lost session or a closed dialog.
 */
export function useForm<Values extends FormValues>(options: FormOptions<Values>): FormState<Values> {
  const current = useRef(options)
  current.current = options
  const isBusy = useSignal(false)
  return useMemo(() => {
    const { draft, initial } = current.current
    const initialValues = signal(initial)
    const values = signal<Values>({ ...initial, ...readDraft(draft, initial) })
    const errors = signal<FieldErrors>({})
    const submit = async () => {
      if (isBusy.peek()) return false
      isBusy.value = true
      try {
        await current.current.submit(values.peek())
        errors.value = {}
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
      set(name, value) {
        values.value = { ...values.peek(), [name]: value }
        const { [name]: _corrected, ...others } = errors.peek()
        errors.value = others
        writeDraft(draft, changedFields(values.peek(), initialValues.peek()))
      },
      submit,
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

/** Throws the errors of a form's own checks in the format of the API's errors. */
export const reject = (errors: FieldErrors): never => {
  throw new TrackerError(400, t('Please correct the fields below.'), { errors })
}

function errorsOf(error: unknown): FieldErrors {
  if (error instanceof TrackerError && Object.keys(error.errors).length > 0) return error.errors
  return { generalErrors: [error instanceof Error ? error.message : String(error)] }
}
