import { Problem } from '../../../model/problem.ts'
import {
  openPendingRequest,
  type PendingRequest,
  receivePendingRequest,
  sealPendingRequest,
} from '../authorization/authorization-request.ts'
import {
  type Call,
  type Endpoint,
  type Handler,
  type Identity,
  OAuthError,
  type RawParameters,
  singleParameters,
} from '../core/endpoint.ts'
import {
  authRequestParameter,
  credentialParameters,
  formOperation,
  jsonResponse,
  outcomeParameters,
  pageOperation,
  required,
  text,
} from '../core/operation-parts.ts'
import {
  AuthorizationError,
  canResetPassword,
  forgotPasswordPath,
  hostedSignInPath,
  hostOrigin,
  hostPath,
  hostPathWithQuery,
  passkeyPath,
  type ReportedError,
  signInPageUrl,
  signInPageUrlFor,
} from '../core/redirects.ts'
import type { Account, SignInSource, StartedSession } from '../core/sessions.ts'
import { type ProviderLink, providerLinks } from '../federation/provider-redirects.ts'
import { lockedText, outdatedPage, type PageTemplate } from '../pages/page.ts'
import { type Html, html, type Translate } from '../pages/texts.ts'
import { identityCookie, requireAllowedOrigin, signInSourceOf, startSession } from '../sign-in/browser.ts'
import { type SignInStep, stepUrl, verifyCredentials } from '../sign-in/sign-in-steps.ts'
import { type Client, redirectUrlsOf } from '../values/clients.ts'

export const showLoginPage: Endpoint = {
  id: 'ShowLoginPage',
  tag: 'SignIn',
  summary: 'Redirects the browser to the sign-in page of the requesting client.',
  description: 'The page belongs to the client; it posts login and password back to this host.',
  method: 'GET',
  path: '/api/account/login-page',
  parameters: [authRequestParameter],
  errors: [400],
  createHandler:
    (identity) =>
    async ({ parameters }) => {
      const { authRequest } = singleParameters(parameters)
      const pending = await openPendingRequest(identity, authRequest)
      if (authRequest === undefined || !pending)
        return { redirectTo: signInPageUrl(identity.settings, undefined, { error: 'request' }) }
      const { client, loginHint } = pending.request
      // A sign-in page of another host cannot open the sealed request, so the hint is added to the URL. The
      // page of this host reads it from the request.
      const isExternalPage = client.registration === undefined
      const hasHint = identity.settings.extensions && isExternalPage && loginHint !== undefined
      const query = { authRequest, ...(hasHint && { loginHint }) }
      return { redirectTo: signInPageUrlFor(identity.settings, pending.request, query) }
    },
}

/**
 * The browser that sent the password gets the session and continues the pending request. An attacker who
 * knows the request gains nothing.
 */
export const logIn: Endpoint = {
  id: 'LogIn',
  tag: 'SignIn',
  summary: 'Checks login and password, and redirects to the next step or back to the sign-in page.',
  description:
    'Accepted only from an allowed origin. Five wrong passwords lock the login for 15 minutes. After a failure, the sign-in page gets `error` and, for a locked login, `retryAfter`.',
  method: 'POST',
  path: '/api/account/login',
  parameters: [...credentialParameters, authRequestParameter],
  errors: [400, 403],
  createHandler: (identity) => loginHandler(identity, identity.settings.allowedOrigins),
}

export const showSignIn: Endpoint = {
  ...pageOperation,
  id: 'ShowSignInPage',
  summary: 'Shows the sign-in page for clients that have none.',
  description: 'This host redirects browsers of such clients here.',
  path: hostedSignInPath,
  parameters: [authRequestParameter, ...outcomeParameters],
  page: 'The page.',
  createHandler:
    (identity) =>
    async ({ parameters }) => {
      const { authRequest, error, retryAfter } = singleParameters(parameters)
      const pending = await openPendingRequest(identity, authRequest)
      if (authRequest === undefined || pending?.request.client.registration === undefined)
        return { page: outdatedPage }
      const action = hostPath(identity.settings, hostedSignInPath)
      const passkeyUrl = identity.settings.passkeys?.includeIdentityHost
        ? hostPathWithQuery(identity.settings, passkeyPath, { authRequest })
        : undefined
      const forgotPasswordUrl = canResetPassword(identity)
        ? hostPathWithQuery(identity.settings, forgotPasswordPath, { authRequest })
        : undefined
      return {
        page: signInPage({
          client: pending.request.client,
          authRequest,
          error,
          retryAfter,
          action,
          passkeyUrl,
          forgotPasswordUrl,
          loginHint: pending.request.loginHint,
          providers: providerLinks(identity, authRequest),
          passwords: identity.settings.passwords,
        }),
        language: pending.request.language,
      }
    },
}

export const submitSignIn: Endpoint = {
  ...formOperation,
  id: 'AnswerSignInPage',
  summary: 'Processes login and password.',
  path: hostedSignInPath,
  parameters: [...credentialParameters, authRequestParameter],
  createHandler: (identity) => loginHandler(identity, [hostOrigin(identity.settings)]),
}

export const getError: Endpoint = {
  id: 'GetSignInError',
  tag: 'SignIn',
  summary: 'Returns the reason why an authorization request was rejected.',
  description: 'Called by the sign-in page to which the browser was redirected with an `errorId`.',
  method: 'GET',
  path: '/api/account/error',
  parameters: [required('errorId', 'The sealed error.')],
  ...jsonResponse('SignInError', {
    type: 'object',
    required: ['error', 'errorDescription'],
    properties: {
      error: text('The error code of OAuth.', 'invalid_request'),
      errorDescription: text('The error, as a sentence.'),
    },
  }),
  errors: [400, 404],
  createHandler:
    ({ seals }) =>
    async ({ parameters }) => {
      const { errorId } = singleParameters(parameters)
      const reported = errorId === undefined ? undefined : await seals.open<ReportedError>('errorId', errorId)
      return reported ? { body: reported } : { status: 404, body: unknownError }
    },
}

/** The error envelope, with the two additional properties that clients of this path expect. */
const unknownError = {
  statusCode: 404,
  message: 'The error was not found.',
  error: 'not_found',
  errorDescription: 'The error was not found.',
}

/** Creates the handler of a login form on a page of these origins. */
const loginHandler =
  (identity: Identity, origins: readonly string[]): Handler =>
  async (call) => {
    const { parameters, headers } = call
    requireAllowedOrigin(origins, headers)
    const { login = '', password = '' } = singleParameters(parameters)
    const received = await receiveRequest(identity, parameters)
    if (!received) return { redirectTo: signInPageUrl(identity.settings, undefined, { error: 'request' }) }
    const { pending, authRequest } = received
    if (!identity.settings.passwords)
      return {
        redirectTo: signInPageUrlFor(identity.settings, pending.request, {
          authRequest,
          error: 'passwords-off',
        }),
      }
    const source = await signInSourceOf(identity, call, pending)
    const outcome = await attemptSignIn(identity, { login, password }, source, call)
    if ('error' in outcome)
      return {
        redirectTo: signInPageUrlFor(identity.settings, pending.request, { authRequest, ...outcome }),
      }
    if ('step' in outcome)
      return { redirectTo: stepUrl(identity, outcome.step, outcome.account, authRequest) }
    return {
      redirectTo: hostPathWithQuery(identity.settings, '/connect/authorize', { authRequest }),
      cookie: identityCookie(identity, outcome),
    }
  }

interface ReceivedRequest {
  readonly pending: PendingRequest
  readonly authRequest: string
}

/**
 * Opens the pending request. With extensions, a page that has credentials without a request, such as the page
 * of an invitation, may send the parameters of a new request.
 */
async function receiveRequest(
  identity: Identity,
  { login: _login, password: _password, ...parameters }: RawParameters,
): Promise<ReceivedRequest | undefined> {
  const { authRequest } = singleParameters(parameters)
  if (authRequest !== undefined || !identity.settings.extensions) {
    const pending = await openPendingRequest(identity, authRequest)
    return pending && authRequest !== undefined ? { pending, authRequest } : undefined
  }
  try {
    const pending = await receivePendingRequest(identity, parameters)
    return pending && { pending, authRequest: sealPendingRequest(identity, pending) }
  } catch (error) {
    if (error instanceof OAuthError || error instanceof AuthorizationError) return undefined
    throw error
  }
}

type Outcome =
  | StartedSession
  | { readonly step: SignInStep['kind']; readonly account: Account }
  | { readonly error: string; readonly retryAfter?: string }

async function attemptSignIn(
  identity: Identity,
  credentials: { readonly login: string; readonly password: string },
  source: SignInSource,
  call: Call,
): Promise<Outcome> {
  const record = createRecorder(identity, credentials.login, source, call)
  try {
    const { account, next } = await verifyCredentials(identity, credentials, (locked) =>
      record('lockout-begun', 'sign-in', locked),
    )
    if (account && next === 'session')
      return (await startSession(identity, account, source, call)) ?? { error: 'invalid' }
    if (account && (next === 'second-factor' || next === 'set-up')) {
      record('sign-in', 'second step', account)
      return { step: next, account }
    }
    record('sign-in', next === 'rejected' ? 'second step' : 'wrong', account)
    return { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    record('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

const createRecorder =
  (identity: Identity, login: string, { clientId: client, address }: SignInSource, { requestId }: Call) =>
  (event: 'sign-in' | 'lockout-begun', outcome: string, account?: Account): void =>
    identity.securityLog({
      event,
      outcome,
      ...(account ? { account: account.accountId } : { typedLogin: login }),
      client,
      address,
      requestId,
    })

interface SignInPageOptions {
  readonly client: Client
  readonly authRequest: string
  /** The login that the client expects. */
  readonly loginHint?: string | undefined
  /** The outcome of the previous attempt. */
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  /** The path of this host to which the form is posted. */
  readonly action: string
  /** External providers that users can sign in with. */
  readonly providers: readonly ProviderLink[]
  /** False if users sign in only with providers. */
  readonly passwords: boolean
  /** Present if users can sign in with a passkey alone. */
  readonly passkeyUrl?: string | undefined
  /** Present if a reset link can be mailed. */
  readonly forgotPasswordUrl?: string | undefined
}

const signInPage =
  (options: SignInPageOptions): PageTemplate =>
  (t) => {
    const { client, providers, passwords, passkeyUrl, forgotPasswordUrl } = options
    return {
      title: t('Sign in'),
      formRedirects: redirectUrlsOf(client),
      content: html`<p class="quiet">${t('to continue to {client}', { client: client.registration?.name ?? client.id })}</p>
${passwords ? passwordForm(t, options) : ''}
${providers.map(({ name, url }) => html`<p><a class="button" href="${url}">${t('Sign in with {provider}', { provider: name })}</a></p>\n`)}
${passkeyUrl === undefined ? '' : html`<p><a href="${passkeyUrl}">${t('Sign in with a passkey')}</a></p>`}
${forgotPasswordUrl === undefined ? '' : html`<p><a href="${forgotPasswordUrl}">${t('Forgot your password?')}</a></p>`}`,
    }
  }

function passwordForm(
  t: Translate,
  { authRequest, loginHint = '', error, retryAfter, action }: SignInPageOptions,
): Html {
  const problem = problemOf(t, error, retryAfter)
  const inputAttributes = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
  return html`<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>${t('Login')}
<input name="login" value="${loginHint}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required autofocus${inputAttributes}></label>
<label>${t('Password')}
<input name="password" type="password" autocomplete="current-password" maxlength="128" required${inputAttributes}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<button>${t('Sign in')}</button>
</form>`
}

function problemOf(t: Translate, error: string | undefined, retryAfter = ''): Html | undefined {
  if (error === 'locked') return lockedText(t, retryAfter)
  return error === undefined ? undefined : t('The login or the password is wrong.')
}
