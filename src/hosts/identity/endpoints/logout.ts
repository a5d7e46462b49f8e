import type { Identity } from '../identity.ts'
import { readSingle } from '../parameters.ts'
import type { Answer, Call, Endpoint } from '../route.ts'
import { endSession } from '../sessions.ts'
import { signInPage, withParameters } from '../sign-in/addresses.ts'
import { findBrowserSession, readSessionId, removedCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'
import { openSignOut, type SignOut, sealSignOut } from '../sign-in/sign-out.ts'

/**
 * Ends the session in the store, removes the cookie, and sends the browser to where the client wants it. Any site can
 * send a browser here, so only the identity token of this very session ends it at once; otherwise the person is asked.
 */
export const logout =
  (identity: Identity): Endpoint =>
  async (call) => {
    const { parameters, headers } = call
    const signOut = await openSignOut(identity, readSingle(parameters).logoutId)
    const session = await findBrowserSession(identity, headers)
    if (session !== undefined && session.sessionId !== signOut.sessionId)
      return { redirectTo: askPage(identity, { ...signOut, askedSessionId: session.sessionId }) }
    return finish(identity, call, signOut, [signOut.sessionId])
  }

/** The answer of the page that asked: yes. */
export const confirmLogout =
  (identity: Identity): Endpoint =>
  async (call) => {
    const { parameters, headers } = call
    requireAllowedOrigin(identity.settings.allowedOrigins, headers, 'The sign-out')
    const signOut = await openSignOut(identity, readSingle(parameters).logoutId)
    const sessionId = await readSessionId(identity, headers)
    return finish(identity, call, signOut, [signOut.sessionId, signOut.askedSessionId, sessionId])
  }

async function finish(
  identity: Identity,
  { address, requestId }: Call,
  signOut: SignOut,
  sessionIds: readonly (string | undefined)[],
): Promise<Answer> {
  for (const session of new Set(sessionIds))
    if (session !== undefined && (await endSession(identity, session)))
      identity.securityLog({ event: 'session-ended', outcome: 'sign-out', session, address, requestId })
  return { redirectTo: afterSignOut(identity, signOut), cookie: removedCookie(identity) }
}

/** On the page of the client that asked for the sign-out, as for a sign-in. */
const askPage = (identity: Identity, signOut: SignOut): string =>
  signInPage(identity.settings, signOut.returnTo, { logoutId: sealSignOut(identity, signOut) })

function afterSignOut({ settings }: Identity, { returnTo, state }: SignOut): string {
  if (returnTo === undefined) return signInPage(settings, undefined, {})
  return withParameters(returnTo, state === undefined ? {} : { state })
}
