import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { homePath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { loadSignInMethods, type SignInMethods, signInAddress } from '../../session/provider.ts'
import { deleteSession, type Session } from '../../session/session.ts'
import { completeSignIn, isSigningIn, loginKey, startSignIn } from '../../session/sign-in.ts'
import { t, tx } from '../../texts/text.ts'
import { StandalonePage } from '../../ui/page.tsx'
import { useSecondsUntil } from '../../ui/relative-time.tsx'
import { type SignInFormState, signInStateOf } from './sign-in-state.ts'

/** The provider redirects to this page if there is no session, or to confirm a sign-out. */
export function SignInPage() {
  const logoutId = useServices().router.address.value.searchParams.get('logoutId')
  return logoutId === null ? <SignIn /> : <SignOutPage logoutId={logoutId} />
}

/** Shows the sign-in form for a pending request of the provider, or starts a request. */
function SignIn() {
  const { configuration, router, session } = useServices()
  const { searchParams: query } = router.address.value
  const state = signInStateOf(query)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const begin = async () => {
      // The Back button may lead to a request that was already used. A user with a session then continues in
      // the client, unless this tab has just started a new sign-in.
      if (!isSigningIn() && (await isStillSignedIn(session))) return router.go(homePath, { replace: true })
      const current = signInStateOf(query)
      if (current.kind === 'start') await startSignIn(configuration, current.returnPath ?? homePath)
    }
    begin().catch(() => setProblem(t('The sign-in service cannot be reached. Reload this page in a moment.')))
  }, [configuration, query, router, session])
  if (state.kind === 'problem') return <RequestProblem errorId={state.errorId} />
  if (state.kind === 'start')
    return (
      <StandalonePage title={t('Sign in')}>
        <p role="status">{problem ?? t('Please wait…')}</p>
      </StandalonePage>
    )
  const { authRequest } = state
  return (
    <StandalonePage title={t('Sign in')}>
      <SignInOptions authRequest={authRequest}>
        <SignInForm state={state} loginHint={query.get('loginHint')} />
      </SignInOptions>
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

/**
 * Renews the tokens to check whether they are still valid, because a sign-out at the provider does not remove
 * them from this browser.
 */
async function isStillSignedIn(session: Session): Promise<boolean> {
  if (session.state.peek() !== 'signed-in') return false
  try {
    const token = await session.accessToken()
    await session.renewToken(token)
  } catch {
    // A failed renewal changes the state of the session. The state is checked below.
  }
  return session.state.peek() === 'signed-in'
}

interface SignInFormProps {
  readonly state: SignInFormState
  /** The login that the requesting app expects. */
  readonly loginHint: string | null
}

function SignInForm({ state, loginHint }: SignInFormProps) {
  const { configuration } = useServices()
  const [login, setLogin] = useState(
    () => loginHint?.slice(0, limits.login) ?? sessionStorage.getItem(loginKey) ?? '',
  )
  const [missingText, setMissingText] = useState<string>()
  const password = useRef<HTMLInputElement>(null)
  const loginInput = useRef<HTMLInputElement>(null)
  useEffect(() => (login === '' ? loginInput : password).current?.focus(), [])
  const submit = (event: Event) => {
    const isComplete = login.trim() !== '' && password.current?.value !== ''
    setMissingText(isComplete ? undefined : t('Please enter your login and your password.'))
    if (!isComplete) return event.preventDefault()
    sessionStorage.setItem(loginKey, login)
  }
  return (
    <form class="form" method="post" action={`${configuration.issuer}/api/account/login`} onSubmit={submit}>
      <input type="hidden" name="authRequest" value={state.authRequest} />
      {missingText !== undefined ? (
        <p class="form-problem" role="alert">
          {missingText}
        </p>
      ) : (
        <SignInError {...state} />
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

function SignInError({ error, retryAfterSeconds }: Pick<SignInFormState, 'error' | 'retryAfterSeconds'>) {
  const [until] = useState(() => retryAfterSeconds && Date.now() + retryAfterSeconds * 1000)
  const seconds = useSecondsUntil(error === 'locked' ? until : undefined)
  if (error === 'invalid')
    return (
      <p class="form-problem" role="alert">
        {t('The login or the password is wrong.')}
      </p>
    )
  if (error !== 'locked') return null
  if (until !== undefined && seconds === 0)
    return (
      <p class="form-note" role="status">
        {t('You can try again now.')}
      </p>
    )
  return (
    <p class="form-problem">
      <span role="alert">{t('Too many failed attempts: this login is locked.')}</span>{' '}
      {until !== undefined && (
        <span>
          {tx('Try again in {time}.', { time: <strong role="timer">{formatSeconds(seconds)}</strong> })}
        </span>
      )}
    </p>
  )
}

const formatSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** Shows why the provider has rejected the request. */
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

/** Shows the password form, unless passwords are switched off, and the external providers. */
function SignInOptions({ authRequest, children }: { authRequest: string; children: ComponentChildren }) {
  const { configuration } = useServices()
  const [methods, setMethods] = useState<SignInMethods>()
  useEffect(() => {
    loadSignInMethods(configuration).then(setMethods, () => undefined)
  }, [configuration])
  return (
    <>
      {/* The form is shown at once, because most users begin to type while the providers are loading. */}
      {methods?.passwords !== false && children}
      {methods?.passwords === false && (
        <p class="form-note">{t('Sign in with an account at another provider.')}</p>
      )}
      {methods?.providers.map(({ id, name }) => (
        // This is a link, because the page's `form-action` policy would block a form that is redirected to
        // the external provider.
        <ProviderLink key={id} class="button wide" href={signInAddress(configuration, id, authRequest)}>
          {t('Sign in with {name}', { name })}
        </ProviderLink>
      ))}
    </>
  )
}

interface ProviderLinkProps {
  readonly href: string
  readonly class?: string
  readonly children: ComponentChildren
}

/**
 * Links to a page of the provider. `target` stops the client's router from handling the link if the provider
 * has the same origin.
 */
const ProviderLink = ({ children, ...props }: ProviderLinkProps) => (
  <a target="_self" {...props}>
    {children}
  </a>
)

/** Asks for confirmation, because another site may have redirected the browser to the provider's sign-out. */
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

/** Handles the provider's response, and continues to the requested address. */
export function SignInCallback() {
  const { configuration, router, session } = useServices()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    completeSignIn(configuration, router.address.peek().searchParams)
      .then(({ tokens, returnTo }) => {
        session.begin(tokens)
        router.go(returnTo, { replace: true })
      })
      .catch((error: Error) => setProblem(error.message))
  }, [configuration, router, session])
  if (problem === undefined)
    return (
      <main class="alone">
        <p role="status">{t('Signing you in…')}</p>
      </main>
    )
  return (
    <StandalonePage title={t('Sign-in failed')}>
      <p role="alert">{problem}</p>
      <a class="button primary wide" href="/login/">
        {t('Start again')}
      </a>
    </StandalonePage>
  )
}

/** The last page of a sign-in in a separate tab. It closes the tab, and the other tab continues. */
export function SignedInTab() {
  useEffect(() => window.close(), [])
  return (
    <StandalonePage title={t('You are signed in again')}>
      <p>{t('Close this tab and continue in the one you came from: everything there is as you left it.')}</p>
    </StandalonePage>
  )
}
