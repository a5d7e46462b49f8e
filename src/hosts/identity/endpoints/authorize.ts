import type { IncomingHttpHeaders } from 'node:http'
import { timestamp } from '../../../db/columns.ts'
import { sql } from '../../../db/sql.ts'
import {
  type AuthorizationRequest,
  type PendingRequest,
  receivePendingRequest,
  sealPendingRequest,
} from '../authorization/authorization-request.ts'
import { AuthorizationError, respondToClient } from '../authorization/client-response.ts'
import { hasConsented } from '../authorization/consent.ts'
import {
  type Endpoint,
  type HandlerResult,
  type Identity,
  invalidRequest,
  OAuthError,
} from '../core/endpoint.ts'
import { optional, required } from '../core/operation-parts.ts'
import type { ActiveSession } from '../core/sessions.ts'
import { createOpaqueToken, parseTokenHint } from '../core/tokens.ts'
import { consentPath, errorPageUrl, hostPathWithQuery, signInPageUrl } from '../core/urls.ts'
import { lacksSecondFactor } from '../factors/account-factors.ts'
import { clearedCookie, findBrowserSession, findSessionCookie } from '../sign-in/browser-session.ts'

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
    // A form posted from another site comes without the cookie; the response must not delete it from the
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

/** True if the session satisfies the request; otherwise a new sign-in is needed. */
function isSatisfiedBy(
  { request: { prompts, maxAgeSeconds }, since }: PendingRequest,
  { accountId, signedInAt, authenticatedAt }: ActiveSession,
  hintedAccountId: string | undefined,
  now: number,
): boolean {
  if (hintedAccountId !== undefined && hintedAccountId !== accountId) return false
  // The user has signed in for this very request; asking again would loop forever.
  if (authenticatedAt >= since) return true
  // To select an account, the user must sign in again, but need not be authenticated again by a provider.
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
