import { createHash } from 'node:crypto'
import type { SigningAlgorithm } from '../../../auth/access-token.ts'
import { clientScopes, webClientId } from '../../../model/oidc-client.ts'

export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const

export type GrantType = (typeof grantTypes)[number]

export interface Client {
  readonly id: string
  /** The SHA-256 hash of the secret. Undefined for a public client. */
  readonly secretHash: Buffer | undefined
  readonly grants: readonly GrantType[]
  readonly scopes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  /** The login of the account that a service client acts as. */
  readonly login: string | undefined
  /** The algorithm with which its tokens are signed. */
  readonly signingAlgorithm: SigningAlgorithm
  /**
   * Undefined for the web client and service clients, which the contract defines. Where the standards leave a
   * choice, their rules may differ from those for registered clients.
   */
  readonly registration: Registration | undefined
}

/**
 * The properties of a client that administrators or the settings declare. Its users sign in on the pages of
 * this host.
 */
export interface Registration {
  /** Shown to users on the consent page. */
  readonly name: string
  /** Users of a first-party client are not asked for consent. */
  readonly isFirstParty: boolean
  readonly requiresPkce: boolean
}

export interface RegisteredClientSettings extends Registration {
  readonly id: string
  readonly signingAlgorithm: SigningAlgorithm
  /** Undefined for a public client. */
  readonly secret: string | undefined
  readonly scopes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
}

export type Clients = ReadonlyMap<string, Client>

export interface ServiceClientSettings {
  readonly id: string
  readonly secret: string
  /** The login of the account that it acts as. */
  readonly login: string
  readonly scopes: readonly string[]
  readonly signingAlgorithm: SigningAlgorithm
}

export interface ClientSettings {
  readonly allowedOrigins: readonly string[]
  readonly serviceClients: readonly ServiceClientSettings[]
  readonly registeredClients: readonly RegisteredClientSettings[]
}

/** Returns the web client, and the service clients and registered clients of the settings. */
export function clientsOf({ allowedOrigins, serviceClients, registeredClients }: ClientSettings): Clients {
  const webClient: Client = {
    ...clientDefaults,
    id: webClientId,
    grants: ['authorization_code', 'refresh_token'],
    scopes: webClientScopes,
    redirectUris: allowedOrigins.map((origin) => `${origin}/signin-callback/`),
    postLogoutRedirectUris: allowedOrigins.map((origin) => `${origin}/login/`),
  }
  const services = serviceClients.map(
    ({ secret, ...client }): Client => ({
      ...clientDefaults,
      ...client,
      secretHash: digestOf(secret),
      grants: ['client_credentials'],
    }),
  )
  const registered = registeredClients.map(({ secret, ...client }) =>
    registeredClient({ ...client, secretHash: secret === undefined ? undefined : digestOf(secret) }),
  )
  return new Map([webClient, ...services, ...registered].map((client) => [client.id, client]))
}

const clientDefaults = {
  secretHash: undefined,
  redirectUris: [],
  postLogoutRedirectUris: [],
  login: undefined,
  signingAlgorithm: 'RS256',
  registration: undefined,
} as const

/** A registered client of the database or the settings. Only the settings can name an algorithm. */
export type ClientWithSecretHash = Omit<RegisteredClientSettings, 'secret' | 'signingAlgorithm'> &
  Pick<Client, 'secretHash'> &
  Partial<Pick<Client, 'signingAlgorithm'>>

/** Creates a client whose users sign in on the pages of this host. */
export const registeredClient = ({
  name,
  isFirstParty,
  requiresPkce,
  ...client
}: ClientWithSecretHash): Client => ({
  ...clientDefaults,
  ...client,
  grants: ['authorization_code', 'refresh_token'],
  registration: { name, isFirstParty, requiresPkce },
})

/** Digests all have the same length, so comparing two of them always takes the same time. */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * Returns all redirect URLs of the client. Forms of pages may lead to any of them (`form-action`), because
 * one callback of the client may redirect to another.
 */
export const redirectUrlsOf = ({ redirectUris, postLogoutRedirectUris }: Client): readonly string[] => [
  ...redirectUris,
  ...postLogoutRedirectUris,
]

/** Returns the origins of registered clients without a secret. Their scripts redeem codes. */
export const scriptOriginsOf = (clients: Clients): readonly string[] => [
  ...new Set(
    [...clients.values()]
      .filter(({ registration, secretHash }) => registration !== undefined && secretHash === undefined)
      .flatMap(({ redirectUris }) => redirectUris.map((uri) => new URL(uri).origin))
      // The callback of an app on a device has no web origin; URL returns `null`.
      .filter((origin) => origin !== 'null'),
  ),
]

/** Every scope of the contract. */
export const contractScopes: readonly string[] = [
  'openid',
  'profile',
  'svc.api',
  'svc.grpc',
  'offline_access',
]

/** All scopes: the scopes of the contract, and `email` for registered clients. */
export const scopes: readonly string[] = clientScopes

const webClientScopes: readonly string[] = ['openid', 'profile', 'svc.api', 'offline_access']

/** The scopes that a service client may have, and has by default. */
export const serviceScopes: readonly string[] = ['svc.api', 'svc.grpc']

/** Returns the scopes of a `scope` parameter (RFC 6749, 3.3), without duplicates. */
export const splitScope = (scope: string): readonly string[] => [
  ...new Set(scope.split(' ').filter((name) => name !== '')),
]

interface AudienceSettings {
  readonly issuer: string
  readonly apiAudience: string
  readonly grpcAudience: string
}

/** Returns the audiences of the hosts that these scopes give access to. */
export function scopeAudiences(
  scopes: readonly string[],
  { apiAudience, grpcAudience }: Omit<AudienceSettings, 'issuer'>,
): readonly string[] {
  const audiences = new Set<string>()
  if (scopes.includes('svc.api')) audiences.add(apiAudience)
  if (scopes.includes('svc.grpc')) audiences.add(grpcAudience)
  return [...audiences]
}

/** Returns the audience of a token: the hosts whose scopes were granted, or the provider itself. */
export function tokenAudience(
  scopes: readonly string[],
  settings: AudienceSettings,
): string | readonly string[] {
  const [first = settings.issuer, ...others] = scopeAudiences(scopes, settings)
  return others.length === 0 ? first : [first, ...others]
}
