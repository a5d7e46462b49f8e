import type { KeyObject } from 'node:crypto'
import type { SigningAlgorithm } from '../../auth/access-token.ts'
import { canMail, readMetricsSettings, readPasskeySettings } from '../../config/host-settings.ts'
import { addressIn } from '../../config/setting-kinds.ts'
import type { Settings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import { readRateLimit, readTrackerSettings } from '../../config/tracker-settings.ts'
import {
  clientNameCharactersMax,
  clientScopes,
  clientScopesByDefault,
  mayReturnTo,
  webClientId,
} from '../../model/client.ts'
import { uuidPattern } from '../../model/field-kinds.ts'
import { parsePinnedKey } from './keys/signing-keys.ts'
import { type RegisteredClientSettings, type ServiceClientSettings, serviceScopes } from './values/clients.ts'
import type { IdentitySettings, ProviderSettings, SecondFactorPolicy } from './values/settings.ts'

export type { IdentitySettings, SecondFactorPolicy } from './values/settings.ts'

export function readIdentitySettings(settings: Settings): IdentitySettings {
  const tracker = readTrackerSettings(settings)
  const registered = readRegisteredClients(settings, settings.ids('Identity__ServiceClients'))
  const providers = readProviders(settings)
  // Otherwise no account could sign in, not even administrators.
  if (!tracker.passwords && (providers.length === 0 || !tracker.extensions))
    settings.reject(
      'Identity__Passwords can be off only with Identity__Providers__{id}__…, and with the extensions on.',
    )
  return {
    ...tracker,
    ...readOwnSettings(settings),
    passkeys: readPasskeySettings(settings, tracker),
    mail: canMail(settings),
    registeredClients: tracker.extensions ? registered : [],
    providers: tracker.extensions ? providers : [],
  }
}

const readOwnSettings = (settings: Settings) => ({
  port: settings.get('IDENTITY_PORT'),
  apiAudience: settings.get('Jwt__Audience'),
  grpcAudience: settings.get('Identity__GrpcAudience'),
  loginPageUrl: readLoginPageUrl(settings),
  serviceClients: settings.ids('Identity__ServiceClients').map((id) => readServiceClient(settings, id)),
  ...readKeySecret(settings),
  pinnedKey: readSigningPrivateKey(settings),
  rateLimit: readRateLimit(settings, 'Identity'),
  inactivityMinutes: readInactivity(settings),
  secondFactor: readSecondFactor(settings),
  ...readMetricsSettings(settings),
})

/**
 * An access token lasts thirty minutes, and its client requests the next one shortly before it expires; until
 * then the client sends nothing.
 */
const inactivityMinutesMin = 35

function readInactivity(settings: Settings): number {
  const name = 'Identity__InactivityMinutes'
  const minutes = settings.get(name)
  if (minutes > 0 && minutes < inactivityMinutesMin)
    settings.reject(`${name} must be 0 or at least ${inactivityMinutesMin}.`)
  return minutes
}

/** The pages for second factors are extensions: without them, the required factor could not be set up. */
function readSecondFactor(settings: Settings): SecondFactorPolicy {
  const policy = settings.get('Identity__SecondFactor')
  if (policy !== 'off' && !settings.get('EXTENSIONS'))
    settings.reject('Identity__SecondFactor needs the extensions: set it to off, or EXTENSIONS to on.')
  return policy
}

/** Kept exactly as given: a page may need, or not allow, a slash at its end. */
function readLoginPageUrl(settings: Settings): string | undefined {
  const url = settings.get('Identity__LoginPageUrl')
  if (url !== undefined && addressIn(url) === undefined)
    settings.reject('Identity__LoginPageUrl must be an http or https address.')
  return url
}

function readServiceClient(settings: Settings, id: string): ServiceClientSettings {
  const name = `Identity__ServiceClients__${id}`
  const secret = settings.of('Identity__ServiceClients__{id}__Secret', id)
  const login = settings.of('Identity__ServiceClients__{id}__Login', id)
  const given = settings.of('Identity__ServiceClients__{id}__Scopes', id)
  if (secret.length < secretCharactersMin)
    settings.reject(`${name}__Secret must have at least ${secretCharactersMin} characters.`)
  if (login === '') settings.reject(`${name}__Login is required: the login of the account it acts as.`)
  if (id === webClientId) settings.reject(`${name} cannot be named like the web client.`)
  for (const scope of given.filter((scope) => !serviceScopes.includes(scope)))
    settings.reject(`${name}__Scopes has ${scope}; a service client can have ${serviceScopes.join(', ')}.`)
  const signingAlgorithm = settings.of('Identity__ServiceClients__{id}__SigningAlgorithm', id)
  checkSigningAlgorithm(settings, name, signingAlgorithm)
  return { id, secret, login, scopes: given.length > 0 ? given : serviceScopes, signingAlgorithm }
}

/** Without one, this machine generates its own; on a shared store that only works for a single machine. */
const readKeySecret = (settings: Settings) => ({
  keySecret: settings.get('Identity__KeyEncryptionSecret') ?? settings.get('Jwt__SigningKey'),
  isStoreShared: readStoreSettings(settings).databaseUrl !== undefined,
  dataDirectory: readStoreSettings(settings).dataDirectory,
})

function readSigningPrivateKey(settings: Settings): KeyObject | undefined {
  const pem = settings.get('Jwt__SigningPrivateKey')
  const key = pem === undefined ? undefined : parsePinnedKey(pem)
  if (pem !== undefined && !key)
    settings.reject('Jwt__SigningPrivateKey must be an RSA private key of at least 2048 bits, as PEM.')
  return key
}

/** The same minimum length as for service clients: a shorter secret could be guessed. */
const secretCharactersMin = 32

/** Parses the clients in which users sign in: `Identity__Clients__{id}__…`. */
function readRegisteredClients(
  settings: Settings,
  serviceClientIds: readonly string[],
): readonly RegisteredClientSettings[] {
  return settings.ids('Identity__Clients').map((id) => {
    const name = `Identity__Clients__${id}`
    if (id === webClientId || serviceClientIds.includes(id))
      settings.reject(`${name} has the id of another client.`)
    const signingAlgorithm = settings.of('Identity__Clients__{id}__SigningAlgorithm', id)
    checkSigningAlgorithm(settings, name, signingAlgorithm)
    const authentication = readAuthentication(settings, id)
    const redirectUris = readAddresses(settings, id, 'RedirectUris')
    if (redirectUris.length === 0) settings.reject(`${name}__RedirectUris__0 is required.`)
    return {
      id,
      name: readName(settings, id),
      ...authentication,
      scopes: readScopes(settings, id),
      signingAlgorithm,
      redirectUris,
      postLogoutRedirectUris: readAddresses(settings, id, 'PostLogoutRedirectUris'),
      isFirstParty: settings.of('Identity__Clients__{id}__FirstParty', id),
    }
  })
}

/** The client proves by a secret or by PKCE that it owns a code. */
function readAuthentication(settings: Settings, id: string) {
  const secret = settings.of('Identity__Clients__{id}__Secret', id)
  if (secret !== undefined && secret.length < secretCharactersMin)
    settings.reject(`Identity__Clients__${id}__Secret must have at least ${secretCharactersMin} characters.`)
  const requiresPkce = settings.of('Identity__Clients__{id}__RequirePkce', id)
  if (!requiresPkce && secret === undefined)
    settings.reject(`Identity__Clients__${id}__RequirePkce must be true for a client without a secret.`)
  return { secret, requiresPkce }
}

/** `name` is the prefix of a client's settings, of either kind. */
function checkSigningAlgorithm(settings: Settings, name: string, algorithm: SigningAlgorithm): void {
  if (algorithm !== 'RS256' && !settings.get('EXTENSIONS'))
    settings.reject(`${name}__SigningAlgorithm needs the extensions: leave it out, or set EXTENSIONS to on.`)
}

function readName(settings: Settings, id: string): string {
  const shown = settings.of('Identity__Clients__{id}__Name', id) ?? id
  if (shown.length > clientNameCharactersMax)
    settings.reject(`Identity__Clients__${id}__Name must have at most ${clientNameCharactersMax} characters.`)
  return shown
}

function readScopes(settings: Settings, id: string): readonly string[] {
  const given = settings.of('Identity__Clients__{id}__Scopes', id)
  for (const scope of given.filter((scope) => !clientScopes.includes(scope)))
    settings.reject(
      `Identity__Clients__${id}__Scopes has ${scope}; a client can have ${clientScopes.join(', ')}.`,
    )
  return given.length > 0 ? given : clientScopesByDefault
}

/** Kept exactly as given, because they are compared as text. */
function readAddresses(
  settings: Settings,
  id: string,
  kind: 'RedirectUris' | 'PostLogoutRedirectUris',
): readonly string[] {
  return settings.of(`Identity__Clients__{id}__${kind}`, id).filter((address) => {
    const isFit = mayReturnTo(address)
    if (!isFit)
      settings.reject(
        `Identity__Clients__${id}__${kind} has ${address}; it must be an http or https address, or one of an app such as com.example.app:/callback, without a fragment, a user name or white space.`,
      )
    return isFit
  })
}

/** A page has no room for more buttons. */
const providersMax = 10
const nameCharactersMax = 100
/** The id is part of addresses. */
const idPattern = /^[a-z\d][\w-]{0,39}$/i

/** `Identity__Providers__{id}__…` */
function readProviders(settings: Settings): readonly ProviderSettings[] {
  const ids = settings.ids('Identity__Providers')
  if (ids.length > providersMax)
    settings.reject(`Identity__Providers can have at most ${providersMax} of them.`)
  // Paths are case-insensitive, and each provider needs its own.
  if (new Set(ids.map((id) => id.toLowerCase())).size < ids.length)
    settings.reject('Identity__Providers must have ids that differ in more than capitals.')
  return ids.map((id) => readProvider(settings, id))
}

function readProvider(settings: Settings, id: string): ProviderSettings {
  const name = `Identity__Providers__${id}`
  if (!idPattern.test(id)) settings.reject(`${name} must be named with at most 40 letters, digits, - and _.`)
  const displayName = settings.of('Identity__Providers__{id}__Name', id) ?? id
  if (displayName.length > nameCharactersMax)
    settings.reject(`${name}__Name must have at most ${nameCharactersMax} characters.`)
  const clientId = settings.of('Identity__Providers__{id}__ClientId', id)
  if (clientId === '') settings.reject(`${name}__ClientId is required: what the provider calls this service.`)
  const linkByVerifiedEmail = settings.of('Identity__Providers__{id}__LinkByVerifiedEmail', id)
  const createAccounts = settings.of('Identity__Providers__{id}__CreateAccounts', id)
  return {
    id,
    name: displayName,
    issuer: readIssuer(settings, id),
    clientId,
    clientSecret: settings.of('Identity__Providers__{id}__ClientSecret', id),
    linkByVerifiedEmail,
    createAccounts,
    defaultProject: readProject(settings, id, createAccounts),
    trustsAddresses: settings.of('Identity__Providers__{id}__TrustAddresses', id),
  }
}

const issuerCharactersMax = 500

function readIssuer(settings: Settings, id: string): string {
  const issuer = settings.of('Identity__Providers__{id}__Issuer', id)
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isFit =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    !issuer.includes('/.well-known/') &&
    issuer.length <= issuerCharactersMax
  if (!isFit)
    settings.reject(
      `Identity__Providers__${id}__Issuer must be the address of an OpenID Connect provider, as its discovery document has it in issuer.`,
    )
  return issuer
}

function readProject(settings: Settings, id: string, createAccounts: boolean): string | undefined {
  const name = `Identity__Providers__${id}__DefaultProject`
  const project = settings.of('Identity__Providers__{id}__DefaultProject', id)
  if (project !== undefined && !uuidPattern.test(project))
    settings.reject(`${name} must be the id of a project.`)
  if (project !== undefined && !createAccounts)
    settings.reject(`${name} is for accounts that are made: set CreateAccounts, too.`)
  return project?.toLowerCase()
}
