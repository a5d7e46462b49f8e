import { useState } from 'preact/hooks'
import { ApiProblem, sentenceOf } from '../../api/api-problem.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t, tx } from '../../texts/text.ts'
import { NewPasswordField } from '../../ui/password-field.tsx'
import { useSecondsUntil } from '../../ui/use-seconds-until.ts'

/** A new password for oneself. It ends every session, so what follows is signing in again. */
export function PasswordSection({ login }: { readonly login: string }) {
  const { api, session } = useServices()
  const [lock, setLock] = useState<{ readonly until: number; readonly text: string }>()
  const seconds = useSecondsUntil(lock?.until)
  const form = useForm({
    initial: { currentPassword: '', newPassword: '' },
    async submit({ currentPassword, newPassword }) {
      try {
        await api.changePassword(currentPassword, newPassword)
      } catch (error) {
        if (!(error instanceof ApiProblem && error.status === 429 && error.retryAfterSeconds)) throw error
        return setLock({ until: Date.now() + error.retryAfterSeconds * 1000, text: sentenceOf(error) })
      }
      await session.signOut()
    },
  })
  return (
    <section aria-labelledby="password-title">
      <h2 id="password-title">{t('Password')}</h2>
      <p class="form-note">
        {t('Changing it signs you out here and on every other device. Then sign in with the new one.')}
      </p>
      {seconds > 0 && (
        <p class="form-problem" role="alert">
          {lock?.text}{' '}
          {tx('You can try again in {time} minutes.', {
            time: (
              <strong aria-live="off">
                {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
              </strong>
            ),
          })}
        </p>
      )}
      <Form form={form} submitLabel={t('Change password')} isOff={seconds > 0}>
        {/* Tells password managers whose it is. */}
        <input
          class="visually-hidden"
          type="text"
          autocomplete="username"
          value={login}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <TextField
          form={form}
          name="currentPassword"
          label={t('Current password')}
          type="password"
          autocomplete="current-password"
          required
        />
        <NewPasswordField form={form} name="newPassword" label={t('New password')} required />
      </Form>
    </section>
  )
}
