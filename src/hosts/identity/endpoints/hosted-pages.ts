import { languageAmong } from '../../../model/language.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import { providerLinks } from '../federation/sign-in.ts'
import type { Identity } from '../identity.ts'
import { overPage, signedOutPage, signInPageOf, signOutPage } from '../pages/sign-in.ts'
import { type Endpoint, readSingle } from '../route.ts'
import {
  hostedSignInPath,
  hostedSignOutPath,
  onThisHost,
  ownAddress,
  type ReportedError,
  unknownAddress,
} from '../sign-in/addresses.ts'
import { openSignOut } from '../sign-in/browser-session.ts'
import { canForget, forgotPasswordPath } from './forgot-password.ts'
import { passkeyPath } from './passkey-sign-in.ts'

/** Why an authorization request was rejected that could not be answered to its client. */
export const error =
  ({ seals }: Identity): Endpoint =>
  async ({ parameters }) => {
    const { errorId } = readSingle(parameters)
    const reported = errorId === undefined ? undefined : await seals.open<ReportedError>('errorId', errorId)
    return reported ? { body: reported } : { status: 404, body: unknownError }
  }

/** The envelope, with the two properties that readers of this address expect. */
const unknownError = {
  statusCode: 404,
  message: 'The error was not found.',
  error: 'not_found',
  errorDescription: 'The error was not found.',
}

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

/** Asks whether to sign out, for clients that have no page of their own. */
export const hostedSignOut =
  (identity: Identity): Endpoint =>
  async ({ parameters }) => {
    const { logoutId = '' } = readSingle(parameters)
    const { clientId = '', language } = await openSignOut(identity, logoutId)
    const action = ownAddress(identity.settings, hostedSignOutPath)
    return { page: signOutPage(identity.clients.get(clientId), logoutId, action), language }
  }

export const signedOut =
  (): Endpoint =>
  async ({ parameters }) => {
    const { reason, ui_locales: locales } = readSingle(parameters)
    return {
      page: signedOutPage({ isAddressUnknown: reason === unknownAddress }),
      language: languageAmong(locales),
    }
  }
