import type { IncomingHttpHeaders } from 'node:http'
import { timestamp } from '../../../db/columns.ts'
import { sql } from '../../../db/sql.ts'
import {
  type AuthorizationRequest,
  canBeImpersonated,
  grantConsent,
  hasConsented,
  openPendingRequest,
  type PendingRequest,
  receivePendingRequest,
  sealPendingRequest,
} from '../authorization/authorization-request.ts'
import {
  type Call,
  type Endpoint,
  type Handler,
  type HandlerResult,
  type Identity,
  invalidRequest,
  OAuthError,
  singleParameters,
} from '../core/endpoint.ts'
import {
  authRequestParameter,
  formOperation,
  optional,
  pageOperation,
  required,
} from '../core/operation-parts.ts'
import {
  AuthorizationError,
  consentPath,
  errorPageUrl,
  hostOrigin,
  hostPath,
  hostPathWithQuery,
  respondToClient,
  signInPageUrl,
} from '../core/redirects.ts'
import type { ActiveSession } from '../core/sessions.ts'
import { createOpaqueToken, parseTokenHint } from '../core/tokens.ts'
import { lacksSecondFactor } from '../factors/account-factors.ts'
import { outdatedPage, type PageTemplate } from '../pages/page.ts'
import { html, type PlainText } from '../pages/texts.ts'
import {
  clearedCookie,
  findBrowserSession,
  findSessionCookie,
  requireAllowedOrigin,
} from '../sign-in/browser.ts'
import { type Client, redirectUrlsOf } from '../values/clients.ts'

/** RFC 6749, 4.1 with PKCE (RFC 7636) and OpenID Connect Core, 3.1.2. */
export const authorize: Endpoint = {
  id: 'Authorize',
  tag: 'Authorization',
  summary: 'Starts the authorization code flow with PKCE, or continues it after the sign-in.',
  description:
    'Clients redirect browsers here. From here, the browser is redirected to the sign-in page, or back to redirect_uri with a code or an error. If the client or redirect_uri is wrong, the browser is redirected to the default sign-in page with an `errorId`.',
  method: 'GET',
  path: '/connect/authorize',
  parameters: [
    required('client_id', 'The client, such as `svc-webclient`.'),
    required('redirect_uri', 'One of the registered addresses of the client; they are compared exactly.'),
    required('response_type', '`code`'),
    required('scope', 'Scopes, separated by spaces.'),
    required('code_challenge', 'The base64url form of the SHA-256 of the verifier (RFC 7636).'),
    required('code_challenge_method', '`S256`'),
    optional('state', 'Returned unchanged.'),
    optional('nonce', 'Returned in the identity token.'),
    optional('prompt', '`none`, `login`, `consent`, `select_account`'),
    optional('max_age', 'The maximum number of seconds since the sign-in.'),
    optional('id_token_hint', 'An identity token of the account that should be signed in.'),
    optional('response_mode', '`query`'),
    optional(
      'authRequest',
      'A pending request that returns from the sign-in page, instead of all other parameters.',
    ),
  ],
  errors: [400],
  createHandler:
    (identity) =>
    async ({ parameters, headers }) => {
      try {
        const pending = await receivePendingRequest(identity, parameters)
        if (!pending) return { redirectTo: signInPageUrl(identity.settings, undefined, { error: 'request' }) }
        const hintedAccountId = await parseHint(identity, pending.request)
        const session = await findBrowserSession(identity, headers)
        if (
          !session ||
          lacksSecondFactor(identity, session) ||
          !isSatisfiedBy(pending, session, hintedAccountId, identity.now())
        )
          return askToSignIn(identity, pending, session, headers)
        if (!(await hasConsented(identity, pending, session)))
          return askForConsent(identity, pending, session)
        const code = await issueCode(identity, pending.request, session)
        return respondToClient(pending.request.replyTo, identity.settings.issuer, { code })
      } catch (error) {
        return errorResult(identity, error)
      }
    },
}

export const authorizeByForm: Endpoint = {
  ...authorize,
  id: 'AuthorizeByForm',
  summary: 'Starts the authorization code flow, with form parameters.',
  description:
    'OpenID Connect requires providers to accept POST. The parameters are those of the GET request.',
  method: 'POST',
}

/** Returns the id of the account that the client expects to be signed in. */
async function parseHint(identity: Identity, request: AuthorizationRequest): Promise<string | undefined> {
  if (request.idTokenHint === undefined) return undefined
  const claims = await parseTokenHint(identity, request.idTokenHint)
  if (claims?.aud !== request.clientId)
    throw new AuthorizationError(
      request.replyTo,
      invalidRequest('id_token_hint is not an identity token of this client.'),
    )
  return claims.sub
}

function askToSignIn(
  identity: Identity,
  pending: PendingRequest,
  session: ActiveSession | undefined,
  headers: IncomingHttpHeaders,
): HandlerResult {
  const mayShowPage = !pending.request.prompts.has('none')
  const hasJustSignedIn = session !== undefined && session.authenticatedAt >= pending.since
  // A user who has just signed in would be asked in an endless loop.
  if (!mayShowPage || hasJustSignedIn)
    throw new AuthorizationError(
      pending.request.replyTo,
      new OAuthError('login_required', 'The user has to sign in.'),
    )
  const authRequest = sealPendingRequest(identity, { ...pending, sessionId: session?.sessionId })
  return {
    redirectTo: hostPathWithQuery(identity.settings, '/api/account/login-page', { authRequest }),
    // A form posted from another site comes without the cookie. The response must not delete it from the
    // browser.
    cookie:
      !session && findSessionCookie(identity, headers) !== undefined ? clearedCookie(identity) : undefined,
  }
}

function askForConsent(
  identity: Identity,
  pending: PendingRequest,
  { sessionId }: ActiveSession,
): HandlerResult {
  const { prompts, replyTo } = pending.request
  if (prompts.has('none'))
    throw new AuthorizationError(replyTo, new OAuthError('consent_required', 'The user has to give consent.'))
  const authRequest = sealPendingRequest(identity, { ...pending, sessionId })
  return { redirectTo: hostPathWithQuery(identity.settings, consentPath, { authRequest }) }
}

function errorResult(identity: Identity, error: unknown): HandlerResult {
  if (error instanceof AuthorizationError) {
    const { code, message } = error.reason
    const response = { error: code, error_description: message }
    return respondToClient(error.replyTo, identity.settings.issuer, response)
  }
  if (error instanceof OAuthError) return { redirectTo: errorPageUrl(identity, error) }
  throw error
}

/** True if the session satisfies the request. Otherwise a new sign-in is needed. */
function isSatisfiedBy(
  { request: { prompts, maxAgeSeconds }, since }: PendingRequest,
  { accountId, signedInAt, authenticatedAt }: ActiveSession,
  hintedAccountId: string | undefined,
  now: number,
): boolean {
  if (hintedAccountId !== undefined && hintedAccountId !== accountId) return false
  // The user has signed in for this request. Otherwise the page would be shown forever.
  if (authenticatedAt >= since) return true
  // To select an account, the user must sign in again. A provider need not authenticate the user again.
  if (prompts.has('login') || (prompts.has('select_account') && signedInAt < since)) return false
  return maxAgeSeconds === undefined || authenticatedAt + maxAgeSeconds * 1000 > now
}

/** Enough time for one redirect and one request. */
const codeMilliseconds = 60_000

async function issueCode(
  { database, now }: Identity,
  { clientId, redirectUri, codeChallenge, scopes, nonce }: AuthorizationRequest,
  { sessionId }: ActiveSession,
): Promise<string> {
  const { token, id } = createOpaqueToken()
  const expiresAt = now() + codeMilliseconds
  await database.transaction((transaction) =>
    transaction.query(sql`
      with used as (update signin_sessions set last_used_at = ${timestamp(now())} where id = ${sessionId})
      insert into authorization_codes
        (id, session_id, client_id, redirect_uri, code_challenge, scope, nonce, expires_at)
      values (${id}, ${sessionId}, ${clientId}, ${redirectUri}, ${codeChallenge ?? null}, ${scopes.join(' ')},
        ${nonce ?? null}, ${timestamp(expiresAt)})`),
  )
  return token
}

export const showConsent: Endpoint = {
  ...pageOperation,
  id: 'ShowConsent',
  summary: 'Asks the user for consent to a client that is not first-party.',
  description: 'This host redirects browsers here.',
  path: consentPath,
  parameters: [authRequestParameter],
  page: 'The question.',
  createHandler: (identity) =>
    withPendingConsent(identity, async ({ pending: { request }, session: { name, login }, authRequest }) => ({
      page: consentPage({
        ...request,
        isAskedEachTime: canBeImpersonated(request),
        user: { name, login },
        authRequest,
        action: hostPath(identity.settings, consentPath),
      }),
      language: request.language,
    })),
}

/** Stores the consent for the account shown on the page. If it is denied, the client gets an error. */
export const submitConsent: Endpoint = {
  ...formOperation,
  id: 'AnswerConsent',
  summary: 'Processes the decision, and redirects the browser to the next step or to the client.',
  path: consentPath,
  parameters: [authRequestParameter, required('answer', '`allow`; anything else denies it.')],
  createHandler: (identity) =>
    withPendingConsent(identity, async ({ call, pending, session }) => {
      requireAllowedOrigin([hostOrigin(identity.settings)], call.headers, { subject: 'The answer' })
      const isAllowed = singleParameters(call.parameters).answer === 'allow'
      const { address, requestId } = call
      identity.securityLog({
        event: 'consent',
        outcome: isAllowed ? 'granted' : 'denied',
        account: session.accountId,
        client: pending.request.clientId,
        session: session.sessionId,
        address,
        requestId,
      })
      if (!isAllowed)
        return respondToClient(pending.request.replyTo, identity.settings.issuer, {
          error: 'access_denied',
          error_description: 'The user denied consent.',
        })
      await grantConsent(identity, pending, session)
      return backToAuthorize(
        identity,
        sealPendingRequest(identity, { ...pending, allowedBy: session.accountId }),
      )
    }),
}

interface PendingConsent {
  readonly call: Call
  readonly pending: PendingRequest
  readonly session: ActiveSession
  /** The pending request, sealed. */
  readonly authRequest: string
}

/**
 * Accepts only the session that was asked for consent, because another tab may have signed in with another
 * account since then.
 */
const withPendingConsent =
  (identity: Identity, handle: (consent: PendingConsent) => Promise<HandlerResult>): Handler =>
  async (call) => {
    const { authRequest } = singleParameters(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: outdatedPage }
    const session = await findBrowserSession(identity, call.headers)
    if (session === undefined || session.sessionId !== pending.sessionId)
      return backToAuthorize(identity, authRequest)
    return handle({ call, pending, session, authRequest })
  }

const backToAuthorize = ({ settings }: Identity, authRequest: string): HandlerResult => ({
  redirectTo: hostPathWithQuery(settings, '/connect/authorize', { authRequest }),
})

interface ConsentPageOptions {
  readonly client: Client
  readonly scopes: readonly string[]
  /** The account that the client would see. */
  readonly user: { readonly name: string; readonly login: string }
  readonly redirectUri: string
  /** True if the consent is valid for this request only. */
  readonly isAskedEachTime: boolean
  readonly authRequest: string
  readonly action: string
}

const consentPage =
  ({ client, scopes, user, redirectUri, isAskedEachTime, ...form }: ConsentPageOptions): PageTemplate =>
  (t) => {
    const clientName = client.registration?.name ?? client.id
    return {
      title: t('Allow {client}?', { client: clientName }),
      formRedirects: redirectUrlsOf(client),
      content: html`<p>${t('You are signed in as {name} ({login}). {client} asks to:', { ...user, client: clientName })}</p>
<ul>
${scopes.flatMap((scope) => {
  const description = scopeDescriptions[scope]
  return description === undefined ? [] : [html`<li>${t(description)}</li>\n`]
})}
</ul>
<form method="post" action="${form.action}">
<input type="hidden" name="authRequest" value="${form.authRequest}">
<button name="answer" value="allow">${t('Allow')}</button>
<button name="answer" value="deny" class="second">${t('Do not allow')}</button>
</form>
<p class="quiet">${t(isAskedEachTime ? askedEachTimeText : askedOnceText, { place: hostOrScheme(redirectUri) })}</p>`,
    }
  }

const askedOnceText =
  'Either way you return to {place}. You will not be asked again for permissions that you have granted.'
const askedEachTimeText =
  'Either way you return to {place}, an address on this device. You will be asked each time, because another program on this device could use the same address.'

/** The meaning of each scope, as shown to the user. */
const scopeDescriptions: Readonly<Record<string, PlainText>> = {
  openid: 'confirm your identity',
  profile: 'see your name and your login',
  email: 'see your email address',
  'svc.api': 'see and change everything that you can see and change here, in your name',
  'svc.grpc': 'do the same through the command interface',
  offline_access: 'stay connected while you are away, until eight hours after your sign-in',
}

/** Returns the host of a URL or, for an app on a device, its scheme. */
function hostOrScheme(url: string): string {
  const { host, protocol } = new URL(url)
  return /^https?:$/.test(protocol) ? host : protocol
}
