import { findAccountById } from '../accounts.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import { askForPasskey } from '../factors/passkey-challenge.ts'
import { findPasskey } from '../factors/passkeys.ts'
import type { Identity } from '../identity.ts'
import { passkeyPage } from '../pages/passkey.ts'
import { overPage } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { onThisHost, ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { attemptPasskey } from '../sign-in/attempt-proof.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'
import { signInOriginOf } from '../sign-in/sign-in-origin.ts'

export const passkeyPath = '/ext/passkey'

/** A sign-in without a password, for every client. */
export const askPasskey =
  (identity: Identity): Endpoint =>
  async ({ parameters }) => {
    const { authRequest, error, retryAfter } = readSingle(parameters)
    const pending = await openPendingRequest(identity, authRequest)
    const { passkeys } = identity.settings
    if (authRequest === undefined || !pending || !passkeys?.areForSignIn) return { page: overPage }
    return {
      page: passkeyPage({
        client: pending.request.client,
        ...{ authRequest, error, retryAfter },
        dialog: await askForPasskey(identity, passkeys.domain),
        action: ownAddress(identity.settings, passkeyPath),
        back: onThisHost(identity.settings, '/api/account/login-page', { authRequest }),
      }),
      language: pending.request.language,
    }
  }

export const answerPasskey =
  (identity: Identity): Endpoint =>
  async (call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { authRequest, challenge = '', credential = '' } = readSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: overPage }
    const again = (refused: Readonly<Record<string, string>>) => ({
      redirectTo: onThisHost(identity.settings, passkeyPath, { authRequest, ...refused }),
    })
    const passkey = await findPasskey(identity.database, credential)
    const account = passkey && (await findAccountById(identity.database, passkey.accountId))
    if (!passkey || !account) return again({ error: 'invalid' })
    const answer = { passkey, challenge, credential, isAlone: true }
    const outcome = await attemptPasskey(identity, account, pending.request.clientId, call, answer)
    if (outcome !== 'right') return again(outcome)
    const origin = { ...(await signInOriginOf(identity, call, pending)), methods: ['pop', 'mfa'] }
    const session = await beginSession(identity, account, origin, call)
    return {
      redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
      cookie: session && identityCookie(identity, session),
    }
  }
