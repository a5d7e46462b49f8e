import { languageAmong } from '../../../model/language.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import { onThisHost, ownAddress, ownOrigin } from '../core/addresses.ts'
import {
  federatedPage,
  localesParameter,
  optional,
  postedByOwnPage,
  providerParameter,
  required,
} from '../core/describe.ts'
import {
  type Answer,
  type Call,
  type Endpoint,
  type ProviderEndpoint,
  parseSingle,
} from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import type { ExternalProvider } from '../core/providers.ts'
import type { FederatedSignIn, LiveSession } from '../core/sessions.ts'
import {
  type Attempt,
  type ConnectPurpose,
  callbackAddress,
  callbackPath,
  connectPath,
  consumeAttempt,
  type SignInPurpose,
} from '../federation/attempts.ts'
import { type FederatedPerson, redeemCallback } from '../federation/claims.ts'
import { connectIdentity } from '../federation/connect-identity.ts'
import { type FailureKind, FederationError, recordFailure } from '../federation/failures.ts'
import { findFederatedAccount } from '../federation/find-account.ts'
import { connectPage, failurePage, signInAgainPage } from '../federation/pages.ts'
import { browserOf, redirectToProvider } from '../federation/redirect-to-provider.ts'
import { outdatedPage } from '../pages/sign-in.ts'
import { beginSession } from '../sign-in/browser-session.ts'
import { findBrowserSession, identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin, signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { askForStep, nextStepOf } from '../sign-in/sign-in-step.ts'

/** An external identity between the question whether to link it and the user's response. */
interface PendingIdentity extends ConnectPurpose {
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly label: string
}

/** A linked identity is a permanent way to sign in, so an unlocked screen must not suffice to create one. */
const freshMilliseconds = 10 * 60_000
/** Time to read the question. */
const pendingMilliseconds = 10 * 60_000

export const startConnecting: Endpoint = {
  ...federatedPage,
  id: 'StartConnecting',
  summary: 'Connects the account of the browser’s session with one at a provider.',
  description: 'The web client links here. Requires a sign-in within the last ten minutes.',
  path: connectPath,
  parameters: [
    providerParameter,
    optional('origin', 'The requesting web client, one of the allowed origins.'),
    localesParameter,
  ],
  handler: (identity) => async (call) => {
    const { provider: id = '', origin, ui_locales: locales } = parseSingle(call.parameters)
    const provider = identity.providers.get(id)
    if (!provider) return { page: outdatedPage }
    const returnTo = accountPageOf(identity, origin)
    const language = languageAmong(locales)
    const session = await findBrowserSession(identity, call.headers)
    if (!session || session.authenticatedAt + freshMilliseconds < identity.now())
      return { page: signInAgainPage(provider, returnTo), language }
    try {
      const purpose = { sessionId: session.sessionId, returnTo, language }
      return await redirectToProvider(identity, provider, call, { purpose })
    } catch (error) {
      if (!(error instanceof FederationError)) throw error
      recordFailure(identity, provider, call, error.kind, { failure: error, account: session.accountId })
      return {
        page: failurePage(identity, provider, error.kind, { returnTo }, error.retryAfterSeconds),
        language,
      }
    }
  },
}

export const confirmConnecting: Endpoint = {
  ...federatedPage,
  id: 'ConfirmConnecting',
  summary: 'Connects the two accounts that were shown to the user.',
  description: postedByOwnPage,
  method: 'POST',
  path: connectPath,
  parameters: [required('proof', 'The two accounts, sealed.')],
  handler: (identity) => async (call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers, 'The answer')
    const { proof = '' } = parseSingle(call.parameters)
    const pending = await identity.seals.open<PendingIdentity>('outsideIdentity', proof)
    const provider = identity.providers.get(pending?.providerId ?? '')
    if (!pending || !provider) return { page: outdatedPage }
    const session = await findSameSession(identity, call, pending.sessionId)
    if (session === undefined) return fail(identity, provider, call, 'other session', pending)
    const { sessionId, accountId: userId } = session
    const { address, requestId } = call
    const outcome = await connectIdentity(identity, provider, pending, {
      label: pending.label,
      userId,
      how: 'the person',
      origin: { address, requestId, sessionId },
    })
    if (outcome === 'connected') return { redirectTo: pending.returnTo }
    return fail(identity, provider, call, outcome, pending, userId)
  },
}

export const handleCallback: ProviderEndpoint = {
  ...federatedPage,
  id: 'ComeBackFromProvider',
  summary: 'Receives browsers from a provider after its sign-in.',
  description:
    'This is the redirect address to register at the provider. It works once, in the browser that was sent there.',
  path: callbackPath('{provider}'),
  pathOf: callbackPath,
  parameters: [
    { ...providerParameter, in: 'path' },
    required('state', 'The value sent by this host.'),
    optional('code', 'The authorization code.'),
    optional('error', 'The error, if there is no code.'),
    optional('iss', 'The issuer (RFC 9207).'),
  ],
  page: 'The question whether to connect, if the user has requested that.',
  handlerOf: (identity, provider) => async (call) => {
    const { state = '' } = parseSingle(call.parameters)
    const attempt = await consumeOwnAttempt(identity, provider, call, state)
    if (attempt === undefined) {
      recordFailure(identity, provider, call, 'unknown attempt')
      return { page: outdatedPage }
    }
    try {
      const person = await redeemCallback(
        provider,
        callbackOfCall(identity, provider, call),
        state,
        attempt,
        identity.now(),
      )
      return await goOn(identity, provider, call, attempt, person)
    } catch (error) {
      if (!(error instanceof FederationError)) throw error
      recordFailure(identity, provider, call, error.kind, { failure: error })
      return {
        page: failurePage(identity, provider, error.kind, attempt.purpose),
        language: attempt.purpose.language,
      }
    }
  },
}

/** The attempt must have started in this browser, for this provider, and must be unused. */
async function consumeOwnAttempt(
  identity: Identity,
  provider: ExternalProvider,
  { headers }: Call,
  state: string,
): Promise<Attempt | undefined> {
  const browser = browserOf(identity, headers)
  if (state === '' || browser === undefined) return undefined
  const attempt = await consumeAttempt(identity, state)
  return attempt?.browser === browser && attempt.providerId === provider.id ? attempt : undefined
}

/** Returns the address that was given to the provider, whatever name the browser used for this host. */
function callbackOfCall({ settings }: Identity, { id }: ExternalProvider, { parameters }: Call): URL {
  const url = new URL(callbackAddress(settings, id))
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value ?? []].flat()) url.searchParams.append(name, one)
  return url
}

const goOn = (
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  { purpose }: Attempt,
  person: FederatedPerson,
): Promise<Answer> =>
  'authRequest' in purpose
    ? signInFederated(identity, provider, call, purpose, person)
    : askToConnect(identity, provider, call, purpose, person)

/**
 * Starts a session for the user who has returned, and continues the pending request. The provider replaces
 * only the password: the account's second factor here is still required.
 */
async function signInFederated(
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  { authRequest }: SignInPurpose,
  person: FederatedPerson,
): Promise<Answer> {
  const pending = await openPendingRequest(identity, authRequest)
  if (!pending) return { page: outdatedPage }
  const { address, requestId } = call
  const fail = (kind: FailureKind, account?: string): Answer => {
    recordFailure(identity, provider, call, kind, { account })
    return {
      page: failurePage(identity, provider, kind, { authRequest }),
      language: pending.request.language,
    }
  }
  const found = await findFederatedAccount(identity, provider, person, { address, requestId })
  if (typeof found === 'string') return fail(found)
  const { account, identityId } = found
  const outside: FederatedSignIn = {
    provider: provider.id,
    identityId,
    authenticatedAt: person.authenticatedAt,
  }
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
  // Meanwhile the account was removed, deactivated or given another password.
  if (session === undefined) return fail('account closed', account.accountId)
  return {
    redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
    cookie: identityCookie(identity, session),
  }
}

/** Sent back in an address at the sign-out; a longer one would not get through common proxies. */
const tokenCharactersMax = 4000
/** Longer than the longest session. */
const tokenMilliseconds = 24 * 60 * 60_000

const sealToken = ({ seals, now }: Identity, token: string): string | undefined =>
  token.length <= tokenCharactersMax
    ? seals.seal('outsideToken', { token }, now() + tokenMilliseconds)
    : undefined

/** Returns the requesting page of the web client; never a page of another site. */
const accountPageOf = ({ settings: { allowedOrigins } }: Identity, origin: string | undefined): string =>
  `${allowedOrigins.find((allowed) => allowed === origin) ?? allowedOrigins[0]}/account`

/**
 * Shows the user which external account would be linked to which local one, because another site may have
 * sent the browser here, and another user may be signed in at the provider.
 */
async function askToConnect(
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  { sessionId, returnTo, language }: ConnectPurpose,
  person: FederatedPerson,
): Promise<Answer> {
  const session = await findSameSession(identity, call, sessionId)
  if (session === undefined) return fail(identity, provider, call, 'other session', { returnTo, language })
  const { issuer, subject } = person
  const { label } = await person.fetchProfile()
  const pending: PendingIdentity = {
    providerId: provider.id,
    issuer,
    subject,
    label,
    sessionId,
    returnTo,
    language,
  }
  return {
    page: connectPage(provider, {
      label,
      person: session,
      returnTo,
      proof: identity.seals.seal('outsideIdentity', pending, identity.now() + pendingMilliseconds),
      action: ownAddress(identity.settings, connectPath),
    }),
    language,
  }
}

/** Finds the browser's session, if it is still the one that started the attempt. */
async function findSameSession(
  identity: Identity,
  { headers }: Call,
  sessionId: string,
): Promise<LiveSession | undefined> {
  const session = await findBrowserSession(identity, headers)
  return session?.sessionId === sessionId ? session : undefined
}

function fail(
  identity: Identity,
  provider: ExternalProvider,
  call: Call,
  kind: FailureKind,
  { returnTo, language }: Omit<ConnectPurpose, 'sessionId'>,
  account?: string,
): Answer {
  recordFailure(identity, provider, call, kind, { account })
  return { page: failurePage(identity, provider, kind, { returnTo }), language }
}
