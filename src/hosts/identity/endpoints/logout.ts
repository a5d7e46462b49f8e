import type { JWTPayload } from 'jose'
import { supportedLanguage } from '../../../model/language.ts'
import {
  type Call,
  type Endpoint,
  type Handler,
  type HandlerResult,
  type Identity,
  parseParameters,
  requireShortState,
  type SingleParameters,
  singleParameters,
} from '../core/endpoint.ts'
import {
  formOperation,
  localesParameter,
  optional,
  pageOperation,
  required,
} from '../core/operation-parts.ts'
import {
  hostedSignOutPath,
  hostOrigin,
  hostPath,
  hostPathWithQuery,
  signedOutPath,
  signedOutUrl,
  signInPageUrl,
  unregisteredAddressReason,
  withQuery,
} from '../core/redirects.ts'
import { endSession } from '../core/sessions.ts'
import { parseTokenHint } from '../core/tokens.ts'
import { signOutAtProvider } from '../federation/provider-redirects.ts'
import { type PageTemplate, signedOutPage } from '../pages/page.ts'
import { html } from '../pages/texts.ts'
import {
  clearedCookie,
  findBrowserSession,
  isSentByOtherSite,
  openSignOut,
  readSessionId,
  requireAllowedOrigin,
  requireNoPrefetch,
  type SignOut,
  sealSignOut,
} from '../sign-in/browser.ts'
import { type Client, redirectUrlsOf } from '../values/clients.ts'

/**
 * OpenID Connect RP-Initiated Logout 1.0, 2. An invalid hint or an unregistered address is ignored, and the
 * user is still signed out.
 */
export const endSessionByQuery: Endpoint = {
  id: 'EndSession',
  tag: 'Authorization',
  summary: 'Signs out of the identity session (OpenID Connect RP-Initiated Logout).',
  description:
    'The session ends, and the browser is redirected to the post-logout address if it is registered. If another site sent the browser without an identity token of the session, the user has to confirm first.',
  method: 'GET',
  path: '/connect/endsession',
  parameters: [
    optional('id_token_hint', 'An identity token of the session to end.'),
    optional('client_id', 'The client.'),
    optional(
      'post_logout_redirect_uri',
      'One of the registered addresses of the client; they are compared exactly.',
    ),
    optional('state', 'Returned unchanged.'),
  ],
  errors: [400],
  createHandler:
    (identity) =>
    async ({ parameters: raw, headers }) => {
      const parameters = parseParameters(raw)
      requireShortState(parameters)
      const { post_logout_redirect_uri: address, state, ui_locales: locales } = parameters
      const hint = await parseHint(identity, parameters)
      const client = findClient(identity, parameters.client_id ?? audienceOf(hint), address)
      const logoutId = sealSignOut(identity, {
        sessionId: typeof hint?.sid === 'string' ? hint.sid : undefined,
        returnTo: client && address,
        isAddressUnknown: address !== undefined && !client,
        state,
        clientId: client?.id,
        language: supportedLanguage(locales),
        isSentByOtherSite: isSentByOtherSite(identity.settings, headers),
      })
      return { redirectTo: hostPathWithQuery(identity.settings, '/api/account/logout', { logoutId }) }
    },
}

export const endSessionByForm: Endpoint = {
  ...endSessionByQuery,
  id: 'EndSessionByForm',
  summary: 'Signs out of the identity session, with form parameters.',
  description:
    'OpenID Connect requires providers to accept POST. The parameters are those of the GET request.',
  method: 'POST',
}

/** Parses the hint. An identity token of another client is invalid if the request has a client id. */
async function parseHint(
  identity: Identity,
  { id_token_hint: hint, client_id: clientId }: SingleParameters,
): Promise<JWTPayload | undefined> {
  const claims = hint === undefined ? undefined : await parseTokenHint(identity, hint)
  return clientId === undefined || clientId === audienceOf(claims) ? claims : undefined
}

const audienceOf = (hint: JWTPayload | undefined): string | undefined =>
  typeof hint?.aud === 'string' ? hint.aud : undefined

/**
 * Finds the client that requests the sign-out. A post-logout address must be registered for it. Without a
 * client id, any client with that address matches.
 */
function findClient(
  { clients }: Identity,
  clientId: string | undefined,
  address: string | undefined,
): Client | undefined {
  if (address === undefined) return clients.get(clientId ?? '')
  return [...clients.values()].find(
    ({ id, postLogoutRedirectUris }) =>
      (clientId === undefined || id === clientId) && postLogoutRedirectUris.includes(address),
  )
}

const signOutParameter = required(
  'logoutId',
  'The sealed sign-out request, as issued by /connect/endsession.',
)
const confirmationParameter = required('logoutId', 'The sealed sign-out request that the user has confirmed.')
const signedOutPageDescription = 'The session has ended; the requested redirect address is not registered.'

/**
 * Ends the session in the store, removes the cookie, and redirects the browser as the client requested.
 * If another site sent the browser, the user has to confirm first, unless that site has an identity token of
 * this session.
 */
export const logOut: Endpoint = {
  id: 'LogOut',
  tag: 'SignIn',
  summary:
    'Ends the session, removes the cookie, and redirects the browser to the post-logout address, or first to a confirmation page if another site sent the browser.',
  description:
    '/connect/endsession redirects browsers here. The `logoutId` is valid for five minutes; that of a confirmation page for a day.',
  method: 'GET',
  path: '/api/account/logout',
  parameters: [signOutParameter],
  page: signedOutPageDescription,
  errors: [400, 403],
  createHandler: (identity) => async (call) => {
    const { parameters, headers } = call
    requireNoPrefetch(headers)
    const signOut = await openSignOut(identity, singleParameters(parameters).logoutId)
    const session = await findBrowserSession(identity, headers)
    // Checked again: another site may obtain a logoutId with a request of its own, and then send the browser
    // here with it.
    const isFromOtherSite = signOut.isSentByOtherSite || isSentByOtherSite(identity.settings, headers)
    if (session !== undefined && session.sessionId !== signOut.sessionId && isFromOtherSite)
      return { redirectTo: confirmationPageUrl(identity, { ...signOut, askedSessionId: session.sessionId }) }
    return finishSignOut(identity, call, signOut, [signOut.sessionId, session?.sessionId])
  },
}

export const confirmLogOut: Endpoint = {
  id: 'ConfirmLogOut',
  tag: 'SignIn',
  summary: 'Signs out after the user has confirmed.',
  description: 'Accepted only from an allowed origin, such as that of the confirmation page.',
  method: 'POST',
  path: '/api/account/logout',
  parameters: [confirmationParameter],
  page: signedOutPageDescription,
  errors: [403],
  createHandler: (identity) => confirmationHandler(identity, identity.settings.allowedOrigins),
}

export const showSignOut: Endpoint = {
  ...pageOperation,
  id: 'ShowSignOut',
  summary: 'Asks the user to confirm the sign-out, for clients that have no page for it.',
  description: 'This host redirects browsers here.',
  path: hostedSignOutPath,
  parameters: [signOutParameter],
  page: 'The question.',
  createHandler:
    (identity) =>
    async ({ parameters }) => {
      const { logoutId = '' } = singleParameters(parameters)
      const { clientId = '', language } = await openSignOut(identity, logoutId)
      const action = hostPath(identity.settings, hostedSignOutPath)
      return { page: signOutPage(identity.clients.get(clientId), logoutId, action), language }
    },
}

export const submitSignOut: Endpoint = {
  ...formOperation,
  id: 'AnswerSignOut',
  summary: 'Signs out.',
  path: hostedSignOutPath,
  parameters: [confirmationParameter],
  createHandler: (identity) => confirmationHandler(identity, [hostOrigin(identity.settings)]),
}

export const showSignedOut: Endpoint = {
  ...pageOperation,
  id: 'ShowSignedOut',
  summary: 'Confirms that the user is signed out.',
  description: 'A sign-out without a redirect address ends here.',
  path: signedOutPath,
  parameters: [
    localesParameter,
    optional(
      'reason',
      'The reason for not redirecting: `address` if the requested address is not registered.',
    ),
  ],
  page: 'The page.',
  createHandler:
    () =>
    async ({ parameters }) => {
      const { reason, ui_locales: locales } = singleParameters(parameters)
      return {
        page: signedOutPage({ isAddressUnknown: reason === unregisteredAddressReason }),
        language: supportedLanguage(locales),
      }
    },
}

/** Creates the handler of a confirmation on a page of these origins. */
const confirmationHandler =
  (identity: Identity, origins: readonly string[]): Handler =>
  async (call) => {
    const { parameters, headers } = call
    requireAllowedOrigin(origins, headers, { subject: 'The sign-out' })
    const signOut = await openSignOut(identity, singleParameters(parameters).logoutId)
    const sessionId = await readSessionId(identity, headers)
    return finishSignOut(identity, call, signOut, [signOut.sessionId, signOut.askedSessionId, sessionId])
  }

async function finishSignOut(
  identity: Identity,
  call: Call,
  signOut: SignOut,
  sessionIds: readonly (string | undefined)[],
): Promise<HandlerResult> {
  const { address, requestId } = call
  const endedSessionIds: string[] = []
  for (const session of new Set(sessionIds))
    if (session !== undefined && (await endSession(identity, session))) {
      endedSessionIds.push(session)
      identity.securityLog({ event: 'session-ended', outcome: 'sign-out', session, address, requestId })
    }
  const { isAddressUnknown, language } = signOut
  const returnTo = returnUrl(identity, signOut)
  const federated = await signOutAtProvider(identity, call, endedSessionIds, { returnTo, language })
  if (federated) return federated
  const cookie = clearedCookie(identity)
  return isAddressUnknown
    ? { page: signedOutPage({ isAddressUnknown }), language, cookie }
    : { redirectTo: returnTo, cookie }
}

/**
 * Returns the URL of the confirmation page: this host's own page for a registered client, and otherwise the
 * sign-in page of the web client.
 */
function confirmationPageUrl(identity: Identity, signOut: SignOut): string {
  const parameters = { logoutId: sealSignOut(identity, signOut) }
  return usesHostedPages(identity, signOut)
    ? hostPathWithQuery(identity.settings, hostedSignOutPath, parameters)
    : signInPageUrl(identity.settings, signOut.returnTo, parameters)
}

/** Registered clients have no pages of their own for the sign-in and the sign-out. */
const usesHostedPages = ({ clients }: Identity, { clientId = '' }: SignOut): boolean =>
  clients.get(clientId)?.registration !== undefined

function returnUrl(identity: Identity, signOut: SignOut): string {
  const { settings } = identity
  const { returnTo, state, isAddressUnknown, language } = signOut
  if (isAddressUnknown || (returnTo === undefined && usesHostedPages(identity, signOut)))
    return signedOutUrl(settings, { isAddressUnknown, language })
  if (returnTo === undefined) return signInPageUrl(settings, undefined, {})
  return withQuery(returnTo, state === undefined ? {} : { state })
}

const signOutPage =
  (client: Client | undefined, logoutId: string, action: string): PageTemplate =>
  (t) => ({
    title: t('Sign out?'),
    ...(client && { formRedirects: redirectUrlsOf(client) }),
    content: html`<p>${t('This signs you out of every app that you use with this account in this browser. If you did not request it, close this page.')}</p>
<form method="post" action="${action}">
<input type="hidden" name="logoutId" value="${logoutId}">
<button>${t('Sign out')}</button>
</form>`,
  })
