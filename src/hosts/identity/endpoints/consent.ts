import { answerClient } from '../authorization/answer-client.ts'
import { grantConsent, isAnyProgram } from '../authorization/consent.ts'
import {
  openPendingRequest,
  type PendingRequest,
  sealPendingRequest,
} from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { consentPage } from '../pages/consent.ts'
import { overPage } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Answer, Call, Endpoint } from '../route.ts'
import type { LiveSession } from '../sessions.ts'
import { onThisHost, ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { findBrowserSession } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'

export const consentPath = '/ext/consent'

/** Asks the person who is signed in whether the client may. */
export const askConsent = (identity: Identity): Endpoint =>
  withPending(identity, async (_call, { request }, { name, login }, authRequest) => ({
    page: consentPage({
      ...request,
      isAskedAgain: isAnyProgram(request),
      person: { name, login },
      authRequest,
      action: ownAddress(identity.settings, consentPath),
    }),
    language: request.language,
  }))

/** The answer to it: kept with the account that was shown, or told to the client. */
export const answerConsent = (identity: Identity): Endpoint =>
  withPending(identity, async (call, pending, session) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers, 'The answer')
    const isAllowed = readSingle(call.parameters).answer === 'allow'
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
      return answerClient(pending.request.replyTo, identity.settings.issuer, {
        error: 'access_denied',
        error_description: 'The user did not allow it.',
      })
    await grantConsent(identity, pending, session)
    return backToAuthorize(
      identity,
      sealPendingRequest(identity, { ...pending, allowedBy: session.accountId }),
    )
  })

type WithPending = (
  call: Call,
  pending: PendingRequest,
  session: LiveSession,
  authRequest: string,
) => Promise<Answer>

/** Only the session that was asked may answer: in another tab somebody else may have signed in meanwhile. */
const withPending =
  (identity: Identity, answer: WithPending): Endpoint =>
  async (call) => {
    const { authRequest } = readSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: overPage }
    const session = await findBrowserSession(identity, call.headers)
    if (session === undefined || session.sessionId !== pending.sessionId)
      return backToAuthorize(identity, authRequest)
    return answer(call, pending, session, authRequest)
  }

const backToAuthorize = ({ settings }: Identity, authRequest: string): Answer => ({
  redirectTo: onThisHost(settings, '/connect/authorize', { authRequest }),
})
