import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/api-problem.ts'
import { acceptInvitation, joinByInvitation, usePasswordLink } from '../../api/links.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { projectPath } from '../../router/addresses.ts'
import { useServices } from '../../services/services.ts'
import { loginKey, startSignIn } from '../../session/sign-in.ts'
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
    async submit(values) {
      await acceptInvitation(configuration.apiUrl, { ...values, secret: secretOf() })
      sessionStorage.setItem(loginKey, values.login)
    },
  })
  if (isDone) return <Done title={t('Your account is there')} />
  return (
    <Alone title={t('You were invited')}>
      <JoinWithAccount />
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

/** For somebody who has an account: by a sign-in first, where there is none in this browser. */
function JoinWithAccount() {
  const { configuration, router, send, session } = useServices()
  const [problem, setProblem] = useState<string>()
  const person = session.person.value
  const join = async () => {
    if (session.state.peek() !== 'signed-in')
      return startSignIn(configuration, `${location.pathname}${location.hash}`)
    router.go(projectPath(await joinByInvitation(send, secretOf())), { replace: true })
  }
  const isSignedIn = session.state.value === 'signed-in' && person !== undefined
  return (
    <>
      <button
        type="button"
        class={isSignedIn ? 'button primary wide' : 'button wide'}
        onClick={() => void join().catch((error) => setProblem(sentenceOf(error)))}
      >
        {isSignedIn ? t('Join as {name}', { name: person.name }) : t('I have an account: sign in and join')}
      </button>
      {problem !== undefined && (
        <p class="form-problem" role="alert">
          {problem}
        </p>
      )}
      <p class="quiet-text">{t('Or make a new account:')}</p>
    </>
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
