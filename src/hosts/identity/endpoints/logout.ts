import type { JWTPayload } from 'jose'
import { languageAmong } from '../../../model/language.ts'
import {
  hostedSignOutPath,
  onThisHost,
  ownAddress,
  ownOrigin,
  signedOutAddress,
  signedOutPath,
  signInPage,
  unknownAddress,
  withParameters,
} from '../core/addresses.ts'
import { localesParameter, optional, pageOperation, postedForm, required } from '../core/describe.ts'
import {
  type Answer,
  type Call,
  type Endpoint,
  type Handler,
  type Parameters,
  parseParameters,
  parseSingle,
  requireShortState,
} from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { endSession } from '../core/sessions.ts'
import { signOutAtProvider } from '../federation/sign-out.ts'
import { signedOutPage, signOutPage } from '../pages/sign-in.ts'
import { openSignOut, type SignOut, sealSignOut } from '../sign-in/browser-session.ts'
import { findBrowserSession, readSessionId, removedCookie } from '../sign-in/identity-cookie.ts'
import { isSentByOtherSite, requireAllowedOrigin, requireNoPrefetch } from '../sign-in/sign-in-origin.ts'
import { parseTokenHint } from '../tokens/verify-token.ts'
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
    async ({ parameters: given, headers }) => {
      const parameters = parseParameters(given)
      requireShortState(parameters)
      const { post_logout_redirect_uri: address, state, ui_locales: locales } = parameters
      const hint = await readHint(identity, parameters)
      const client = findClient(identity, parameters.client_id ?? audienceOf(hint), address)
      const logoutId = sealSignOut(identity, {
        sessionId: typeof hint?.sid === 'string' ? hint.sid : undefined,
        returnTo: client && address,
        isAddressUnknown: address !== undefined && !client,
        state,
        clientId: client?.id,
        language: languageAmong(locales),
        isSentByOtherSite: isSentByOtherSite(identity.settings, headers),
      })
      return { redirectTo: onThisHost(identity.settings, '/api/account/logout', { logoutId }) }
    },
}

export const endSessionByForm: Endpoint = {
  ...endSessionByQuery,
  id: 'EndSessionByForm',
  summary: 'The same, sent as a form.',
  description: 'As OpenID Connect wants it of every provider: the parameters are those of the query.',
  method: 'POST',
}

/** An identity token issued to a client other than the named one is invalid, too. */
async function readHint(
  identity: Identity,
  { id_token_hint: hint, client_id: named }: Parameters,
): Promise<JWTPayload | undefined> {
  const claims = hint === undefined ? undefined : await parseTokenHint(identity, hint)
  return named === undefined || named === audienceOf(claims) ? claims : undefined
}

const audienceOf = (hint: JWTPayload | undefined): string | undefined =>
  typeof hint?.aud === 'string' ? hint.aud : undefined

/**
 * Finds the requesting client. With an address, it must be registered for that client; without a client id,
 * any client matches.
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

const checked = required('logoutId', 'The checked sign-out.')
const asked = required('logoutId', 'The sign-out that the person was asked about.')
const signedOut = 'Where the client asked for an address that is not registered: that the session has ended.'

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
  description: 'Where a checked sign-out leads to; the id is good for a short while and for this browser.',
  method: 'GET',
  path: '/api/account/logout',
  parameters: [checked],
  page: signedOut,
  errors: [400, 403],
  handler: (identity) => async (call) => {
    const { parameters, headers } = call
    requireNoPrefetch(headers)
    const signOut = await openSignOut(identity, parseSingle(parameters).logoutId)
    const session = await findBrowserSession(identity, headers)
    // Checked again here: another site may have requested the checked sign-out itself.
    const isForeign = signOut.isSentByOtherSite || isSentByOtherSite(identity.settings, headers)
    if (session !== undefined && session.sessionId !== signOut.sessionId && isForeign)
      return { redirectTo: askPage(identity, { ...signOut, askedSessionId: session.sessionId }) }
    return finish(identity, call, signOut, [signOut.sessionId, session?.sessionId])
  },
}

export const confirmLogOut: Endpoint = {
  id: 'ConfirmLogOut',
  tag: 'SignIn',
  summary: 'Takes the post of the page that asked whether to sign out, and does so.',
  description: 'From the origin of that page only.',
  method: 'POST',
  path: '/api/account/logout',
  parameters: [asked],
  page: signedOut,
  errors: [403],
  handler: (identity) => confirmFrom(identity, identity.settings.allowedOrigins),
}

export const showSignOut: Endpoint = {
  ...pageOperation,
  id: 'ShowSignOut',
  summary: 'Asks the user whether to sign out, for clients that have no page for it.',
  description: 'This host redirects browsers here.',
  path: hostedSignOutPath,
  parameters: [checked],
  page: 'The question.',
  handler:
    (identity) =>
    async ({ parameters }) => {
      const { logoutId = '' } = parseSingle(parameters)
      const { clientId = '', language } = await openSignOut(identity, logoutId)
      const action = ownAddress(identity.settings, hostedSignOutPath)
      return { page: signOutPage(identity.clients.get(clientId), logoutId, action), language }
    },
}

export const answerSignOut: Endpoint = {
  ...postedForm,
  id: 'AnswerSignOut',
  summary: 'Signs out.',
  path: hostedSignOutPath,
  parameters: [asked],
  handler: (identity) => confirmFrom(identity, [ownOrigin(identity.settings)]),
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
      const { reason, ui_locales: locales } = parseSingle(parameters)
      return {
        page: signedOutPage({ isAddressUnknown: reason === unknownAddress }),
        language: languageAmong(locales),
      }
    },
}

const confirmFrom =
  (identity: Identity, origins: readonly string[]): Handler =>
  async (call) => {
    const { parameters, headers } = call
    requireAllowedOrigin(origins, headers, 'The sign-out')
    const signOut = await openSignOut(identity, parseSingle(parameters).logoutId)
    const sessionId = await readSessionId(identity, headers)
    return finish(identity, call, signOut, [signOut.sessionId, signOut.askedSessionId, sessionId])
  }

async function finish(
  identity: Identity,
  call: Call,
  signOut: SignOut,
  sessionIds: readonly (string | undefined)[],
): Promise<Answer> {
  const { address, requestId } = call
  const ended: string[] = []
  for (const session of new Set(sessionIds))
    if (session !== undefined && (await endSession(identity, session))) {
      ended.push(session)
      identity.securityLog({ event: 'session-ended', outcome: 'sign-out', session, address, requestId })
    }
  const { isAddressUnknown, language } = signOut
  const returnTo = afterSignOut(identity, signOut)
  const outside = await signOutAtProvider(identity, call, ended, { returnTo, language })
  if (outside) return outside
  const cookie = removedCookie(identity)
  return isAddressUnknown
    ? { page: signedOutPage({ isAddressUnknown }), language, cookie }
    : { redirectTo: returnTo, cookie }
}

/** Uses the page of the client that requested the sign-out, as for a sign-in. */
function askPage(identity: Identity, signOut: SignOut): string {
  const parameters = { logoutId: sealSignOut(identity, signOut) }
  return isRegistered(identity, signOut)
    ? onThisHost(identity.settings, hostedSignOutPath, parameters)
    : signInPage(identity.settings, signOut.returnTo, parameters)
}

const isRegistered = ({ clients }: Identity, { clientId = '' }: SignOut): boolean =>
  clients.get(clientId)?.registration !== undefined

function afterSignOut(identity: Identity, signOut: SignOut): string {
  const { settings } = identity
  const { returnTo, state, isAddressUnknown, language } = signOut
  if (isAddressUnknown || (returnTo === undefined && isRegistered(identity, signOut)))
    return signedOutAddress(settings, { isAddressUnknown, language })
  if (returnTo === undefined) return signInPage(settings, undefined, {})
  return withParameters(returnTo, state === undefined ? {} : { state })
}
