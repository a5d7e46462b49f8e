import {
  openPendingRequest,
  type PendingRequest,
  sealPendingRequest,
} from '../authorization/authorization-request.ts'
import { respondToClient } from '../authorization/client-response.ts'
import { canBeImpersonated, grantConsent } from '../authorization/consent.ts'
import {
  type Call,
  type Endpoint,
  type Handler,
  type HandlerResult,
  type Identity,
  singleParameters,
} from '../core/endpoint.ts'
import { authRequestParameter, formOperation, pageOperation, required } from '../core/operation-parts.ts'
import type { ActiveSession } from '../core/sessions.ts'
import { consentPath, hostOrigin, hostPath, hostPathWithQuery } from '../core/urls.ts'
import { html } from '../pages/html.ts'
import type { PageTemplate } from '../pages/page.ts'
import { outdatedPage } from '../pages/sign-in.ts'
import type { PlainText } from '../pages/texts.ts'
import { findBrowserSession } from '../sign-in/browser-session.ts'
import { requireAllowedOrigin } from '../sign-in/sign-in-origin.ts'
import { type Client, redirectUrlsOf } from '../values/clients.ts'

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
      requireAllowedOrigin([hostOrigin(identity.settings)], call.headers, 'The answer')
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
