import { Problem } from '../../../model/problem.ts'
import type { SecurityEventName } from '../../../security-log/security-log.ts'
import type { Account } from '../accounts.ts'
import { openPendingRequest, type PendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { readSingle } from '../parameters.ts'
import type { Call, Endpoint } from '../route.ts'
import { type SignInOrigin, type StartedSession, startSession } from '../sessions.ts'
import { onThisHost, ownOrigin, signInPage, signInPageFor } from '../sign-in/addresses.ts'
import { identityCookie, readSessionId } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'
import { verifyCredentials } from '../sign-in/verify-credentials.ts'

/**
 * The post of the sign-in page. The session goes to the browser that proved the password, and that browser goes on with
 * the pending request; anyone else who knows the request gains nothing.
 */
export const login = (identity: Identity): Endpoint => loginFrom(identity, identity.settings.allowedOrigins)

/** The same for the page of this host. */
export const hostedLogin = (identity: Identity): Endpoint =>
  loginFrom(identity, [ownOrigin(identity.settings)])

const loginFrom =
  (identity: Identity, origins: readonly string[]): Endpoint =>
  async (call) => {
    const { parameters, headers } = call
    requireAllowedOrigin(origins, headers)
    const { login = '', password = '', authRequest } = readSingle(parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending)
      return { redirectTo: signInPage(identity.settings, undefined, { error: 'request' }) }
    const origin = await originOf(identity, call, pending)
    const outcome = await attemptSignIn(identity, { login, password }, origin, call)
    if ('error' in outcome)
      return {
        redirectTo: signInPageFor(identity.settings, pending.request, { authRequest, ...outcome }),
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
  origin: SignInOrigin,
  { requestId }: Call,
): Promise<Outcome> {
  const { clientId: client, address } = origin
  const note = (event: SecurityEventName, outcome: string, account?: Account, session?: string) =>
    identity.securityLog({
      event,
      outcome,
      ...(account ? { account: account.accountId } : { unknownLogin: credentials.login }),
      ...{ client, session, address, requestId },
    })
  try {
    const { account, isRight } = await verifyCredentials(identity, credentials, (locked) =>
      note('lockout-begun', 'sign-in', locked),
    )
    const session = account && isRight ? await startSession(identity, account, origin) : undefined
    note('sign-in', session ? 'right' : 'wrong', account, session?.sessionId)
    for (const ended of session?.endedSessionIds ?? [])
      identity.securityLog({
        event: 'session-ended',
        outcome: 'another account',
        session: ended,
        address,
        requestId,
      })
    return session ?? { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    note('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

/** No browser sends a longer one. */
const userAgentCharactersMax = 256

/** A post from a page of another site comes without the cookie, so the session the browser had was noted when it asked. */
async function originOf(
  identity: Identity,
  { headers, address }: Call,
  { request, sessionId: noted }: PendingRequest,
): Promise<SignInOrigin> {
  const inCookie = await readSessionId(identity, headers)
  return {
    clientId: request.clientId,
    address,
    userAgent: headers['user-agent']?.slice(0, userAgentCharactersMax),
    earlierSessionIds: [inCookie, noted].filter((id) => id !== undefined),
  }
}
