import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { outsidePage } from '../pages/outside.ts'
import { overPage } from '../pages/sign-in.ts'
import type { Answer, Call } from '../route.ts'
import type { OutsideSignIn } from '../sessions.ts'
import { onThisHost } from '../sign-in/addresses.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { nextStepOf } from '../sign-in/next-step.ts'
import { signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { askForStep } from '../sign-in/sign-in-step.ts'
import type { SignInPurpose } from './attempts.ts'
import { noteRefusal, type OutsideRefusal } from './failures.ts'
import { findOutsideAccount } from './find-account.ts'
import type { OutsideProvider } from './open-providers.ts'
import type { OutsidePerson } from './outside-person.ts'

/**
 * Starts a session for who has come back, in this browser, and goes on with the pending request. The provider stands in for
 * the password: a second factor of the account here is asked for all the same.
 */
export async function signInOutside(
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
