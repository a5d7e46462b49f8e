import { leaveOutside } from '../federation/sign-out.ts'
import type { Identity } from '../identity.ts'
import { signedOutPage } from '../pages/sign-in.ts'
import { type Answer, type Call, type Endpoint, readSingle } from '../route.ts'
import { endSession } from '../sessions.ts'
import {
  hostedSignOutPath,
  onThisHost,
  ownOrigin,
  signedOutAddress,
  signInPage,
  withParameters,
} from '../sign-in/addresses.ts'
import { openSignOut, type SignOut, sealSignOut } from '../sign-in/browser-session.ts'
import { findBrowserSession, readSessionId, removedCookie } from '../sign-in/identity-cookie.ts'
import { isSentByOtherSite, requireAllowedOrigin, requireNoPrefetch } from '../sign-in/sign-in-origin.ts'

/**
 * Ends the session in the store, removes the cookie, and sends the browser to where the client wants it. Another site could send
 * a browser here as well, so the person is asked first then, unless that site has an identity token of this session.
 */
export const logout =
  (identity: Identity): Endpoint =>
  async (call) => {
    const { parameters, headers } = call
    requireNoPrefetch(headers)
    const signOut = await openSignOut(identity, readSingle(parameters).logoutId)
    const session = await findBrowserSession(identity, headers)
    // Here once more: the checked sign-out may be one that the other site has asked for itself.
    const isForeign = signOut.isSentByOtherSite || isSentByOtherSite(identity.settings, headers)
    if (session !== undefined && session.sessionId !== signOut.sessionId && isForeign)
      return { redirectTo: askPage(identity, { ...signOut, askedSessionId: session.sessionId }) }
    return finish(identity, call, signOut, [signOut.sessionId, session?.sessionId])
  }

/** The answer of the page that asked: yes. */
export const confirmLogout = (identity: Identity): Endpoint =>
  confirmFrom(identity, identity.settings.allowedOrigins)

/** The same for the page of this host. */
export const confirmHostedLogout = (identity: Identity): Endpoint =>
  confirmFrom(identity, [ownOrigin(identity.settings)])

const confirmFrom =
  (identity: Identity, origins: readonly string[]): Endpoint =>
  async (call) => {
    const { parameters, headers } = call
    requireAllowedOrigin(origins, headers, 'The sign-out')
    const signOut = await openSignOut(identity, readSingle(parameters).logoutId)
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
  const outside = await leaveOutside(identity, call, ended, { returnTo, language })
  if (outside) return outside
  const cookie = removedCookie(identity)
  return isAddressUnknown
    ? { page: signedOutPage({ isAddressUnknown }), language, cookie }
    : { redirectTo: returnTo, cookie }
}

/** On the page of the client that asked for the sign-out, as for a sign-in. */
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
