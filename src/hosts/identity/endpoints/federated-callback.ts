import { supportedLanguage } from '../../../model/language.ts'
import { openPendingRequest } from '../authorization/authorization-request.ts'
import {
  type Call,
  type Endpoint,
  type HandlerResult,
  type Identity,
  type ProviderEndpoint,
  singleParameters,
} from '../core/endpoint.ts'
import {
  federationOperation,
  localesParameter,
  optional,
  ownPageOnly,
  providerParameter,
  required,
} from '../core/operation-parts.ts'
import type { ExternalProvider } from '../core/providers.ts'
import { hostOrigin, hostPath, hostPathWithQuery } from '../core/redirects.ts'
import type { ActiveSession, FederatedSignIn } from '../core/sessions.ts'
import { recentSignInMilliseconds } from '../factors/account-factors.ts'
import { type FederatedUser, redeemCallback } from '../federation/claims.ts'
import { type FailureKind, FederationError, failurePage, recordFailure } from '../federation/failures.ts'
import { connectIdentity, findFederatedAccount } from '../federation/federated-accounts.ts'
import {
  type Attempt,
  browserIdOf,
  type ConnectPurpose,
  callbackPath,
  callbackUrl,
  connectPath,
  consumeAttempt,
  redirectToProvider,
  type SignInPurpose,
} from '../federation/provider-redirects.ts'
import { outdatedPage, type PageTemplate } from '../pages/page.ts'
import { html } from '../pages/texts.ts'
import {
  findBrowserSession,
  identityCookie,
  requireAllowedOrigin,
  signInSourceOf,
  startSession,
} from '../sign-in/browser.ts'
import { nextStepOf, stepUrl } from '../sign-in/sign-in-steps.ts'
import type { ProviderSettings } from '../values/settings.ts'

/** An external identity that waits for the user's confirmation. */
interface PendingConnection extends ConnectPurpose {
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly label: string
}

/** The time that the user has to confirm. */
const confirmationMilliseconds = 10 * 60_000

export const startConnecting: Endpoint = {
  ...federationOperation,
  id: 'StartConnecting',
  summary: 'Starts to connect the account of the browser session with an account at a provider.',
  description: 'The web client links here. Requires a sign-in within the last ten minutes.',
  path: connectPath,
  parameters: [
    providerParameter,
    optional('origin', 'The requesting web client, one of the allowed origins.'),
    localesParameter,
  ],
  createHandler: (identity) => async (call) => {
    const { provider: id = '', origin, ui_locales: locales } = singleParameters(call.parameters)
    const provider = identity.providers.get(id)
    if (!provider) return { page: outdatedPage }
    const returnTo = accountPageUrl(identity, origin)
    const language = supportedLanguage(locales)
    const session = await findBrowserSession(identity, call.headers)
    if (!session || session.authenticatedAt + recentSignInMilliseconds < identity.now())
      return { page: signInAgainPage(provider, returnTo), language }
    try {
      const purpose = { sessionId: session.sessionId, returnTo, language }
      return await redirectToProvider(identity, provider, call, { purpose })
    } catch (error) {
      if (!(error instanceof FederationError)) throw error
      recordFailure(identity, provider, call, error.kind, { failure: error, account: session.accountId })
      return {
        page: failurePage(identity, provider, error.kind, { returnTo }, error.retryAfterSeconds),
        language,
      }
    }
  },
}

export const confirmConnecting: Endpoint = {
  ...federationOperation,
  id: 'ConfirmConnecting',
  summary: 'Connects the two accounts that were shown to the user.',
  description: ownPageOnly,
  method: 'POST',
  path: connectPath,
  parameters: [required('proof', 'The two accounts, sealed.')],
  createHandler: (identity) => async (call) => {
    requireAllowedOrigin([hostOrigin(identity.settings)], call.headers, { subject: 'The answer' })
    const { proof = '' } = singleParameters(call.parameters)
    const pending = await identity.seals.open<PendingConnection>('outsideIdentity', proof)
    const provider = identity.providers.get(pending?.providerId ?? '')
    if (!pending || !provider) return { page: outdatedPage }
    const session = await findUnchangedSession(identity, call, pending.sessionId)
    if (session === undefined) return failConnecting(identity, provider, call, 'other session', pending)
    const { sessionId, accountId: userId } = session
    const { address, requestId } = call
    const result = await connectIdentity(identity, provider, pending, {
      label: pending.label,
      userId,
      confirmedBy: 'the person',
      origin: { address, requestId, sessionId },
    })
    if (result === 'connected') return { redirectTo: pending.returnTo }
    return failConnecting(identity, provider, call, result, pending, userId)
  },
}

export const handleCallback: ProviderEndpoint = {
  ...federationOperation,
  id: 'ComeBackFromProvider',
  summary: 'Receives browsers from a provider after its sign-in.',
  description:
    'This is the redirect address to register at the provider. It works once, in the browser that was sent there.',
  path: callbackPath('{provider}'),
  pathOf: callbackPath,
  parameters: [
    { ...providerParameter, in: 'path' },
    required('state', 'The value sent by this host.'),
    optional('code', 'The authorization code.'),
    optional('error', 'The error, if there is no code.'),
    optional('iss', 'The issuer (RFC 9207).'),
  ],
  page: 'A page that asks whether to connect the two accounts, if the user has started that.',
  createHandler: (identity, provider) => async (call) => {
    const { state = '' } = singleParameters(call.parameters)
    const attempt = await consumeMatchingAttempt(identity, provider, call, state)
    if (attempt === undefined) {
      recordFailure(identity, provider, call, 'unknown attempt')
      return { page: outdatedPage }
    }
    try {
      const user = await redeemCallback(
        provider,
        receivedCallbackUrl(identity, provider, call),
        state,
        attempt,
        identity.now(),
      )
      return await continueAfterCallback(identity, provider, call, attempt, user)
    } catch (error) {
      if (!(error instanceof FederationError)) throw error
      recordFailure(identity, provider, call, error.kind, { failure: error })
      return {
        page: failurePage(identity, provider, error.kind, attempt.purpose),
        language: attempt.purpose.language,
      }
    }
  },
}

/**
 * Consumes the attempt. Returns undefined if it was used before, or started in another browser or for another
 * provider.
 */
async function consumeMatchingAttempt(
  identity: Identity,
  provider: ExternalProvider,
  { headers }: Call,
  state: string,
): Promise<Attempt | undefined> {
  const browser = browserIdOf(identity, headers)
  if (state === '' || browser === undefined) return undefined
  const attempt = await consumeAttempt(identity, state)
  return attempt?.browser === browser && attempt.providerId === provider.id ? attempt : undefined
}

/** A parameter may be missing, or be sent several times. */
const valuesOf = (value: string | readonly string[] | undefined): readonly string[] => [value ?? []].flat()

/** Returns the registered redirect URL with the received parameters, whatever host name the browser used. */
function receivedCallbackUrl({ settings }: Identity, { id }: ExternalProvider, { parameters }: Call): URL {
  const url = new URL(callbackUrl(settings, id))
  for (const [name, value] of Object.entries(parameters))
    for (const text of valuesOf(value)) url.searchParams.append(name, text)
  return url
}

/** Signs the user in, or asks whether to connect the account at the provider. */
const continueAfterCallback = (
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  { purpose }: Attempt,
  user: FederatedUser,
): Promise<HandlerResult> =>
  'authRequest' in purpose
    ? signInFederated(identity, provider, call, purpose, user)
    : askToConnect(identity, provider, call, purpose, user)

/**
 * Starts a session for the user who has returned, and continues the pending request. The provider replaces
 * only the password, so the second factor of the account is still required.
 */
async function signInFederated(
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  { authRequest }: SignInPurpose,
  user: FederatedUser,
): Promise<HandlerResult> {
  const pending = await openPendingRequest(identity, authRequest)
  if (!pending) return { page: outdatedPage }
  const { address, requestId } = call
  const failSignIn = (kind: FailureKind, account?: string): HandlerResult => {
    recordFailure(identity, provider, call, kind, { account })
    return {
      page: failurePage(identity, provider, kind, { authRequest }),
      language: pending.request.language,
    }
  }
  const result = await findFederatedAccount(identity, provider, user, { address, requestId })
  if (typeof result === 'string') return failSignIn(result)
  const { account, identityId } = result
  const federated: FederatedSignIn = {
    provider: provider.id,
    identityId,
    authenticatedAt: user.authenticatedAt,
  }
  const next = await nextStepOf(identity, account)
  if (next === 'second-factor' || next === 'set-up')
    return { redirectTo: stepUrl(identity, next, account, authRequest, federated) }
  const source = await signInSourceOf(identity, call, pending)
  const sealedToken = sealToken(identity, user.identityToken)
  const session = await startSession(
    identity,
    account,
    { ...source, federated: { ...federated, sealedToken } },
    call,
  )
  // The account, its password, its factors or the external identity has changed in the meantime.
  if (session === undefined) return failSignIn('account closed', account.accountId)
  return {
    redirectTo: hostPathWithQuery(identity.settings, '/connect/authorize', { authRequest }),
    cookie: identityCookie(identity, session),
  }
}

/** The token is sent in a URL at the sign-out, and common proxies would reject a longer URL. */
const tokenCharactersMax = 4000
/** Longer than the longest session. */
const tokenMilliseconds = 24 * 60 * 60_000

const sealToken = ({ seals, now }: Identity, token: string): string | undefined =>
  token.length <= tokenCharactersMax
    ? seals.seal('outsideToken', { token }, now() + tokenMilliseconds)
    : undefined

/** Returns the account page of the requesting web client; never a page of another site. */
const accountPageUrl = ({ settings: { allowedOrigins } }: Identity, origin: string | undefined): string =>
  `${allowedOrigins.find((allowed) => allowed === origin) ?? allowedOrigins[0]}/account`

/**
 * Shows the user which external account would be connected to which local account. Another site may have sent
 * the browser here, or another user may be signed in at the provider.
 */
async function askToConnect(
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  { sessionId, returnTo, language }: ConnectPurpose,
  user: FederatedUser,
): Promise<HandlerResult> {
  const session = await findUnchangedSession(identity, call, sessionId)
  if (session === undefined)
    return failConnecting(identity, provider, call, 'other session', { returnTo, language })
  const { issuer, subject } = user
  const { label } = await user.fetchProfile()
  const pending: PendingConnection = {
    providerId: provider.id,
    issuer,
    subject,
    label,
    sessionId,
    returnTo,
    language,
  }
  return {
    page: connectPage(provider, {
      label,
      user: session,
      returnTo,
      proof: identity.seals.seal('outsideIdentity', pending, identity.now() + confirmationMilliseconds),
      action: hostPath(identity.settings, connectPath),
    }),
    language,
  }
}

/** Finds the browser's session, if it is still the one that started the attempt. */
async function findUnchangedSession(
  identity: Identity,
  { headers }: Call,
  sessionId: string,
): Promise<ActiveSession | undefined> {
  const session = await findBrowserSession(identity, headers)
  return session?.sessionId === sessionId ? session : undefined
}

function failConnecting(
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  kind: FailureKind,
  { returnTo, language }: Omit<ConnectPurpose, 'sessionId'>,
  account?: string,
): HandlerResult {
  recordFailure(identity, provider, call, kind, { account })
  return { page: failurePage(identity, provider, kind, { returnTo }), language }
}

const signInAgainPage =
  ({ name }: Pick<ProviderSettings, 'name'>, returnTo: string): PageTemplate =>
  (t) => ({
    title: t('Sign in again'),
    status: 403,
    content: html`<p role="alert">${t('To connect {provider}, sign in again first: your last sign-in was too long ago, or in another browser.', { provider: name })}</p>
<p><a href="${returnTo}">${t('Back to your account')}</a></p>`,
  })

interface ConnectPageOptions {
  readonly label: string
  readonly user: { readonly name: string; readonly login: string }
  readonly returnTo: string
  readonly proof: string
  readonly action: string
}

const connectPage =
  (
    { name }: Pick<ProviderSettings, 'name'>,
    { label, user, returnTo, proof, action }: ConnectPageOptions,
  ): PageTemplate =>
  (t) => ({
    title: t('Connect {provider}?', { provider: name }),
    formRedirects: [returnTo],
    content: html`<p>${t(
      'Anyone who signs in at {provider} as {label} will be signed in here as {user}. Continue only if both accounts are yours.',
      {
        provider: name,
        label: html`<strong>${label}</strong>`,
        user: html`<strong>${user.name} (${user.login})</strong>`,
      },
    )}</p>
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<button>${t('Connect')}</button>
</form>
<p><a href="${returnTo}">${t('Do not connect')}</a></p>`,
  })
