import { createPublicKey, type KeyObject } from 'node:crypto'
import type { SigningAlgorithm } from '../../auth/access-token.ts'
import { clientSecretCharactersMin } from '../../config/declared-settings.ts'
import {
  isMailConfigured,
  readMetricsSettings,
  readPasskeySettings,
  readPasskeySignInDomain,
  readRateLimit,
  readTrackerSettings,
  sharedTrackerSettings,
} from '../../config/host-settings.ts'
import { parseHttpUrl } from '../../config/setting-kinds.ts'
import type { Settings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import type { SharedSettings } from '../../db/instances.ts'
import { uuidPattern } from '../../model/field-kinds.ts'
import {
  clientNameCharactersMax,
  clientScopes,
  defaultClientScopes,
  isValidRedirectUri,
  webClientId,
} from '../../model/oidc-client.ts'
import { parsePinnedKey } from './keys/signing-keys.ts'
import { type RegisteredClientSettings, type ServiceClientSettings, serviceScopes } from './values/clients.ts'
import type { IdentitySettings, ProviderSettings, SecondFactorPolicy } from './values/settings.ts'

export type { IdentitySettings, SecondFactorPolicy } from './values/settings.ts'

export function readIdentitySettings(settings: Settings): IdentitySettings {
  const tracker = readTrackerSettings(settings)
  const registered = readRegisteredClients(settings, settings.ids('Identity__ServiceClients'))
  const providers = readProviders(settings)
  // Otherwise no account could sign in, not even the account of an administrator.
  if (!tracker.passwords && (providers.length === 0 || !tracker.extensions))
    settings.addProblem(
      'Identity__Passwords can be off only with Identity__Providers__{id}__…, and with the extensions on.',
    )
  const identity = {
    ...tracker,
    ...readHostSettings(settings),
    passkeys: readPasskeySettings(settings, tracker),
    passkeySignInDomain: readPasskeySignInDomain(settings, tracker),
    isMailConfigured: isMailConfigured(settings),
    registeredClients: tracker.extensions ? registered : [],
    providers: tracker.extensions ? providers : [],
  }
  return { ...identity, shared: sharedSettingsOf(identity) }
}

const sharedSettingsOf = (settings: Omit<IdentitySettings, 'shared'>): SharedSettings => ({
  ...sharedTrackerSettings(settings),
  Jwt__Audience: settings.apiAudience,
  Identity__GrpcAudience: settings.grpcAudience,
  Jwt__SigningPrivateKey: settings.pinnedKey && publicTextOf(settings.pinnedKey),
  Identity__Passwords: settings.passwords,
  Identity__SecondFactor: settings.secondFactor,
  Identity__InactivityMinutes: settings.inactivityMinutes,
  Identity__LoginsAreVerified: settings.loginsAreVerified,
  Identity__LoginPageUrl: settings.loginPageUrl,
  Identity__PasskeyDomain: settings.passkeySignInDomain,
  Cors__AllowedOrigins: settings.allowedOrigins,
})

/** The settings with secrets that all identity instances must have in common. */
export const secretSettingsOf = (settings: IdentitySettings): SharedSettings => ({
  Identity__ServiceClients: settings.serviceClients,
  Identity__Clients: settings.registeredClients,
  Identity__Providers: settings.providers,
  // If a rotation misses an instance, it keeps running with the previous secret. Only this comparison reveals
  // that.
  Identity__KeyEncryptionSecret: settings.keySecret,
})

const publicTextOf = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'pem' })

const readHostSettings = (settings: Settings) => ({
  port: settings.get('IDENTITY_PORT'),
  apiAudience: settings.get('Jwt__Audience'),
  grpcAudience: settings.get('Identity__GrpcAudience'),
  loginPageUrl: readLoginPageUrl(settings),
  serviceClients: settings.ids('Identity__ServiceClients').map((id) => readServiceClient(settings, id)),
  ...readKeySecretSettings(settings),
  pinnedKey: readSigningPrivateKey(settings),
  rateLimit: readRateLimit(settings, 'Identity'),
  inactivityMinutes: readInactivity(settings),
  loginsAreVerified: settings.get('Identity__LoginsAreVerified'),
  secondFactor: readSecondFactor(settings),
  ...readMetricsSettings(settings),
})

/**
 * A client that refreshes its access token just before it expires uses its session only every thirty minutes.
 * A shorter limit would end sessions that are in use.
 */
const inactivityMinutesMin = 35

function readInactivity(settings: Settings): number {
  const name = 'Identity__InactivityMinutes'
  const minutes = settings.get(name)
  if (minutes > 0 && minutes < inactivityMinutesMin)
    settings.addProblem(`${name} must be 0 or at least ${inactivityMinutesMin}.`)
  return minutes
}

/** The pages for second factors are extensions. Without them, a required factor could not be set up. */
function readSecondFactor(settings: Settings): SecondFactorPolicy {
  const policy = settings.get('Identity__SecondFactor')
  if (policy !== 'off' && !settings.get('EXTENSIONS'))
    settings.addProblem('Identity__SecondFactor needs the extensions: set it to off, or EXTENSIONS to on.')
  return policy
}

/** Returns the URL exactly as given, because the page may require or reject a slash at its end. */
function readLoginPageUrl(settings: Settings): string | undefined {
  const url = settings.get('Identity__LoginPageUrl')
  if (url !== undefined && parseHttpUrl(url) === undefined)
    settings.addProblem('Identity__LoginPageUrl must be an http or https URL.')
  return url
}

function readServiceClient(settings: Settings, id: string): ServiceClientSettings {
  const prefix = `Identity__ServiceClients__${id}`
  const secret = settings.getFor('Identity__ServiceClients__{id}__Secret', id)
  const login = settings.getFor('Identity__ServiceClients__{id}__Login', id)
  const scopes = settings.getFor('Identity__ServiceClients__{id}__Scopes', id)
  if (secret.length < clientSecretCharactersMin)
    settings.addProblem(`${prefix}__Secret must have at least ${clientSecretCharactersMin} characters.`)
  if (login === '') settings.addProblem(`${prefix}__Login is required: the login of the account it acts as.`)
  if (id === webClientId) settings.addProblem(`${prefix} cannot be named like the web client.`)
  for (const scope of scopes.filter((scope) => !serviceScopes.includes(scope)))
    settings.addProblem(
      `${prefix}__Scopes has ${scope}; a service client can have ${serviceScopes.join(', ')}.`,
    )
  const signingAlgorithm = settings.getFor('Identity__ServiceClients__{id}__SigningAlgorithm', id)
  checkSigningAlgorithm(settings, prefix, signingAlgorithm)
  return { id, secret, login, scopes: scopes.length > 0 ? scopes : serviceScopes, signingAlgorithm }
}

/**
 * Without a secret, the host generates one later and stores it in `dataDirectory`. With a shared store, that
 * works only for a single machine.
 */
function readKeySecretSettings(settings: Settings) {
  const { databaseUrl, dataDirectory } = readStoreSettings(settings)
  return {
    keySecret: settings.get('Identity__KeyEncryptionSecret') ?? settings.get('Jwt__SigningKey'),
    previousKeySecret: settings.get('Identity__PreviousKeyEncryptionSecret'),
    isStoreShared: databaseUrl !== undefined,
    dataDirectory,
  }
}

function readSigningPrivateKey(settings: Settings): KeyObject | undefined {
  const pem = settings.get('Jwt__SigningPrivateKey')
  const key = pem === undefined ? undefined : parsePinnedKey(pem)
  if (pem !== undefined && !key)
    settings.addProblem('Jwt__SigningPrivateKey must be an RSA private key of at least 2048 bits, as PEM.')
  return key
}

/** Reads the clients in which users sign in: `Identity__Clients__{id}__…`. */
function readRegisteredClients(
  settings: Settings,
  serviceClientIds: readonly string[],
): readonly RegisteredClientSettings[] {
  return settings.ids('Identity__Clients').map((id) => {
    const prefix = `Identity__Clients__${id}`
    if (id === webClientId || serviceClientIds.includes(id))
      settings.addProblem(`${prefix} has the id of another client.`)
    const signingAlgorithm = settings.getFor('Identity__Clients__{id}__SigningAlgorithm', id)
    checkSigningAlgorithm(settings, prefix, signingAlgorithm)
    const authentication = readAuthentication(settings, id)
    const redirectUris = readUris(settings, id, 'RedirectUris')
    if (redirectUris.length === 0) settings.addProblem(`${prefix}__RedirectUris__0 is required.`)
    return {
      id,
      name: readName(settings, id),
      ...authentication,
      scopes: readScopes(settings, id),
      signingAlgorithm,
      redirectUris,
      postLogoutRedirectUris: readUris(settings, id, 'PostLogoutRedirectUris'),
      isFirstParty: settings.getFor('Identity__Clients__{id}__FirstParty', id),
    }
  })
}

/** A client must prove by a secret or by PKCE that a code was issued to it. */
function readAuthentication(settings: Settings, id: string) {
  const secret = settings.getFor('Identity__Clients__{id}__Secret', id)
  if (secret !== undefined && secret.length < clientSecretCharactersMin)
    settings.addProblem(
      `Identity__Clients__${id}__Secret must have at least ${clientSecretCharactersMin} characters.`,
    )
  const requiresPkce = settings.getFor('Identity__Clients__{id}__RequirePkce', id)
  if (!requiresPkce && secret === undefined)
    settings.addProblem(`Identity__Clients__${id}__RequirePkce must be true for a client without a secret.`)
  return { secret, requiresPkce }
}

function checkSigningAlgorithm(settings: Settings, prefix: string, algorithm: SigningAlgorithm): void {
  if (algorithm !== 'RS256' && !settings.get('EXTENSIONS'))
    settings.addProblem(
      `${prefix}__SigningAlgorithm needs the extensions: leave it out, or set EXTENSIONS to on.`,
    )
}

function readName(settings: Settings, id: string): string {
  const name = settings.getFor('Identity__Clients__{id}__Name', id) ?? id
  if (name.length > clientNameCharactersMax)
    settings.addProblem(
      `Identity__Clients__${id}__Name must have at most ${clientNameCharactersMax} characters.`,
    )
  return name
}

function readScopes(settings: Settings, id: string): readonly string[] {
  const scopes = settings.getFor('Identity__Clients__{id}__Scopes', id)
  for (const scope of scopes.filter((scope) => !clientScopes.includes(scope)))
    settings.addProblem(
      `Identity__Clients__${id}__Scopes has ${scope}; a client can have ${clientScopes.join(', ')}.`,
    )
  return scopes.length > 0 ? scopes : defaultClientScopes
}

/** Returns the valid URLs exactly as given, because they are compared as text. */
function readUris(
  settings: Settings,
  id: string,
  kind: 'RedirectUris' | 'PostLogoutRedirectUris',
): readonly string[] {
  return settings.getFor(`Identity__Clients__{id}__${kind}`, id).filter((uri) => {
    const isValid = isValidRedirectUri(uri)
    if (!isValid)
      settings.addProblem(
        `Identity__Clients__${id}__${kind} has ${uri}; it must be an http or https URL, or have the scheme of an app such as com.example.app:/callback, without a fragment, a user name or white space.`,
      )
    return isValid
  })
}

/** The sign-in page has no room for more buttons. */
const providersMax = 10
const providerNameCharactersMax = 100
/** The id is part of URLs. */
const providerIdPattern = /^[a-z\d][\w-]{0,39}$/i

function readProviders(settings: Settings): readonly ProviderSettings[] {
  const ids = settings.ids('Identity__Providers')
  if (ids.length > providersMax)
    settings.addProblem(`Identity__Providers can have at most ${providersMax} providers.`)
  // Paths are case-insensitive, and each provider needs its own.
  if (new Set(ids.map((id) => id.toLowerCase())).size < ids.length)
    settings.addProblem('Identity__Providers has ids that differ only in case.')
  return ids.map((id) => readProvider(settings, id))
}

function readProvider(settings: Settings, id: string): ProviderSettings {
  const prefix = `Identity__Providers__${id}`
  if (!providerIdPattern.test(id))
    settings.addProblem(
      `${prefix} has an invalid id: it must begin with a letter or digit, and have at most 40 letters, digits, - and _.`,
    )
  const name = settings.getFor('Identity__Providers__{id}__Name', id) ?? id
  if (name.length > providerNameCharactersMax)
    settings.addProblem(`${prefix}__Name must have at most ${providerNameCharactersMax} characters.`)
  const clientId = settings.getFor('Identity__Providers__{id}__ClientId', id)
  if (clientId === '')
    settings.addProblem(`${prefix}__ClientId is required: the id of this service at the provider.`)
  const linkByVerifiedEmail = settings.getFor('Identity__Providers__{id}__LinkByVerifiedEmail', id)
  const createAccounts = settings.getFor('Identity__Providers__{id}__CreateAccounts', id)
  return {
    id,
    name,
    issuer: readIssuer(settings, id),
    clientId,
    clientSecret: settings.getFor('Identity__Providers__{id}__ClientSecret', id),
    linkByVerifiedEmail,
    createAccounts,
    defaultProject: readProject(settings, id, createAccounts),
    trustsAddresses: settings.getFor('Identity__Providers__{id}__TrustAddresses', id),
  }
}

const issuerCharactersMax = 500

function readIssuer(settings: Settings, id: string): string {
  const issuer = settings.getFor('Identity__Providers__{id}__Issuer', id)
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isValid =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    !issuer.includes('/.well-known/') &&
    issuer.length <= issuerCharactersMax
  if (!isValid)
    settings.addProblem(
      `Identity__Providers__${id}__Issuer must be the address of an OpenID Connect provider, exactly as in the issuer of its discovery document.`,
    )
  return issuer
}

function readProject(settings: Settings, id: string, createAccounts: boolean): string | undefined {
  const name = `Identity__Providers__${id}__DefaultProject`
  const project = settings.getFor('Identity__Providers__{id}__DefaultProject', id)
  if (project !== undefined && !uuidPattern.test(project))
    settings.addProblem(`${name} must be the id of a project.`)
  if (project !== undefined && !createAccounts)
    settings.addProblem(`${name} applies only to new accounts: set CreateAccounts, too.`)
  return project?.toLowerCase()
}
