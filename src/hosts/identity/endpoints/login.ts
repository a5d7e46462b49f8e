import { Problem } from '../../../model/problem.ts'
import type { Account } from '../accounts.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { type Call, type Endpoint, readSingle } from '../route.ts'
import type { SignInOrigin, StartedSession } from '../sessions.ts'
import { onThisHost, ownOrigin, signInPage, signInPageFor } from '../sign-in/addresses.ts'
import { beginSession } from '../sign-in/browser-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin, signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { askForStep, type SignInStep } from '../sign-in/sign-in-step.ts'
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
    if (!identity.settings.passwords)
      return {
        redirectTo: signInPageFor(identity.settings, pending.request, {
          authRequest,
          error: 'passwords-off',
        }),
      }
    const origin = await signInOriginOf(identity, call, pending)
    const outcome = await attemptSignIn(identity, { login, password }, origin, call)
    if ('error' in outcome)
      return {
        redirectTo: signInPageFor(identity.settings, pending.request, { authRequest, ...outcome }),
      }
    if ('step' in outcome)
      return { redirectTo: askForStep(identity, outcome.step, outcome.account, authRequest) }
    return {
      redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
      cookie: identityCookie(identity, outcome),
    }
  }

type Outcome =
  | StartedSession
  | { readonly step: SignInStep['kind']; readonly account: Account }
  | { readonly error: string; readonly retryAfter?: string }

async function attemptSignIn(
  identity: Identity,
  credentials: { readonly login: string; readonly password: string },
  origin: SignInOrigin,
  call: Call,
): Promise<Outcome> {
  const note = noteOf(identity, credentials.login, origin, call)
  try {
    const { account, next } = await verifyCredentials(identity, credentials, (locked) =>
      note('lockout-begun', 'sign-in', locked),
    )
    if (account && next === 'session')
      return (await beginSession(identity, account, origin, call)) ?? { error: 'invalid' }
    if (account && (next === 'second-factor' || next === 'set-up')) {
      note('sign-in', 'second step', account)
      return { step: next, account }
    }
    note('sign-in', next === 'refused' ? 'second step' : 'wrong', account)
    return { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    note('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

const noteOf =
  (identity: Identity, login: string, { clientId: client, address }: SignInOrigin, { requestId }: Call) =>
  (event: 'sign-in' | 'lockout-begun', outcome: string, account?: Account): void =>
    identity.securityLog({
      event,
      outcome,
      ...(account ? { account: account.accountId } : { unknownLogin: login }),
      ...{ client, address, requestId },
    })

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
