import type { JWTPayload } from 'jose'
import { supportedLanguage } from '../../../model/language.ts'
import {
  type Call,
  type Endpoint,
  type Handler,
  type HandlerResult,
  type Identity,
  type Parameters,
  parseParameters,
  requireShortState,
  singleParameters,
} from '../core/endpoint.ts'
import {
  formOperation,
  localesParameter,
  optional,
  pageOperation,
  required,
} from '../core/operation-parts.ts'
import { endSession } from '../core/sessions.ts'
import { parseTokenHint } from '../core/tokens.ts'
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
} from '../core/urls.ts'
import { signOutAtProvider } from '../federation/provider-redirects.ts'
import { signedOutPage, signOutPage } from '../pages/sign-in.ts'
import {
  clearedCookie,
  findBrowserSession,
  openSignOut,
  readSessionId,
  type SignOut,
  sealSignOut,
} from '../sign-in/browser-session.ts'
import { isSentByOtherSite, requireAllowedOrigin, requireNoPrefetch } from '../sign-in/sign-in-origin.ts'
import type { Client } from '../values/clients.ts'

/**
 * OpenID Connect RP-Initiated Logout 1.0, 2. An invalid hint or an unregistered address is ignored; neither
 * keeps the user signed in.
 */
export const endSessionByQuery: Endpoint = {
  id: 'EndSession',
  tag: 'Authorization',
  summary: 'Signs out of the identity session (OpenID Connect RP-Initiated Logout).',
  description:
    'The session ends, and the browser goes to the post-logout address; to one that is not registered it does not go. A browser that another site has sent without an identity token of the session is asked first.',
  method: 'GET',
  path: '/connect/endsession',
  parameters: [
    optional('id_token_hint', 'An identity token of the session to end.'),
    optional('client_id', 'The client.'),
    optional('post_logout_redirect_uri', 'One of its registered addresses, letter for letter.'),
    optional('state', 'Comes back unchanged.'),
  ],
  errors: [400],
  handler:
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
  summary: 'The same, sent as a form.',
  description: 'As OpenID Connect wants it of every provider: the parameters are those of the query.',
  method: 'POST',
}

/** Parses the hint; an identity token of a client other than the named one is invalid, too. */
async function parseHint(
  identity: Identity,
  { id_token_hint: hint, client_id: named }: Parameters,
): Promise<JWTPayload | undefined> {
  const claims = hint === undefined ? undefined : await parseTokenHint(identity, hint)
  return named === undefined || named === audienceOf(claims) ? claims : undefined
}

const audienceOf = (hint: JWTPayload | undefined): string | undefined =>
  typeof hint?.aud === 'string' ? hint.aud : undefined

/**
 * Finds the client that requests the sign-out. A post-logout address must be registered for it; without a
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

const signOutParameter = required('logoutId', 'The checked sign-out.')
const confirmationParameter = required('logoutId', 'The sign-out that the person was asked about.')
const signedOutPageDescription = 'The session has ended; the requested redirect address is not registered.'

/**
 * Ends the session in the store, removes the cookie, and redirects the browser as the client requested.
 * Another site could also send a browser here; in that case the user is asked first, unless that site has an
 * identity token of this session.
 */
export const logOut: Endpoint = {
  id: 'LogOut',
  tag: 'SignIn',
  summary:
    'Ends the session, removes the cookie, and sends the browser to the post-logout address; to the sign-in page with a `logoutId` when another site sent it and the person has to be asked first.',
  description:
    'The page after a checked sign-out. The id is valid for a short time and in this browser only.',
  method: 'GET',
  path: '/api/account/logout',
  parameters: [signOutParameter],
  page: signedOutPageDescription,
  errors: [400, 403],
  handler: (identity) => async (call) => {
    const { parameters, headers } = call
    requireNoPrefetch(headers)
    const signOut = await openSignOut(identity, singleParameters(parameters).logoutId)
    const session = await findBrowserSession(identity, headers)
    // Checked again here: another site may have requested the checked sign-out itself.
    const isForeign = signOut.isSentByOtherSite || isSentByOtherSite(identity.settings, headers)
    if (session !== undefined && session.sessionId !== signOut.sessionId && isForeign)
      return { redirectTo: confirmationPageUrl(identity, { ...signOut, askedSessionId: session.sessionId }) }
    return finishSignOut(identity, call, signOut, [signOut.sessionId, session?.sessionId])
  },
}

export const confirmLogOut: Endpoint = {
  id: 'ConfirmLogOut',
  tag: 'SignIn',
  summary: 'Takes the post of the page that asked whether to sign out, and does so.',
  description: 'From the origin of that page only.',
  method: 'POST',
  path: '/api/account/logout',
  parameters: [confirmationParameter],
  page: signedOutPageDescription,
  errors: [403],
  handler: (identity) => confirmationHandler(identity, identity.settings.allowedOrigins),
}

export const showSignOut: Endpoint = {
  ...pageOperation,
  id: 'ShowSignOut',
  summary: 'Asks the user whether to sign out, for clients that have no page for it.',
  description: 'This host redirects browsers here.',
  path: hostedSignOutPath,
  parameters: [signOutParameter],
  page: 'The question.',
  handler:
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
  handler: (identity) => confirmationHandler(identity, [hostOrigin(identity.settings)]),
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
  handler:
    () =>
    async ({ parameters }) => {
      const { reason, ui_locales: locales } = singleParameters(parameters)
      return {
        page: signedOutPage({ isAddressUnknown: reason === unregisteredAddressReason }),
        language: supportedLanguage(locales),
      }
    },
}

/** Creates the handler of a confirmation that a page of these origins posts. */
const confirmationHandler =
  (identity: Identity, origins: readonly string[]): Handler =>
  async (call) => {
    const { parameters, headers } = call
    requireAllowedOrigin(origins, headers, 'The sign-out')
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
  const ended: string[] = []
  for (const session of new Set(sessionIds))
    if (session !== undefined && (await endSession(identity, session))) {
      ended.push(session)
      identity.securityLog({ event: 'session-ended', outcome: 'sign-out', session, address, requestId })
    }
  const { isAddressUnknown, language } = signOut
  const returnTo = returnUrl(identity, signOut)
  const federated = await signOutAtProvider(identity, call, ended, { returnTo, language })
  if (federated) return federated
  const cookie = clearedCookie(identity)
  return isAddressUnknown
    ? { page: signedOutPage({ isAddressUnknown }), language, cookie }
    : { redirectTo: returnTo, cookie }
}

/**
 * Returns the URL of the page that asks the user. It belongs to the client that requested the sign-out, as
 * for a sign-in.
 */
function confirmationPageUrl(identity: Identity, signOut: SignOut): string {
  const parameters = { logoutId: sealSignOut(identity, signOut) }
  return isRegistered(identity, signOut)
    ? hostPathWithQuery(identity.settings, hostedSignOutPath, parameters)
    : signInPageUrl(identity.settings, signOut.returnTo, parameters)
}

const isRegistered = ({ clients }: Identity, { clientId = '' }: SignOut): boolean =>
  clients.get(clientId)?.registration !== undefined

function returnUrl(identity: Identity, signOut: SignOut): string {
  const { settings } = identity
  const { returnTo, state, isAddressUnknown, language } = signOut
  if (isAddressUnknown || (returnTo === undefined && isRegistered(identity, signOut)))
    return signedOutUrl(settings, { isAddressUnknown, language })
  if (returnTo === undefined) return signInPageUrl(settings, undefined, {})
  return withQuery(returnTo, state === undefined ? {} : { state })
}
