import { currentLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import { type Configuration, timeLimit } from './configuration.ts'

/** The part of the discovery document that the client uses. */
export interface Provider {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly revocation_endpoint: string
  readonly end_session_endpoint: string
  readonly authorization_response_iss_parameter_supported?: boolean
}

export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly expires_in: number
}

/** An error of the provider, with its standard name. */
export class ProviderError extends Error {
  readonly code: string

  constructor(code: string, description = code) {
    super(description)
    this.code = code
  }
}

export async function discover({ issuer }: Configuration): Promise<Provider> {
  const address = `${issuer}/.well-known/openid-configuration`
  const response = await fetch(address, { signal: timeLimit() }).catch(unanswered)
  if (!response.ok) throw new ProviderError('unavailable', t('The sign-in service cannot be reached.'))
  const provider: Provider = await response.json().catch(unanswered)
  if (provider.issuer !== issuer)
    throw new ProviderError('unavailable', t('The sign-in service is a different one.'))
  return provider
}

/** Calls the token endpoint as a public client, which has no credential but its id. */
export async function askForTokens(
  provider: Provider,
  { clientId }: Configuration,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const response = await post(provider.token_endpoint, { client_id: clientId, ...parameters })
  return response.json().catch(unanswered)
}

export async function revoke(provider: Provider, { clientId }: Configuration, token: string): Promise<void> {
  await post(provider.revocation_endpoint, { client_id: clientId, token, token_type_hint: 'refresh_token' })
}

/** The code of an error when it is unknown whether the provider executed the request: its response was lost. */
export const unansweredCode = 'unanswered'

const unanswered = (): never => {
  throw new ProviderError(unansweredCode, t('The sign-in service cannot be reached.'))
}

/** A failed provider may have executed the request, and so may one whose proxy lost the response. */
const unansweredStatuses: ReadonlySet<number> = new Set([500, 502, 504])

async function post(address: string, parameters: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams(parameters)
  const response = await fetch(address, { method: 'POST', body, signal: timeLimit() }).catch(unanswered)
  if (response.ok) return response
  if (unansweredStatuses.has(response.status)) return unanswered()
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

/** Providers that users may sign in with, in addition to passwords. */
export interface SignInWays {
  readonly passwords: boolean
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

const passwordsAlone: SignInWays = { passwords: true, providers: [] }

/** The password form still works when the list cannot be loaded. */
export async function loadSignInWays({ issuer, extensions }: Configuration): Promise<SignInWays> {
  if (!extensions) return passwordsAlone
  const response = await fetch(`${issuer}/ext/providers`, { signal: timeLimit() }).catch(() => undefined)
  return response?.ok ? response.json() : passwordsAlone
}

/** The target of a provider's button. */
export const signInAddress = ({ issuer }: Configuration, provider: string, authRequest: string): string =>
  `${issuer}/ext/sign-in/with?${new URLSearchParams({ provider, authRequest })}`

/** The address where a user links the account with one at the provider after a recent sign-in; returns to the account's page. */
export const connectAddress = ({ issuer }: Configuration, provider: string): string =>
  `${issuer}/ext/connect?${new URLSearchParams({ provider, origin: location.origin, ui_locales: currentLanguage().id })}`
