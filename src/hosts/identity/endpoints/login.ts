import { Problem } from '../../../model/problem.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { type StartedSession, startSession } from '../sessions.ts'
import { onThisHost, signInPage } from '../sign-in/addresses.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'
import { verifyCredentials } from '../sign-in/verify-credentials.ts'

/**
 * The post of the sign-in page. The session goes to the browser that proved the password, and that browser goes on with
 * the pending request; whoever else knows the request gains nothing.
 */
export const login =
  (identity: Identity): Endpoint =>
  async ({ parameters, headers }) => {
    requireAllowedOrigin(identity.settings.allowedOrigins, headers)
    const { login = '', password = '', authRequest } = readSingle(parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending)
      return { redirectTo: signInPage(identity.settings, undefined, { error: 'request' }) }
    const outcome = await attemptSignIn(identity, { login, password })
    if ('error' in outcome)
      return {
        redirectTo: signInPage(identity.settings, pending.request.redirectUri, { authRequest, ...outcome }),
      }
    return {
      redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
      cookie: identityCookie(identity, outcome),
    }
  }

type Outcome = StartedSession | { readonly error: string; readonly retryAfter?: string }

async function attemptSignIn(
  identity: Identity,
  credentials: { readonly login: string; readonly password: string },
): Promise<Outcome> {
  try {
    const account = await verifyCredentials(identity, credentials)
    const session = account && (await startSession(identity.database, account, identity.now()))
    return session ?? { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}
