import { currentLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import type { Configuration } from './configuration.ts'

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
  const response = await fetch(`${issuer}/.well-known/openid-configuration`)
  if (!response.ok) throw new ProviderError('unavailable', t('The sign-in service cannot be reached.'))
  const provider: Provider = await response.json()
  if (provider.issuer !== issuer)
    throw new ProviderError('unavailable', t('The sign-in service is a different one.'))
  return provider
}

/** Calls the token endpoint as a public client, which has no credential but its id. */
export function askForTokens(
  provider: Provider,
  { clientId }: Configuration,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  return post(provider.token_endpoint, { client_id: clientId, ...parameters })
}

export async function revoke(provider: Provider, { clientId }: Configuration, token: string): Promise<void> {
  await post(provider.revocation_endpoint, { client_id: clientId, token, token_type_hint: 'refresh_token' })
}

async function post<Answer>(address: string, parameters: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await fetch(address, { method: 'POST', body: new URLSearchParams(parameters) })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new ProviderError(answer.error ?? `status ${response.status}`, answer.message)
  return answer
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
  const response = await fetch(`${issuer}/ext/providers`).catch(() => undefined)
  return response?.ok ? response.json() : passwordsAlone
}

/** The target of a provider's button. */
export const signInAddress = ({ issuer }: Configuration, provider: string, authRequest: string): string =>
  `${issuer}/ext/sign-in/with?${new URLSearchParams({ provider, authRequest })}`

/** The address where a user links the account with one at the provider after a recent sign-in; returns to the account's page. */
export const connectAddress = ({ issuer }: Configuration, provider: string): string =>
  `${issuer}/ext/connect?${new URLSearchParams({ provider, origin: location.origin, ui_locales: currentLanguage().id })}`
