import { webClientScopes } from './scopes.ts'

export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const

export type GrantType = (typeof grantTypes)[number]

export interface Client {
  readonly id: string
  /** A public client has none. */
  readonly secret: string | undefined
  readonly grants: readonly GrantType[]
  readonly scopes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  /** The account a service client acts as. */
  readonly login: string | undefined
  /** Hosts for which it may ask about the tokens of others. */
  readonly audiences: readonly string[]
}

export type Clients = ReadonlyMap<string, Client>

export interface ServiceClientSettings {
  readonly id: string
  readonly secret: string
  /** The account it acts as. */
  readonly login: string
  readonly scopes: readonly string[]
  /** Hosts for which it may ask about the tokens of others. */
  readonly audiences: readonly string[]
}

export interface ClientSettings {
  readonly allowedOrigins: readonly string[]
  readonly serviceClients: readonly ServiceClientSettings[]
}

export const webClientId = 'svc-webclient'

/** The browser client of every allowed origin, and the service clients of the settings. */
export function clientsOf({ allowedOrigins, serviceClients }: ClientSettings): Clients {
  const webClient: Client = {
    id: webClientId,
    secret: undefined,
    grants: ['authorization_code', 'refresh_token'],
    scopes: webClientScopes,
    redirectUris: allowedOrigins.map((origin) => `${origin}/signin-callback/`),
    postLogoutRedirectUris: allowedOrigins.map((origin) => `${origin}/login/`),
    login: undefined,
    audiences: [],
  }
  const services = serviceClients.map(
    ({ id, secret, login, scopes, audiences }): Client => ({
      id,
      secret,
      grants: ['client_credentials'],
      scopes,
      redirectUris: [],
      postLogoutRedirectUris: [],
      login,
      audiences,
    }),
  )
  return new Map([webClient, ...services].map((client) => [client.id, client]))
}
