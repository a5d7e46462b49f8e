import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import * as client from 'openid-client'
import { onThisHost } from '../core/addresses.ts'
import type { Answer, Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import type { ExternalProvider } from '../core/providers.ts'
import type { ProviderLink } from '../pages/sign-in.ts'
import { findNamedCookie, serializeCookie } from '../sign-in/identity-cookie.ts'
import { type Attempt, callbackAddress, startPath, storeAttempt } from './attempts.ts'
import { askProvider } from './failures.ts'

export interface Leaving {
  readonly purpose: Attempt['purpose']
  /** The client's parameters for the sign-in, which are passed on to the provider. */
  readonly prompt?: string | undefined
  readonly maxAge?: number | undefined
  readonly loginHint?: string | undefined
}

const browserCookie = 'outside'
/** Lasts as long as an attempt. */
const browserCookieSeconds = 15 * 60

/** All that a sign-in here reads of an account there. */
const scopesOfProviders = 'openid profile email'

/**
 * Redirects the browser to the provider: authorization code flow with PKCE, `state` and `nonce`. Throws while
 * the provider is unreachable.
 */
export async function redirectToProvider(
  identity: Identity,
  provider: ExternalProvider,
  { headers, address }: Pick<Call, 'headers' | 'address'>,
  { purpose, prompt, maxAge, loginHint }: Leaving,
): Promise<Answer> {
  const [state, nonce, verifier] = [
    client.randomState(),
    client.randomNonce(),
    client.randomPKCECodeVerifier(),
  ]
  // All tabs of a browser share one value, so that two sign-ins in progress do not end each other.
  const browser = browserOf(identity, headers) ?? randomBytes(16).toString('base64url')
  // Many providers ignore `prompt`; one that gets a maximum age has to return the time of the sign-in (OpenID
  // Connect Core, 2: auth_time).
  const ageMax = prompt === 'login' ? 0 : maxAge
  const parameters = {
    redirect_uri: callbackAddress(identity.settings, provider.id),
    scope: scopesOfProviders,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt !== undefined && { prompt }),
    ...(ageMax !== undefined && { max_age: String(ageMax) }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
    ...(purpose.language !== undefined && { ui_locales: purpose.language }),
  }
  const there = await askProvider(async () =>
    requireWebAddress(client.buildAuthorizationUrl(await provider.configure(), parameters)),
  )
  const since = ageMax === undefined ? undefined : identity.now() - ageMax * 1000
  const needsTime = maxAge !== undefined
  const attempt = { providerId: provider.id, browser, nonce, verifier, since, needsTime, purpose }
  await storeAttempt(identity, state, attempt, { address })
  return {
    redirectTo: there.href,
    cookie: serializeCookie(identity, browserCookie, browser, browserCookieSeconds),
  }
}

/** Checks an address to which browsers are sent. */
export function requireWebAddress(address: URL): URL {
  if (!/^https?:$/.test(address.protocol))
    throw new Error('An endpoint of the provider is not a web address.')
  return address
}

/** Returns the id of the browser that started an attempt. */
export function browserOf(identity: Identity, headers: IncomingHttpHeaders): string | undefined {
  const value = findNamedCookie(identity, browserCookie, headers)
  return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined
}

/** The buttons of a sign-in page. */
export const providerLinks = (
  { settings, providers }: Pick<Identity, 'settings' | 'providers'>,
  authRequest: string,
): readonly ProviderLink[] =>
  [...providers.values()].map(({ id, name }) => ({
    name,
    address: onThisHost(settings, startPath, { provider: id, authRequest }),
  }))
