import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type ShownInvitation, TrackerError } from '#tracker-client'
import { openGuestTracker } from '../../api/page-tracker.ts'
import { sentenceOf } from '../../api/problems.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { homePath, projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { loginKey, signInWithPassword, startSignIn } from '../../session/sign-in.ts'
import { t, tx } from '../../texts/text.ts'
import { NewPasswordField } from '../../ui/form-fields.tsx'
import { StandalonePage } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/page-states.tsx'

/** Returns the secret of the link, the part after the #. */
const readSecret = (): string => decodeURIComponent(location.hash.slice(1))

/**
 * Creates an account for an invited person, or lets an existing user join. Another link that is opened on this page
 * changes only the hash, so the page starts again with it.
 */
export const InvitationPage = () => <Invitation key={useServices().router.address.value.hash} />

function Invitation() {
  const { invitation, isLoaded, expiredText } = useInvitation()
  const [isDone, setDone] = useState(false)
  const project = invitation?.project ?? undefined
  // The account was created, and its sign-in has begun, so this page is usually visible only for a moment.
  if (isDone)
    return (
      <DonePage title={t('Your account is ready')} to={pathAfterInvitation(invitation)}>
        {project && t('You are now a member of {project}.', { project })}
      </DonePage>
    )
  if (expiredText !== undefined)
    return <DonePage title={t('This invitation is no longer valid')}>{expiredText}</DonePage>
  return (
    <StandalonePage title={t('You were invited')}>
      {isLoaded ? (
        <InvitationForm invitation={invitation} onDone={() => setDone(true)} />
      ) : (
        <Skeleton as="fields" rows={2} cells="field" />
      )}
    </StandalonePage>
  )
}

const pathAfterInvitation = (invitation: ShownInvitation | undefined): string =>
  invitation?.projectId ? projectPath(invitation.projectId) : homePath

interface InvitationFormProps {
  readonly invitation: ShownInvitation | undefined
  onDone(): void
}

function InvitationForm({ invitation, onDone }: InvitationFormProps) {
  const { configuration } = useServices()
  const recipient = invitation?.recipientName ?? ''
  const isAddress = recipient.includes('@')
  const form = useForm({
    initial: { name: isAddress ? '' : recipient, login: isAddress ? recipient : '', password: '' },
    async submit(values) {
      await openGuestTracker(configuration.apiUrl).call('POST /ext/invitations/accept', {
        body: { ...values, secret: readSecret() },
      })
      // If the sign-in fails, the user continues on the sign-in page. It shows this login.
      sessionStorage.setItem(loginKey, values.login)
      await signInWithPassword(configuration, values, pathAfterInvitation(invitation)).catch(() => undefined)
    },
  })
  return (
    <>
      {invitation && <Inviter {...invitation} />}
      <JoinWithAccount />
      <Form form={form} submitLabel={t('Create my account')} onDone={onDone}>
        <TextField form={form} name="name" label={t('Name')} required autocomplete="name" />
        <TextField
          form={form}
          name="login"
          label={t('Login')}
          hint={t('Usually an email address.')}
          required
          autocomplete="username"
        />
        <NewPasswordField form={form} name="password" label={t('Password')} required />
      </Form>
    </>
  )
}

/**
 * Loads the invitation. If that fails for another reason than an expired link, the form is shown without
 * names.
 */
function useInvitation() {
  const { configuration } = useServices()
  const [loaded, setLoaded] = useState<{ invitation?: ShownInvitation; expiredText?: string }>()
  useEffect(() => {
    const body = { secret: readSecret() }
    const request = openGuestTracker(configuration.apiUrl).call('POST /ext/invitations/read', { body })
    request.then(
      (invitation) => setLoaded({ invitation }),
      (error) =>
        setLoaded(
          error instanceof TrackerError && error.status === 410 ? { expiredText: sentenceOf(error) } : {},
        ),
    )
  }, [])
  return { ...loaded, isLoaded: loaded !== undefined }
}

/**
 * Shows who invites, to what, and for whom. Names are isolated, because they may be written from right
 * to left.
 */
const Inviter = ({ inviter, recipientName, project, organization }: ShownInvitation) => (
  <p>
    {project === null
      ? tx('{name} invites you to create an account here.', { name: <UserText>{inviter}</UserText> })
      : tx('{name} invites you to the project {project} of {organization}, as a member.', {
          name: <UserText>{inviter}</UserText>,
          project: <UserText>{project}</UserText>,
          organization: <UserText>{organization}</UserText>,
        })}
    {recipientName !== null && (
      <span class="quiet-text line">
        {tx('This invitation is for {name}.', { name: <bdi>{recipientName}</bdi> })}
      </span>
    )}
  </p>
)

const UserText = ({ children }: { readonly children: ComponentChildren }) => (
  <bdi>
    <strong>{children}</strong>
  </bdi>
)

/** Joins with an existing account, after a sign-in if this browser has no session. */
function JoinWithAccount() {
  const { configuration, router, session, tracker } = useServices()
  const [problem, setProblem] = useState<string>()
  const person = session.person.value
  const join = async () => {
    if (session.state.peek() !== 'signed-in')
      return startSignIn(configuration, `${location.pathname}${location.hash}`)
    const body = { secret: readSecret() }
    const { projectId } = await tracker.call('POST /ext/invitations/join', { body })
    router.go(projectPath(projectId), { replace: true })
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
      <p class="quiet-text">{t('Or create a new account:')}</p>
    </>
  )
}

/** Lets a user who has forgotten the password set a new one. */
export function NewPasswordPage() {
  const { configuration } = useServices()
  const [isDone, setDone] = useState(false)
  const form = useForm({
    initial: { newPassword: '' },
    async submit(values) {
      const body = { ...values, secret: readSecret() }
      await openGuestTracker(configuration.apiUrl).call('POST /ext/password-links/use', { body })
    },
  })
  if (isDone) return <DonePage title={t('Your new password is set')} />
  return (
    <StandalonePage title={t('Choose a new password')}>
      <Form form={form} submitLabel={t('Set password')} onDone={() => setDone(true)}>
        <NewPasswordField form={form} name="newPassword" label={t('New password')} required />
      </Form>
    </StandalonePage>
  )
}

interface DonePageProps {
  readonly title: string
  readonly children?: string | undefined
  /** The path to which the sign-in leads. */
  readonly to?: string
}

const DonePage = ({ title, children, to = '/' }: DonePageProps) => (
  <StandalonePage title={title}>
    {children && <p>{children}</p>}
    <a class="button primary wide" href={to}>
      {t('Sign in')}
    </a>
  </StandalonePage>
)
