import { useState } from 'preact/hooks'
import { acceptInvitation, usePasswordLink } from '../../api/links.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Alone } from '../../ui/alone.tsx'
import { NewPasswordField } from '../../ui/password-field.tsx'

/** What the link has behind its number sign. */
const secretOf = (): string => decodeURIComponent(location.hash.slice(1))

/** For somebody who was invited: a name, a login and a password of their own. */
export function InvitationPage() {
  const { configuration } = useServices()
  const [isDone, setDone] = useState(false)
  const form = useForm({
    initial: { name: '', login: '', password: '' },
    submit: (values) => acceptInvitation(configuration.apiUrl, { ...values, secret: secretOf() }),
  })
  if (isDone) return <Done title={t('Your account is there')} />
  return (
    <Alone title={t('You were invited')}>
      <Form form={form} submitLabel={t('Make my account')} onDone={() => setDone(true)}>
        <TextField form={form} name="name" label={t('Name')} required autocomplete="name" />
        <TextField
          form={form}
          name="login"
          label={t('Login')}
          hint={t('An e-mail address, or what else is easy to remember.')}
          required
          autocomplete="username"
        />
        <NewPasswordField form={form} name="password" label={t('Password')} required />
      </Form>
    </Alone>
  )
}

/** For somebody who has lost the password. */
export function NewPasswordPage() {
  const { configuration } = useServices()
  const [isDone, setDone] = useState(false)
  const form = useForm({
    initial: { newPassword: '' },
    submit: ({ newPassword }) => usePasswordLink(configuration.apiUrl, { newPassword, secret: secretOf() }),
  })
  if (isDone) return <Done title={t('Your new password is set')} />
  return (
    <Alone title={t('Choose a new password')}>
      <Form form={form} submitLabel={t('Set the password')} onDone={() => setDone(true)}>
        <NewPasswordField form={form} name="newPassword" label={t('New password')} required />
      </Form>
    </Alone>
  )
}

const Done = ({ title }: { readonly title: string }) => (
  <Alone title={title}>
    <a class="button primary wide" href="/">
      {t('Sign in')}
    </a>
  </Alone>
)
