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
    // Another host's page cannot open the request; ours reads the hint there.
    const isOthers = client.registration === undefined
    const isTold = identity.settings.extensions && isOthers && loginHint !== undefined
    const told = { authRequest, ...(isTold && { loginHint }) }
    return { redirectTo: signInPageFor(identity.settings, pending.request, told) }
  }
