import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { signInPage, signInPageFor } from '../sign-in/addresses.ts'

/** Sends the browser to the sign-in page of the client whose request is pending. */
export const loginPage =
  (identity: Identity): Endpoint =>
  async ({ parameters }) => {
    const { authRequest } = readSingle(parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending)
      return { redirectTo: signInPage(identity.settings, undefined, { error: 'request' }) }
    const { client, loginHint } = pending.request
    // A sign-in page of another host cannot open the request, so the hint goes along; our own page reads it there.
    const isPageOfOthers = client.registration === undefined
    const hasHint = identity.settings.extensions && isPageOfOthers && loginHint !== undefined
    const query = { authRequest, ...(hasHint && { loginHint }) }
    return { redirectTo: signInPageFor(identity.settings, pending.request, query) }
  }
