import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import * as client from 'openid-client'
import { budgetLimits } from '../../../config/budgets.ts'
import { epochMilliseconds, timestamp } from '../../../db/columns.ts'
import { sql } from '../../../db/sql.ts'
import { addressKey } from '../../../http/addresses.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Language } from '../../../model/language.ts'
import type { Call, HandlerResult, Identity } from '../core/endpoint.ts'
import type { ExternalProvider } from '../core/providers.ts'
import { hostPathWithQuery } from '../core/redirects.ts'
import type { PageTemplate } from '../pages/page.ts'
import { html } from '../pages/texts.ts'
import { clearedCookie, findCookie, serializeCookie } from '../sign-in/browser.ts'
import type { IdentitySettings, ProviderSettings } from '../values/settings.ts'
import { callProvider, FederationError, recordFailure } from './failures.ts'

/**
 * A sign-in in progress at a provider. It is stored as encrypted JSON and may be read by another version, so
 * its property names must not change.
 */
export interface Attempt {
  readonly providerId: string
  /** The id of the browser that must return. A callback in any other browser is rejected. */
  readonly browser: string
  readonly nonce: string
  readonly verifier: string
  /** The earliest allowed sign-in at the provider, in epoch milliseconds. */
  readonly since?: number | undefined
  /** True if the provider must report the time of the sign-in. */
  readonly needsTime?: boolean
  readonly purpose: SignInPurpose | ConnectPurpose
}

interface Purpose {
  /** The page language that the client requested. */
  readonly language?: Language | undefined
}

/** The sign-in continues a pending request. */
export interface SignInPurpose extends Purpose {
  readonly authRequest: string
}

/** Connects the account at the provider to the session's account. `returnTo` is a URL of the web client. */
export interface ConnectPurpose extends Purpose {
  readonly sessionId: string
  readonly returnTo: string
}

/** Long enough for a second factor at the provider. */
const attemptMilliseconds = 15 * 60_000

/**
 * Stores an attempt, or throws if its network address has reached the limit. Requests from one address are
 * serialized, so the limit also holds for concurrent requests.
 */
async function storeAttempt(
  { database, seals, now }: Pick<Identity, 'database' | 'seals' | 'now'>,
  state: string,
  attempt: Attempt,
  origin: Pick<RequestOrigin, 'address'>,
): Promise<void> {
  const address = addressKey(origin.address)
  const expiresAt = now() + attemptMilliseconds
  // Stored names keep an earlier word for external providers: outside.
  const sealed = seals.seal('outsideAttempt', attempt, expiresAt)
  await database.transaction(async (transaction) => {
    await transaction.query(sql`select pg_advisory_xact_lock(hashtextextended(${`attempts ${address}`}, 0))`)
    const [current] = await transaction.query<{ count: number; nextEnd: number | null }>(sql`
      select count(*)::int as count, ${epochMilliseconds(sql`min(expires_at)`)} as "nextEnd" from outside_attempts
      where address = ${address} and expires_at > ${timestamp(now())}`)
    const { count = 0, nextEnd } = current ?? {}
    if (count >= budgetLimits.providerAttemptsOfAddress.max)
      throw new FederationError(
        'too many attempts',
        'This address has reached the limit of sign-ins in progress.',
        Math.max(1, Math.ceil(((nextEnd ?? 0) - now()) / 1000)),
      )
    await transaction.query(sql`
      insert into outside_attempts (id, sealed, expires_at, address)
      values (${attemptIdOf(state)}, ${sealed}, ${timestamp(expiresAt)}, ${address})`)
  })
}

/**
 * Returns and deletes an attempt. Because of the row lock, only one of two requests with the same state
 * succeeds.
 */
export async function consumeAttempt(
  { database, seals }: Pick<Identity, 'database' | 'seals'>,
  state: string,
): Promise<Attempt | undefined> {
  const [deleted] = await database.singleWrites.query<{ sealed: string }>(
    sql`delete from outside_attempts where id = ${attemptIdOf(state)} returning sealed`,
  )
  return deleted && seals.open<Attempt>('outsideAttempt', deleted.sealed)
}

const attemptIdOf = (state: string): Buffer => createHash('sha256').update(state).digest()

export const startPath = '/ext/sign-in/with'
export const connectPath = '/ext/connect'
/** Providers redirect browsers to this path after their own sign-out. */
export const signOutReturnPath = '/ext/signed-out/return'

/**
 * Returns the provider's own callback path, so that a response from one provider is never taken for a
 * response from another (RFC 9700, 4.4.2).
 */
export const callbackPath = (providerId: string): string => `/ext/sign-in/from/${providerId}`

/** Returns the redirect URL that is registered at the provider. */
export const callbackUrl = ({ issuer }: Pick<IdentitySettings, 'issuer'>, providerId: string): string =>
  `${issuer}${callbackPath(providerId)}`

interface ProviderRedirect {
  readonly purpose: Attempt['purpose']
  /** The parameters of the client for the sign-in. They are passed on to the provider. */
  readonly prompt?: string | undefined
  readonly maxAge?: number | undefined
  readonly loginHint?: string | undefined
}

const browserCookie = 'outside'
/** Lasts as long as an attempt. */
const browserCookieSeconds = 15 * 60

/** The scopes of the claims that a sign-in uses. */
const providerScopes = 'openid profile email'

/**
 * Redirects the browser to the provider, with PKCE, `state` and `nonce`. Throws if the provider is
 * unreachable.
 */
export async function redirectToProvider(
  identity: Identity,
  provider: ExternalProvider,
  { headers, address }: Pick<Call, 'headers' | 'address'>,
  { purpose, prompt, maxAge, loginHint }: ProviderRedirect,
): Promise<HandlerResult> {
  const state = client.randomState()
  const nonce = client.randomNonce()
  const verifier = client.randomPKCECodeVerifier()
  // All tabs of a browser share one value, so that two sign-ins in progress do not end each other.
  const browserId = browserIdOf(identity, headers) ?? randomBytes(16).toString('base64url')
  // Many providers ignore `prompt`. But a provider that gets `max_age` has to return the time of the sign-in
  // (OpenID Connect Core, 2: auth_time).
  const requestedMaxAge = prompt === 'login' ? 0 : maxAge
  const parameters: Record<string, string> = {
    redirect_uri: callbackUrl(identity.settings, provider.id),
    scope: providerScopes,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  if (prompt !== undefined) parameters.prompt = prompt
  if (requestedMaxAge !== undefined) parameters.max_age = String(requestedMaxAge)
  if (loginHint !== undefined) parameters.login_hint = loginHint
  if (purpose.language !== undefined) parameters.ui_locales = purpose.language
  const authorizationUrl = await callProvider(async () =>
    requireWebUrl(client.buildAuthorizationUrl(await provider.loadConfiguration(), parameters)),
  )
  const earliestSignIn = requestedMaxAge === undefined ? undefined : identity.now() - requestedMaxAge * 1000
  // If the client itself requested `max_age`, the provider must return auth_time. For `prompt=login` alone, a
  // provider that omits the claim is accepted.
  const requiresAuthTime = maxAge !== undefined
  const attempt: Attempt = {
    providerId: provider.id,
    browser: browserId,
    nonce,
    verifier,
    since: earliestSignIn,
    needsTime: requiresAuthTime,
    purpose,
  }
  await storeAttempt(identity, state, attempt, { address })
  return {
    redirectTo: authorizationUrl.href,
    cookie: serializeCookie(identity, browserCookie, browserId, browserCookieSeconds),
  }
}

/** Returns the URL, or throws if it is not http or https. */
function requireWebUrl(url: URL): URL {
  if (!/^https?:$/.test(url.protocol))
    throw new Error('An endpoint of the provider is not an http or https URL.')
  return url
}

/** Returns the id in the cookie of this browser, if it is well formed. */
export function browserIdOf(identity: Identity, headers: IncomingHttpHeaders): string | undefined {
  const value = findCookie(identity, browserCookie, headers)
  return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined
}

export interface ProviderLink {
  readonly name: string
  readonly url: string
}

/** Returns the links for a sign-in page. */
export const providerLinks = (
  { settings, providers }: Pick<Identity, 'settings' | 'providers'>,
  authRequest: string,
): readonly ProviderLink[] =>
  [...providers.values()].map(({ id, name }) => ({
    name,
    url: hostPathWithQuery(settings, startPath, { provider: id, authRequest }),
  }))

export interface SignOutReturn {
  readonly returnTo: string
}

interface SignOutContinuation extends SignOutReturn {
  readonly language: Language | undefined
}

/** Leaves time for the provider's own sign-out pages. */
const returnMilliseconds = 60 * 60_000
/** The state is sent in a URL of the provider, together with the identity token. */
const returnCharactersMax = 1500

/**
 * Redirects the browser to the sign-out of the provider of these sessions (OpenID Connect RP-Initiated Logout
 * 1.0). The browser then returns to `returnTo`. Returns undefined without a provider, or if it has no sign-out
 * or is unreachable.
 */
export async function signOutAtProvider(
  identity: Identity,
  call: Call,
  endedSessionIds: readonly string[],
  { returnTo, language }: SignOutContinuation,
): Promise<HandlerResult | undefined> {
  if (identity.providers.size === 0 || endedSessionIds.length === 0) return undefined
  const [session] = await identity.database.query<{ provider: string; token: string | null }>(sql`
    select provider, outside_token as token from signin_sessions
    where id = any(${endedSessionIds}::text[]) and provider is not null limit 1`)
  const provider = identity.providers.get(session?.provider ?? '')
  if (!session || !provider) return undefined
  try {
    const parameters = await endSessionParameters(identity, session.token, returnTo)
    const url = await callProvider(async () => {
      const configuration = await provider.loadConfiguration()
      return configuration.serverMetadata().end_session_endpoint === undefined
        ? undefined
        : requireWebUrl(client.buildEndSessionUrl(configuration, parameters))
    })
    if (url === undefined) return undefined
    const cookie = clearedCookie(identity)
    // After a post, browsers follow redirects only to URLs that the policy of the form's page allows, so an
    // intermediate page continues.
    return call.method === 'POST'
      ? { page: providerSignOutPage(provider, url.href), language, cookie }
      : { redirectTo: url.href, cookie }
  } catch (error) {
    if (!(error instanceof FederationError)) throw error
    recordFailure(identity, provider, call, error.kind, { failure: error })
    return undefined
  }
}

async function endSessionParameters(
  { settings, seals, now }: Identity,
  sealedToken: string | null,
  returnTo: string,
): Promise<Record<string, string>> {
  const hint =
    sealedToken === null ? undefined : await seals.open<{ token: string }>('outsideToken', sealedToken)
  const state = seals.seal('outsideReturn', { returnTo } satisfies SignOutReturn, now() + returnMilliseconds)
  return {
    post_logout_redirect_uri: `${settings.issuer}${signOutReturnPath}`,
    ...(hint && { id_token_hint: hint.token }),
    ...(state.length <= returnCharactersMax && { state }),
  }
}

/** A page that continues automatically to the sign-out at the provider. */
const providerSignOutPage =
  ({ name }: Pick<ProviderSettings, 'name'>, url: string): PageTemplate =>
  (t) => ({
    title: t('You are signed out here'),
    refreshesTo: url,
    content: html`<p><a href="${url}">${t('Sign out of {provider}, too', { provider: name })}</a></p>`,
  })
