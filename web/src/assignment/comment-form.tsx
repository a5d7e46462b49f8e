import type { TargetedKeyboardEvent } from 'preact'
import { limits } from '../api/types.ts'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'

export interface CommentFormProps {
  readonly draft: string
  readonly label: string
  readonly submitLabel: string
  readonly initial: string
  onSubmit(text: string): Promise<void>
  onCancel?(): void
}

/** Markdown, sent with Ctrl and Enter; what was typed survives a closed panel. */
export function CommentForm({ draft, label, submitLabel, initial, onSubmit, onCancel }: CommentFormProps) {
  const form = useForm({ draft, initial: { text: initial }, submit: ({ text }) => onSubmit(text) })
  const { text } = form.values.value
  const problem = form.errors.value.text?.join(' ')
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
    else if (event.key === 'Escape' && onCancel) {
      event.preventDefault()
      onCancel()
    }
  }
  return (
    <Form
      form={form}
      submitLabel={submitLabel}
      isIdle={!form.isChanged.value && onCancel === undefined}
      onCancel={onCancel}
      onDone={form.discard}
    >
      <div class="field">
        <textarea
          class="input"
          dir="auto"
          aria-label={label}
          aria-invalid={problem ? 'true' : undefined}
          placeholder={label}
          rows={Math.min(12, Math.max(2, text.split('\n').length))}
          maxLength={limits.text}
          value={text}
          onInput={(event) => form.set('text', event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {problem && (
          <p class="field-errors" role="alert">
            {problem}
          </p>
        )}
      </div>
    </Form>
  )
}
