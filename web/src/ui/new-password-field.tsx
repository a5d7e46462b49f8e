import { limits } from '#tracker-client'
import { TextField, type TextFieldProps } from '../forms/fields.tsx'
import type { FormValues } from '../forms/form.tsx'
import { type MessageKey, t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

/** Mirrors the password policy in src/model/field-kinds.ts, which the server enforces. */
const passwordRules: readonly (readonly [isMet: (password: string) => boolean, text: MessageKey])[] = [
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
      <ul class="password-rules" aria-label={t('Password requirements')}>
        {passwordRules.map(([isMet, text]) => (
          <li key={text} class={isMet(password) ? 'met' : ''}>
            <Icon name={isMet(password) ? 'check' : 'dot'} />
            {t(text, { least: limits.passwordMin, most: limits.password })}
            <span class="visually-hidden">{isMet(password) ? t(', met') : t(', missing')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
