import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import * as client from 'openid-client'
import type { Call, HandlerResult } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import type { ExternalProvider } from '../core/providers.ts'
import { hostPathWithQuery } from '../core/urls.ts'
import type { ProviderLink } from '../pages/sign-in.ts'
import { findCookie, serializeCookie } from '../sign-in/identity-cookie.ts'
import { type Attempt, callbackUrl, startPath, storeAttempt } from './attempts.ts'
import { callProvider } from './failures.ts'

export interface ProviderRedirect {
  readonly purpose: Attempt['purpose']
  /** The client's parameters for the sign-in, which are passed on to the provider. */
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
 * Redirects the browser to the provider, with PKCE, `state` and `nonce`. Throws while the provider is unreachable.
 */
export async function redirectToProvider(
  identity: Identity,
  provider: ExternalProvider,
  { headers, address }: Pick<Call, 'headers' | 'address'>,
  { purpose, prompt, maxAge, loginHint }: ProviderRedirect,
): Promise<HandlerResult> {
  const [state, nonce, verifier] = [
    client.randomState(),
    client.randomNonce(),
    client.randomPKCECodeVerifier(),
  ]
  // All tabs of a browser share one value, so that two sign-ins in progress do not end each other.
  const browserId = browserIdOf(identity, headers) ?? randomBytes(16).toString('base64url')
  // Many providers ignore `prompt`. One that gets a maximum age has to return the time of the sign-in (OpenID
  // Connect Core, 2: auth_time).
  const requestedMaxAge = prompt === 'login' ? 0 : maxAge
  const parameters = {
    redirect_uri: callbackUrl(identity.settings, provider.id),
    scope: providerScopes,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt !== undefined && { prompt }),
    ...(requestedMaxAge !== undefined && { max_age: String(requestedMaxAge) }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
    ...(purpose.language !== undefined && { ui_locales: purpose.language }),
  }
  const authorizationUrl = await callProvider(async () =>
    requireWebUrl(client.buildAuthorizationUrl(await provider.loadConfiguration(), parameters)),
  )
  const since = requestedMaxAge === undefined ? undefined : identity.now() - requestedMaxAge * 1000
  // Only a request with `max_age` needs auth_time; `prompt=login` without it accepts providers that omit the claim.
  const needsTime = maxAge !== undefined
  const attempt = { providerId: provider.id, browser: browserId, nonce, verifier, since, needsTime, purpose }
  await storeAttempt(identity, state, attempt, { address })
  return {
    redirectTo: authorizationUrl.href,
    cookie: serializeCookie(identity, browserCookie, browserId, browserCookieSeconds),
  }
}

/** Returns the URL to which browsers are redirected, or throws if it is not http or https. */
export function requireWebUrl(url: URL): URL {
  if (!/^https?:$/.test(url.protocol))
    throw new Error('An endpoint of the provider is not an http or https URL.')
  return url
}

/** Returns the id in the cookie of this browser, if it is well formed. */
export function browserIdOf(identity: Identity, headers: IncomingHttpHeaders): string | undefined {
  const value = findCookie(identity, browserCookie, headers)
  return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined
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
