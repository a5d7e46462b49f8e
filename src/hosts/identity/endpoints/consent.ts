import { answerClient } from '../authorization/answer-client.ts'
import { grantConsent, isAnyProgram } from '../authorization/consent.ts'
import {
  openPendingRequest,
  type PendingRequest,
  sealPendingRequest,
} from '../authorization/pending-request.ts'
import { consentPath, onThisHost, ownAddress, ownOrigin } from '../core/addresses.ts'
import { authRequestParameter, postedForm, required, shownPage } from '../core/describe.ts'
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
  ...shownPage,
  id: 'ShowConsent',
  summary: 'Asks whether a client that is not first-party may.',
  description: 'Where this host sends browsers.',
  path: consentPath,
  parameters: [authRequestParameter],
  page: 'The question.',
  handler: (identity) =>
    withPending(identity, async (_call, { request }, { name, login }, authRequest) => ({
      page: consentPage({
        ...request,
        isAskedAgain: isAnyProgram(request),
        person: { name, login },
        authRequest,
        action: ownAddress(identity.settings, consentPath),
      }),
      language: request.language,
    })),
}

/** Consent is kept with the account that the page has shown; the client is notified when it is denied. */
export const answerConsent: Endpoint = {
  ...postedForm,
  id: 'AnswerConsent',
  summary: 'Takes the answer, and sends the browser on or back to the client.',
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

/** Only the session that was asked may answer: another account may have signed in meanwhile in another tab. */
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
  readonly isAskedAgain: boolean
  readonly authRequest: string
  readonly action: string
}

const consentPage =
  ({ client, scopes, person, redirectUri, isAskedAgain, ...form }: ConsentPageOptions): Page =>
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
<p class="quiet">${say(isAskedAgain ? askedAgain : askedOnce, { place: placeOf(redirectUri) })}</p>`,
    }
  }

const askedOnce = 'Either way you go back to {place}. You are not asked again for what you have allowed.'
const askedAgain =
  'Either way you go back to {place}, an address of this device. You are asked each time: another program on it could use the same address.'

/** The meaning of each scope, as the person sees it. */
const meanings: Readonly<Record<string, PlainText>> = {
  openid: 'know that it is you',
  profile: 'see your name and your login',
  email: 'see your mail address',
  'svc.api': 'see and change in your name whatever you can see and change here',
  'svc.grpc': 'do the same through the command interface',
  offline_access: 'stay connected without you, until eight hours after your sign-in',
}

/** The host of the client; for an app on a device, its scheme. */
function placeOf(address: string): string {
  const { host, protocol } = new URL(address)
  return /^https?:$/.test(protocol) ? host : protocol
}
