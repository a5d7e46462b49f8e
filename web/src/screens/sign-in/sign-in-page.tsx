import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { homePath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { loadSignInWays, type SignInWays, signInAddress } from '../../session/provider.ts'
import type { Session } from '../../session/session.ts'
import { isSigningIn, loginKey, startSignIn } from '../../session/sign-in.ts'
import { deleteSession } from '../../session/stored-session.ts'
import { t, tx } from '../../texts/text.ts'
import { StandalonePage } from '../../ui/page.tsx'
import { useSecondsUntil } from '../../ui/place.ts'

/** The provider redirects here without a session, or to confirm a sign-out. */
export function SignInPage() {
  const logoutId = useServices().router.address.value.searchParams.get('logoutId')
  return logoutId === null ? <SignIn /> : <SignOutPage logoutId={logoutId} />
}

/** The page starts a request if the provider has no pending one. */
function SignIn() {
  const { configuration, router, session } = useServices()
  const { searchParams: given } = router.address.value
  const authRequest = given.get('authRequest')
  const error = given.get('error') ?? (given.has('errorId') ? 'request' : null)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const begin = async () => {
      // Reached with Back after its request was used. A user with a session is redirected, unless a new
      // sign-in was requested.
      if (!isSigningIn() && (await isStillSignedIn(session))) return router.go(homePath, { replace: true })
      if (authRequest !== null || error !== null) return
      await startSignIn(configuration, given.get('again') === null ? homePath : '/signed-in/')
    }
    begin().catch(() => setProblem(t('The sign-in service cannot be reached. Reload this page in a moment.')))
  }, [authRequest, error, configuration, given, router, session])
  if (error === 'request' || (authRequest === null && error !== null))
    return <RequestProblem errorId={given.get('errorId')} />
  if (authRequest === null)
    return (
      <StandalonePage title={t('Sign in')}>
        <p role="status">{problem ?? t('Please wait…')}</p>
      </StandalonePage>
    )
  return (
    <StandalonePage title={t('Sign in')}>
      <Ways authRequest={authRequest}>
        <SignInForm
          {...{ authRequest, error }}
          loginHint={given.get('loginHint')}
          retryAfter={Number(given.get('retryAfter'))}
        />
      </Ways>
      {configuration.passkeys && (
        <ProviderLink
          class="button wide"
          href={`${configuration.issuer}/ext/passkey?${new URLSearchParams({ authRequest })}`}
        >
          {t('Sign in with a passkey')}
        </ProviderLink>
      )}
      {configuration.mail && (
        <ProviderLink
          href={`${configuration.issuer}/ext/forgot-password?${new URLSearchParams({ authRequest })}`}
        >
          {t('Forgot your password?')}
        </ProviderLink>
      )}
    </StandalonePage>
  )
}

/** A sign-out that began at the provider leads here too, while this browser still has its tokens: a refresh shows their state. */
async function isStillSignedIn(session: Session): Promise<boolean> {
  if (session.state.peek() !== 'signed-in') return false
  await session
    .accessToken()
    .then(session.renewedToken)
    .catch(() => undefined)
  return session.state.peek() === 'signed-in'
}

interface SignInFormProps {
  readonly authRequest: string
  readonly error: string | null
  /** The login that the requesting app expects. */
  readonly loginHint: string | null
  readonly retryAfter: number
}

function SignInForm({ authRequest, error, loginHint, retryAfter }: SignInFormProps) {
  const { configuration } = useServices()
  const [login, setLogin] = useState(
    () => loginHint?.slice(0, limits.login) ?? sessionStorage.getItem(loginKey) ?? '',
  )
  const [missing, setMissing] = useState<string>()
  const password = useRef<HTMLInputElement>(null)
  const loginInput = useRef<HTMLInputElement>(null)
  useEffect(() => (login === '' ? loginInput : password).current?.focus(), [])
  const submit = (event: Event) => {
    const isComplete = login.trim() !== '' && password.current?.value !== ''
    setMissing(isComplete ? undefined : t('Please enter your login and your password.'))
    if (!isComplete) return event.preventDefault()
    sessionStorage.setItem(loginKey, login)
  }
  return (
    <form class="form" method="post" action={`${configuration.issuer}/api/account/login`} onSubmit={submit}>
      <input type="hidden" name="authRequest" value={authRequest} />
      {missing !== undefined ? (
        <p class="form-problem" role="alert">
          {missing}
        </p>
      ) : (
        <Rejection error={error} retryAfter={retryAfter} />
      )}
      <div class="field">
        <label for="login">{t('Login')}</label>
        <input
          ref={loginInput}
          class="input"
          id="login"
          name="login"
          type="text"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          maxLength={limits.login}
          value={login}
          onInput={(event) => setLogin(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="password">{t('Password')}</label>
        <input
          ref={password}
          class="input"
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxLength={limits.password}
        />
      </div>
      <button type="submit" class="button primary wide">
        {t('Sign in')}
      </button>
    </form>
  )
}

function Rejection({ error, retryAfter }: { readonly error: string | null; readonly retryAfter: number }) {
  const [until] = useState(() => Date.now() + retryAfter * 1000)
  const seconds = useSecondsUntil(error === 'locked' && retryAfter > 0 ? until : undefined)
  if (error === 'invalid')
    return (
      <p class="form-problem" role="alert">
        {t('The login or the password is wrong.')}
      </p>
    )
  if (error !== 'locked') return null
  if (seconds === 0)
    return (
      <p class="form-note" role="status">
        {t('You can try again now.')}
      </p>
    )
  return (
    <p class="form-problem">
      <span role="alert">{t('Too many failed attempts: this login is locked.')}</span>{' '}
      <span>
        {tx('Try again in {time}.', { time: <strong role="timer">{formatSeconds(seconds)}</strong> })}
      </span>
    </p>
  )
}

const formatSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** The provider rejected the request. */
function RequestProblem({ errorId }: { readonly errorId: string | null }) {
  const { configuration } = useServices()
  const [reason, setReason] = useState<string>()
  useEffect(() => {
    if (errorId === null) return
    fetch(`${configuration.issuer}/api/account/error?${new URLSearchParams({ errorId })}`)
      .then((response) => (response.ok ? response.json() : undefined))
      .then(
        (report) => setReason(report?.errorDescription),
        () => undefined,
      )
  }, [configuration, errorId])
  return (
    <StandalonePage title={t('This sign-in cannot continue')}>
      <p role="alert">{t('It may have expired, or its address was changed.')}</p>
      {reason && <p class="quiet-text">{t('The sign-in service says: {reason}', { reason })}</p>}
      <a class="button primary wide" href="/login/">
        {t('Start again')}
      </a>
    </StandalonePage>
  )
}

/** The password form, unless passwords are switched off, and the external providers. */
function Ways({ authRequest, children }: { authRequest: string; children: ComponentChildren }) {
  const { configuration } = useServices()
  const [ways, setWays] = useState<SignInWays>()
  useEffect(() => {
    loadSignInWays(configuration).then(setWays, () => undefined)
  }, [configuration])
  return (
    <>
      {/* There at once: most people type while the list is on its way. */}
      {ways?.passwords !== false && children}
      {ways?.passwords === false && (
        <p class="form-note">{t('Sign in with an account at another provider.')}</p>
      )}
      {ways?.providers.map(({ id, name }) => (
        // A link, because browsers apply the page's form policy to the redirects of a post.
        <ProviderLink key={id} class="button wide" href={signInAddress(configuration, id, authRequest)}>
          {t('Sign in with {name}', { name })}
        </ProviderLink>
      ))}
    </>
  )
}

export interface ProviderLinkProps {
  readonly href: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** Leaves for a page of the provider: the router must not handle it as its own where all hosts share an address. */
const ProviderLink = ({ children, ...props }: ProviderLinkProps) => (
  <a target="_self" {...props}>
    {children}
  </a>
)

/** Another site has redirected the browser to the provider's sign-out. */
function SignOutPage({ logoutId }: { readonly logoutId: string }) {
  const { configuration } = useServices()
  return (
    <StandalonePage title={t('Sign out?')}>
      <p>
        {t(
          'You are about to sign out of Tracker in this browser. If you did not ask for that, stay signed in.',
        )}
      </p>
      <form
        class="form"
        method="post"
        action={`${configuration.issuer}/api/account/logout`}
        onSubmit={deleteSession}
      >
        <input type="hidden" name="logoutId" value={logoutId} />
        <button type="submit" class="button primary wide">
          {t('Sign out')}
        </button>
        <a class="button wide" href={homePath}>
          {t('Stay signed in')}
        </a>
      </form>
    </StandalonePage>
  )
}
