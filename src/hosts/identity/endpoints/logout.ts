import type { Identity } from '../identity.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { endSession } from '../sessions.ts'
import { signInPage, withParameters } from '../sign-in/addresses.ts'
import { readSessionId, removedCookie } from '../sign-in/identity-cookie.ts'
import { openSignOut, type SignOut } from '../sign-in/sign-out.ts'

/**
 * Ends the session in the store, removes the cookie, and sends the browser to where the client wants it. A `logoutId`
 * that is gone signs out all the same, as end session without parameters does.
 */
export const logout =
  (identity: Identity): Endpoint =>
  async ({ parameters, headers }) => {
    const signOut = await openSignOut(identity, readSingle(parameters).logoutId)
    const sessionIds = new Set([await readSessionId(identity, headers), signOut.sessionId])
    for (const sessionId of sessionIds)
      if (sessionId !== undefined) await endSession(identity.database, sessionId, identity.now())
    return { redirectTo: afterSignOut(identity, signOut), cookie: removedCookie(identity) }
  }

function afterSignOut({ settings }: Identity, { returnTo, state }: Partial<SignOut>): string {
  if (returnTo === undefined) return signInPage(settings, undefined, {})
  return withParameters(returnTo, state === undefined ? {} : { state })
}
