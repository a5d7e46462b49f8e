import type { IncomingHttpHeaders } from 'node:http'
import { AuthorizationRefusal, answerClient } from '../authorization/answer-client.ts'
import { hasConsented } from '../authorization/consent.ts'
import { isSatisfiedBy } from '../authorization/is-satisfied.ts'
import { issueCode } from '../authorization/issue-code.ts'
import {
  openPendingRequest,
  type PendingRequest,
  sealPendingRequest,
} from '../authorization/pending-request.ts'
import {
  type AuthorizationRequest,
  readAuthorizationRequest,
} from '../authorization/read-authorization-request.ts'
import { lacksSecondFactor } from '../factors/account-factors.ts'
import type { Identity } from '../identity.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { type GivenParameters, readSingle } from '../parameters.ts'
import type { Answer, Endpoint } from '../route.ts'
import type { LiveSession } from '../sessions.ts'
import { onThisHost, signInPage } from '../sign-in/addresses.ts'
import { findBrowserSession, findCookie, removedCookie } from '../sign-in/identity-cookie.ts'
import { reportError } from '../sign-in/reported-error.ts'
import { readTokenHint } from '../tokens/verify-token.ts'
import { consentPath } from './consent.ts'

/** RFC 6749, 4.1 with PKCE (RFC 7636) and OpenID Connect Core, 3.1.2. */
export const authorize =
  (identity: Identity): Endpoint =>
  async ({ parameters, headers }) => {
    try {
      const pending = await readPending(identity, parameters)
      if (!pending) return { redirectTo: signInPage(identity.settings, undefined, { error: 'request' }) }
      const hintedAccountId = await readHint(identity, pending.request)
      const session = await findBrowserSession(identity, headers)
      if (
        !session ||
        lacksSecondFactor(identity, session) ||
        !isSatisfiedBy(pending, session, hintedAccountId, identity.now())
      )
        return askToSignIn(identity, pending, session, headers)
      if (!(await hasConsented(identity, pending, session))) return askForConsent(identity, pending, session)
      const code = await issueCode(identity, pending.request, session)
      return answerClient(pending.request.replyTo, identity.settings.issuer, { code })
    } catch (error) {
      return refuse(identity, error)
    }
  }

/** A new request, or one that comes back from the sign-in page. */
async function readPending(
  identity: Identity,
  parameters: GivenParameters,
): Promise<PendingRequest | undefined> {
  const { authRequest } = readSingle(parameters)
  if (authRequest !== undefined) return openPendingRequest(identity, authRequest)
  return { request: readAuthorizationRequest(identity.clients, parameters), since: identity.now() }
}

/** The account that the client expects to be signed in. */
async function readHint(identity: Identity, request: AuthorizationRequest): Promise<string | undefined> {
  if (request.idTokenHint === undefined) return undefined
  const claims = await readTokenHint(identity, request.idTokenHint)
  if (claims?.aud !== request.clientId)
    throw new AuthorizationRefusal(
      request.replyTo,
      invalidRequest('id_token_hint is no identity token of this client.'),
    )
  return claims.sub
}

function askToSignIn(
  identity: Identity,
  pending: PendingRequest,
  session: LiveSession | undefined,
  headers: IncomingHttpHeaders,
): Answer {
  const mayShowPage = !pending.request.prompts.has('none')
  const hasJustSignedIn = session !== undefined && session.provedAt >= pending.since
  if (!mayShowPage || hasJustSignedIn)
    throw new AuthorizationRefusal(
      pending.request.replyTo,
      new OAuthError('login_required', 'The user has to sign in.'),
    )
  const authRequest = sealPendingRequest(identity, { ...pending, sessionId: session?.sessionId })
  return {
    redirectTo: onThisHost(identity.settings, '/api/account/login-page', { authRequest }),
    // A form of another site comes without the cookie, and must not make the browser lose it.
    cookie: !session && findCookie(identity, headers) !== undefined ? removedCookie(identity) : undefined,
  }
}

function askForConsent(identity: Identity, pending: PendingRequest, { sessionId }: LiveSession): Answer {
  const { prompts, replyTo } = pending.request
  if (prompts.has('none'))
    throw new AuthorizationRefusal(replyTo, new OAuthError('consent_required', 'The user has to be asked.'))
  const authRequest = sealPendingRequest(identity, { ...pending, sessionId })
  return { redirectTo: onThisHost(identity.settings, consentPath, { authRequest }) }
}

function refuse(identity: Identity, error: unknown): Answer {
  if (error instanceof AuthorizationRefusal) {
    const { code, message } = error.reason
    const answer = { error: code, error_description: message }
    return answerClient(error.replyTo, identity.settings.issuer, answer)
  }
  if (error instanceof OAuthError) return { redirectTo: reportError(identity, error) }
  throw error
}
