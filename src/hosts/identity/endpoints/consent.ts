import { answerClient } from '../authorization/answer-client.ts'
import { grantConsent, isAnyProgram } from '../authorization/consent.ts'
import {
  openPendingRequest,
  type PendingRequest,
  sealPendingRequest,
} from '../authorization/pending-request.ts'
import { consentPath, onThisHost, ownAddress, ownOrigin } from '../core/addresses.ts'
import { authRequestParameter, pageOperation, postedForm, required } from '../core/describe.ts'
import { type Answer, type Call, type Endpoint, type Handler, parseSingle } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import type { LiveSession } from '../core/sessions.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import { outdatedPage } from '../pages/sign-in.ts'
import type { PlainText } from '../pages/texts.ts'
import { findBrowserSession } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/sign-in-origin.ts'
import { addressesOf, type Client } from '../values/clients.ts'

export const askConsent: Endpoint = {
  ...pageOperation,
  id: 'ShowConsent',
  summary: 'Asks the user for consent to a client that is not first-party.',
  description: 'This host redirects browsers here.',
  path: consentPath,
  parameters: [authRequestParameter],
  page: 'The question.',
  handler: (identity) =>
    withPending(identity, async (_call, { request }, { name, login }, authRequest) => ({
      page: consentPage({
        ...request,
        isRepeated: isAnyProgram(request),
        person: { name, login },
        authRequest,
        action: ownAddress(identity.settings, consentPath),
      }),
      language: request.language,
    })),
}

/** Stores the consent for the account shown on the page; the client is notified if it is denied. */
export const answerConsent: Endpoint = {
  ...postedForm,
  id: 'AnswerConsent',
  summary: 'Processes the decision, and redirects the browser to the next step or to the client.',
  path: consentPath,
  parameters: [authRequestParameter, required('answer', '`allow`; anything else denies it.')],
  handler: (identity) =>
    withPending(identity, async (call, pending, session) => {
      requireAllowedOrigin([ownOrigin(identity.settings)], call.headers, 'The answer')
      const isAllowed = parseSingle(call.parameters).answer === 'allow'
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
    }),
}

type WithPending = (
  call: Call,
  pending: PendingRequest,
  session: LiveSession,
  authRequest: string,
) => Promise<Answer>

/**
 * Only the session that was asked may consent: meanwhile another account may have signed in in another tab.
 */
const withPending =
  (identity: Identity, answer: WithPending): Handler =>
  async (call) => {
    const { authRequest } = parseSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: outdatedPage }
    const session = await findBrowserSession(identity, call.headers)
    if (session === undefined || session.sessionId !== pending.sessionId)
      return backToAuthorize(identity, authRequest)
    return answer(call, pending, session, authRequest)
  }

const backToAuthorize = ({ settings }: Identity, authRequest: string): Answer => ({
  redirectTo: onThisHost(settings, '/connect/authorize', { authRequest }),
})

export interface ConsentPageOptions {
  readonly client: Client
  readonly scopes: readonly string[]
  /** The account that the client would see. */
  readonly person: { readonly name: string; readonly login: string }
  readonly redirectUri: string
  /** The consent is valid for this request only. */
  readonly isRepeated: boolean
  readonly authRequest: string
  readonly action: string
}

const consentPage =
  ({ client, scopes, person, redirectUri, isRepeated, ...form }: ConsentPageOptions): Page =>
  (say) => {
    const asking = client.registration?.name ?? client.id
    return {
      title: say('Allow {client}?', { client: asking }),
      leadsTo: addressesOf(client),
      content: html`<p>${say('You are signed in as {name} ({login}). {client} asks to:', { ...person, client: asking })}</p>
<ul>
${scopes.flatMap((scope) => {
  const meaning = meanings[scope]
  return meaning === undefined ? [] : [html`<li>${say(meaning)}</li>\n`]
})}
</ul>
<form method="post" action="${form.action}">
<input type="hidden" name="authRequest" value="${form.authRequest}">
<button name="answer" value="allow">${say('Allow')}</button>
<button name="answer" value="deny" class="second">${say('Do not allow')}</button>
</form>
<p class="quiet">${say(isRepeated ? repeated : askedOnce, { place: placeOf(redirectUri) })}</p>`,
    }
  }

const askedOnce =
  'Either way you return to {place}. You will not be asked again for permissions that you have granted.'
const repeated =
  'Either way you return to {place}, an address of this device. You will be asked each time, because another program on it could use the same address.'

/** The meaning of each scope, as shown to the user. */
const meanings: Readonly<Record<string, PlainText>> = {
  openid: 'confirm your identity',
  profile: 'see your name and your login',
  email: 'see your mail address',
  'svc.api': 'see and change everything that you can see and change here, in your name',
  'svc.grpc': 'do the same through the command interface',
  offline_access: 'stay connected while you are away, until eight hours after your sign-in',
}

/** Returns the host of the client or, for an app on a device, its scheme. */
function placeOf(address: string): string {
  const { host, protocol } = new URL(address)
  return /^https?:$/.test(protocol) ? host : protocol
}
