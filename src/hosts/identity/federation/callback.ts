import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { outsidePage } from '../pages/outside.ts'
import { overPage } from '../pages/sign-in.ts'
import { type Answer, type Call, type Endpoint, readSingle } from '../route.ts'
import type { OutsideSignIn } from '../sessions.ts'
import { onThisHost } from '../sign-in/addresses.ts'
import { beginSession } from '../sign-in/browser-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { askForStep, nextStepOf } from '../sign-in/sign-in-step.ts'
import { type Attempt, callbackAddress, type SignInPurpose, takeAttempt } from './attempts.ts'
import { type OutsidePerson, redeemOutside } from './claims.ts'
import { askToConnect } from './connect.ts'
import { noteRefusal, OutsideFailure, type OutsideRefusal } from './failures.ts'
import { findOutsideAccount } from './find-account.ts'
import type { OutsideProvider } from './providers.ts'
import { browserOf } from './sign-in.ts'

/** Where the browser comes back to from this provider. */
export const callbackOf =
  (identity: Identity, provider: OutsideProvider): Endpoint =>
  async (call) => {
    const { state = '' } = readSingle(call.parameters)
    const attempt = await takeOwnAttempt(identity, provider, call, state)
    if (attempt === undefined) {
      noteRefusal(identity, provider, call, 'unknown attempt')
      return { page: overPage }
    }
    try {
      const person = await redeemOutside(
        provider,
        callbackOfCall(identity, provider, call),
        state,
        attempt,
        identity.now(),
      )
      return await goOn(identity, provider, call, attempt, person)
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      noteRefusal(identity, provider, call, error.refusal, { failure: error })
      return {
        page: outsidePage(identity, provider, error.refusal, attempt.purpose),
        language: attempt.purpose.language,
      }
    }
  }

/** Begun in this very browser, for this very provider, and not used before. */
async function takeOwnAttempt(
  identity: Identity,
  provider: OutsideProvider,
  { headers }: Call,
  state: string,
): Promise<Attempt | undefined> {
  const browser = browserOf(identity, headers)
  if (state === '' || browser === undefined) return undefined
  const attempt = await takeAttempt(identity, state)
  return attempt?.browser === browser && attempt.providerId === provider.id ? attempt : undefined
}

/** The address that the provider was given, under whatever name the browser called this host. */
function callbackOfCall({ settings }: Identity, { id }: OutsideProvider, { parameters }: Call): URL {
  const url = new URL(callbackAddress(settings, id))
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value ?? []].flat()) url.searchParams.append(name, one)
  return url
}

const goOn = (
  identity: Identity,
  provider: OutsideProvider,
  call: Call,
  { purpose }: Attempt,
  person: OutsidePerson,
): Promise<Answer> =>
  'authRequest' in purpose
    ? signInOutside(identity, provider, call, purpose, person)
    : askToConnect(identity, provider, call, purpose, person)

/**
 * Starts a session for who has come back, in this browser, and goes on with the pending request. The provider stands in for
 * the password: a second factor of the account here is asked for all the same.
 */
async function signInOutside(
  identity: Identity,
  provider: OutsideProvider,
  call: Call,
  { authRequest }: SignInPurpose,
  person: OutsidePerson,
): Promise<Answer> {
  const pending = await openPendingRequest(identity, authRequest)
  if (!pending) return { page: overPage }
  const { address, requestId } = call
  const refuse = (refusal: OutsideRefusal, account?: string): Answer => {
    noteRefusal(identity, provider, call, refusal, { account })
    return {
      page: outsidePage(identity, provider, refusal, { authRequest }),
      language: pending.request.language,
    }
  }
  const found = await findOutsideAccount(identity, provider, person, { address, requestId })
  if (typeof found === 'string') return refuse(found)
  const { account, identityId } = found
  const outside: OutsideSignIn = { provider: provider.id, identityId, provedAt: person.provedAt }
  const next = await nextStepOf(identity, account)
  if (next === 'second-factor' || next === 'set-up')
    return { redirectTo: askForStep(identity, next, account, authRequest, outside) }
  const origin = await signInOriginOf(identity, call, pending)
  const sealedToken = sealToken(identity, person.identityToken)
  const session = await beginSession(
    identity,
    account,
    { ...origin, outside: { ...outside, sealedToken } },
    call,
  )
  // Removed, deactivated or given another password in this very moment.
  if (session === undefined) return refuse('account closed', account.accountId)
  return {
    redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
    cookie: identityCookie(identity, session),
  }
}

/** Sent back in an address at the sign-out; a longer one would not get through common proxies. */
const tokenCharactersMax = 4000
/** Beyond the longest session. */
const tokenMilliseconds = 24 * 60 * 60_000

const sealToken = ({ seals, now }: Identity, token: string): string | undefined =>
  token.length <= tokenCharactersMax
    ? seals.seal('outsideToken', { token }, now() + tokenMilliseconds)
    : undefined
