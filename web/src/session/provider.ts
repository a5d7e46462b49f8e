import { currentLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import { type Configuration, requestTimeout } from './configuration.ts'

/** The part of the discovery document that the client uses. */
export interface Provider {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly revocation_endpoint: string
  readonly end_session_endpoint: string
  readonly authorization_response_iss_parameter_supported?: boolean
}

export interface TokenResponse {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly expires_in: number
}

/** An error of the provider, with its standard code, such as `invalid_grant`. */
export class ProviderError extends Error {
  readonly code: string

  constructor(code: string, description = code) {
    super(description)
    this.code = code
  }
}

/**
 * Loads the discovery document, which the browser may cache. With `mustBeReachable`, or without a network,
 * this fails unless the provider can be reached now.
 */
export async function discover(
  { issuer }: Configuration,
  { mustBeReachable = false } = {},
): Promise<Provider> {
  const address = `${issuer}/.well-known/openid-configuration`
  const cache = mustBeReachable || !navigator.onLine ? 'no-cache' : 'default'
  const response = await fetch(address, { cache, signal: requestTimeout() }).catch(throwUnanswered)
  if (!response.ok) throw new ProviderError('unavailable', t('The sign-in service cannot be reached.'))
  const provider: Provider = await response.json().catch(throwUnanswered)
  if (provider.issuer !== issuer)
    throw new ProviderError('unavailable', t('The sign-in service has an unexpected address.'))
  return provider
}

/** Calls the token endpoint as a public client, which has no credential but its id. */
export async function requestTokens(
  provider: Provider,
  { clientId }: Configuration,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenResponse> {
  const response = await post(provider.token_endpoint, { client_id: clientId, ...parameters })
  return response.json().catch(throwUnanswered)
}

export async function revoke(provider: Provider, { clientId }: Configuration, token: string): Promise<void> {
  await post(provider.revocation_endpoint, { client_id: clientId, token, token_type_hint: 'refresh_token' })
}

/**
 * The code of an error after a lost response: it is unknown whether the provider has executed the request.
 */
export const unansweredCode = 'unanswered'

const throwUnanswered = (): never => {
  throw new ProviderError(unansweredCode, t('The sign-in service cannot be reached.'))
}

/**
 * With these statuses, the provider may have executed the request before it failed, or before a proxy lost
 * the response.
 */
const unansweredStatuses: ReadonlySet<number> = new Set([500, 502, 504])

async function post(address: string, parameters: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams(parameters)
  const response = await fetch(address, { method: 'POST', body, signal: requestTimeout() }).catch(
    throwUnanswered,
  )
  if (response.ok) return response
  if (unansweredStatuses.has(response.status)) return throwUnanswered()
  const { error, message } = await response.json().catch(() => ({}))
  throw new ProviderError(error ?? `status ${response.status}`, message)
}

export type Claims = Readonly<Record<string, unknown>>

/** The claims of a token, unverified: for display only, never for authorization. */
export function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** The ways to sign in that the provider offers. */
export interface SignInMethods {
  readonly passwords: boolean
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

const passwordsOnly: SignInMethods = { passwords: true, providers: [] }

/** Loads the ways to sign in. If they cannot be loaded, the password form still works. */
export async function loadSignInMethods({ issuer, extensions }: Configuration): Promise<SignInMethods> {
  if (!extensions) return passwordsOnly
  const response = await fetch(`${issuer}/ext/providers`, { signal: requestTimeout() }).catch(() => undefined)
  return response?.ok ? response.json() : passwordsOnly
}

/** Returns the URL of the button that signs in with an external provider. */
export const signInAddress = ({ issuer }: Configuration, provider: string, authRequest: string): string =>
  `${issuer}/ext/sign-in/with?${new URLSearchParams({ provider, authRequest })}`

/**
 * Returns the URL that links the account with an external one, after a recent sign-in, and leads back to the
 * page of the account.
 */
export const connectAddress = ({ issuer }: Configuration, provider: string): string =>
  `${issuer}/ext/connect?${new URLSearchParams({ provider, origin: location.origin, ui_locales: currentLanguage().id })}`
