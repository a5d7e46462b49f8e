import { currentLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import type { Configuration } from './configuration.ts'

/** What the client uses of the discovery document. */
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

/** A refusal of the provider, by the name the standards give it. */
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
    throw new ProviderError('unavailable', t('The sign-in service is another one.'))
  return provider
}

/** The token endpoint, as a public client: its id is all it has. */
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

/** What a token says, unverified: for display and for choosing what to show, never for deciding what is allowed. */
export function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** By whom people may sign in, beside their passwords. */
export interface SignInWays {
  readonly passwords: boolean
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

const passwordsAlone: SignInWays = { passwords: true, providers: [] }

/** A list that cannot be had takes no way away. */
export async function loadSignInWays({ issuer, extensions }: Configuration): Promise<SignInWays> {
  if (!extensions) return passwordsAlone
  const response = await fetch(`${issuer}/ext/providers`).catch(() => undefined)
  return response?.ok ? response.json() : passwordsAlone
}

/** Where the button of a provider leads to. */
export const signInAddress = ({ issuer }: Configuration, provider: string, authRequest: string): string =>
  `${issuer}/ext/sign-in/with?${new URLSearchParams({ provider, authRequest })}`

/** Where somebody who has just signed in connects the account with one there; comes back to the account's page. */
export const connectAddress = ({ issuer }: Configuration, provider: string): string =>
  `${issuer}/ext/connect?${new URLSearchParams({ provider, origin: location.origin, ui_locales: currentLanguage().id })}`
