import { useId, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { TextField, type TextFieldProps } from '../forms/fields.tsx'
import type { FormValues } from '../forms/use-form.ts'
import { type Text, t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

export interface SecretProps {
  readonly label: string
  readonly text: string
  onDone(): void
}

/** A secret that is shown once, with a button that copies it. */
export function Secret({ label, text, onDone }: SecretProps) {
  const id = useId()
  return (
    <div class="form">
      <div class="field">
        <label for={id}>{label}</label>
        <input
          id={id}
          class="input"
          readOnly
          value={text}
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <div class="form-buttons">
        <CopyButton text={text} isMain />
        <button type="button" class="button" onClick={onDone}>
          {t('Done')}
        </button>
      </div>
    </div>
  )
}

/** Copies a text and confirms it. Where the browser does not allow it, the text is shown. */
export function CopyButton({ text, isMain = false }: { readonly text: string; readonly isMain?: boolean }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    )
  }
  return (
    <button type="button" class={`button ${isMain ? 'primary' : ''}`} onClick={copy}>
      <Icon name="copy" />
      <span aria-live="polite">{isCopied ? t('Copied') : t('Copy')}</span>
    </button>
  )
}

/** The API's policy, which the API checks again. */
const rules: readonly (readonly [holds: (password: string) => boolean, text: Text])[] = [
  [hasLength, '{least} to {most} characters'],
  [(password) => /\p{Ll}/u.test(password), 'a lower-case letter'],
  [(password) => /\p{Lu}/u.test(password), 'an upper-case letter'],
  [(password) => /\p{Nd}/u.test(password), 'a digit'],
  [(password) => /[^\p{Ll}\p{Lu}\p{Nd}]/u.test(password), 'another character, such as a hyphen'],
]

function hasLength(password: string): boolean {
  const { length } = [...password]
  return length >= limits.passwordMin && length <= limits.password
}

/** A new password with its requirements, checked while it is typed. */
export function NewPasswordField<Values extends FormValues>(props: TextFieldProps<Values>) {
  const password = props.form.values.value[props.name] ?? ''
  return (
    <div class="new-password">
      <TextField {...props} type="password" autocomplete="new-password" />
      <ul class="password-rules" aria-label={t('A password needs')}>
        {rules.map(([holds, text]) => (
          <li key={text} class={holds(password) ? 'met' : ''}>
            <Icon name={holds(password) ? 'check' : 'dot'} />
            {t(text, { least: limits.passwordMin, most: limits.password })}
            <span class="visually-hidden">{holds(password) ? t(', met') : t(', missing')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
