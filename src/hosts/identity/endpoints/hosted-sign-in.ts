import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { providerLinks } from '../outside/provider-links.ts'
import { overPage, signInPageOf } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { hostedSignInPath, onThisHost, ownAddress } from '../sign-in/addresses.ts'
import { canForget, forgotPasswordPath } from './forgot-password.ts'
import { passkeyPath } from './passkey-sign-in.ts'

/** The sign-in page of clients that have none. */
export const hostedSignIn =
  (identity: Identity): Endpoint =>
  async ({ parameters }) => {
    const { authRequest, error, retryAfter } = readSingle(parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || pending?.request.client.registration === undefined)
      return { page: overPage }
    const action = ownAddress(identity.settings, hostedSignInPath)
    const passkeyAddress = identity.settings.passkeys?.areForSignIn
      ? onThisHost(identity.settings, passkeyPath, { authRequest })
      : undefined
    const forgotAddress = canForget(identity)
      ? onThisHost(identity.settings, forgotPasswordPath, { authRequest })
      : undefined
    return {
      page: signInPageOf({
        ...{ client: pending.request.client, authRequest, error, retryAfter, action },
        ...{ passkeyAddress, forgotAddress },
        loginHint: pending.request.loginHint,
        providers: providerLinks(identity, authRequest),
        passwords: identity.settings.passwords,
      }),
      language: pending.request.language,
    }
  }
