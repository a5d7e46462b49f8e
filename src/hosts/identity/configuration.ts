import type { KeyObject } from 'node:crypto'
import { canMail } from '../../configuration/mail-settings.ts'
import { type PasskeySettings, readPasskeySettings } from '../../configuration/passkey-settings.ts'
import { addressIn, type Settings } from '../../configuration/settings.ts'
import { readStoreSettings } from '../../configuration/store-settings.ts'
import {
  type RateLimitSettings,
  readPort,
  readRateLimit,
  readTrackerSettings,
  type TrackerSettings,
} from '../../configuration/tracker-settings.ts'
import { webClientId } from '../../model/web-client.ts'
import type { RegisteredClientSettings, ServiceClientSettings } from './clients.ts'
import { type SecondFactorPolicy, secondFactorPolicies } from './factors/policy.ts'
import { readPinnedKey } from './keys/pinned-key.ts'
import { type ProviderSettings, readProviders } from './outside/read-providers.ts'
import { readRegisteredClients, readSigningAlgorithm, secretCharactersMin } from './registered-clients.ts'
import { serviceScopes } from './scopes.ts'

export interface IdentitySettings extends TrackerSettings {
  readonly port: number
  readonly apiAudience: string
  readonly grpcAudience: string
  /** Where to go when the page of the client's own origin is not known. */
  readonly loginPageUrl: string | undefined
  readonly serviceClients: readonly ServiceClientSettings[]
  /** Clients beyond the contract; none while the extensions are off. */
  readonly registeredClients: readonly RegisteredClientSettings[]
  /** Where else people may prove who they are; none while the extensions are off. */
  readonly providers: readonly ProviderSettings[]
  /** Encrypts the keys in the store. None: one is made and kept in the data folder. */
  readonly keySecret: string | undefined
  readonly isStoreShared: boolean
  readonly dataDirectory: string
  /** Signs instead of the key ring. */
  readonly pinnedKey: KeyObject | undefined
  readonly rateLimit: RateLimitSettings
  /** A sign-in that its client has not renewed for so long is over; 0: only the eight hours count. */
  readonly inactivityMinutes: number
  /** Who must prove themselves with more than a password. */
  readonly secondFactor: SecondFactorPolicy
  /** Whether mails can be asked for; the REST host sends them. */
  readonly mail: boolean
  /** None where browsers know no passkeys. */
  readonly passkeys: PasskeySettings | undefined
  /** Measurements at `/metrics`; off unless asked for, because the port is public. */
  readonly metrics: boolean
}

export function readIdentitySettings(settings: Settings): IdentitySettings {
  const tracker = readTrackerSettings(settings)
  const registered = readRegisteredClients(settings, settings.idsUnder('Identity__ServiceClients'))
  const providers = readProviders(settings)
  // Otherwise nobody could sign in, not even administrators.
  if (!tracker.passwords && (providers.length === 0 || !tracker.extensions))
    settings.refuse(
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
  port: readPort(settings, 'IDENTITY_PORT', 5200),
  apiAudience: settings.text('Jwt__Audience', 'svc-api'),
  grpcAudience: settings.text('Identity__GrpcAudience', 'svc-grpc'),
  loginPageUrl: readLoginPageUrl(settings),
  serviceClients: settings.idsUnder('Identity__ServiceClients').map((id) => readServiceClient(settings, id)),
  ...readKeySecret(settings),
  pinnedKey: readSigningPrivateKey(settings),
  rateLimit: readRateLimit(settings, 'Identity', { permitLimit: 60, queueLimit: 5 }),
  inactivityMinutes: readInactivity(settings),
  secondFactor: readSecondFactor(settings),
  metrics: settings.flag('METRICS', false),
})

/** The contract's eight hours, after which a sign-in is over anyway. */
const sessionMinutes = 8 * 60
/** An access token lasts thirty minutes and a client asks for the next one shortly before: until then it sends nothing. */
const inactivityMinutesMin = 35

function readInactivity(settings: Settings): number {
  const name = 'Identity__InactivityMinutes'
  const minutes = settings.wholeNumber(name, 0, { min: 0, max: sessionMinutes })
  if (minutes > 0 && minutes < inactivityMinutesMin)
    settings.refuse(`${name} must be 0 or from ${inactivityMinutesMin} to ${sessionMinutes}.`)
  return minutes
}

/** The pages for second factors are extensions: without them, nobody could set up the factor that is required. */
function readSecondFactor(settings: Settings): SecondFactorPolicy {
  const given = settings.text('Identity__SecondFactor', 'off')
  const policy = secondFactorPolicies.find((known) => known === given)
  if (policy === undefined)
    settings.refuse(`Identity__SecondFactor must be one of ${secondFactorPolicies.join(', ')}.`)
  if (policy !== 'off' && !settings.flag('EXTENSIONS', true))
    settings.refuse('Identity__SecondFactor needs the extensions: set it to off, or EXTENSIONS to on.')
  return policy ?? 'off'
}

/** Kept letter for letter: a page may live with or without a slash at its end. */
function readLoginPageUrl(settings: Settings): string | undefined {
  const url = settings.optionalText('Identity__LoginPageUrl')
  if (url !== undefined && addressIn(url) === undefined)
    settings.refuse('Identity__LoginPageUrl must be an http or https address.')
  return url
}

function readServiceClient(settings: Settings, id: string): ServiceClientSettings {
  const name = `Identity__ServiceClients__${id}`
  const secret = settings.text(`${name}__Secret`, '')
  const login = settings.text(`${name}__Login`, '')
  const given = settings.numbered(`${name}__Scopes`)
  if (secret.length < secretCharactersMin)
    settings.refuse(`${name}__Secret must have at least ${secretCharactersMin} characters.`)
  if (login === '') settings.refuse(`${name}__Login is required: the login of the account it acts as.`)
  if (id === webClientId) settings.refuse(`${name} cannot be named like the web client.`)
  for (const scope of given.filter((scope) => !serviceScopes.includes(scope)))
    settings.refuse(`${name}__Scopes has ${scope}; a service client can have ${serviceScopes.join(', ')}.`)
  const audiences = settings.numbered(`${name}__Audiences`)
  const signingAlgorithm = readSigningAlgorithm(settings, name)
  return { id, secret, login, scopes: given.length > 0 ? given : serviceScopes, audiences, signingAlgorithm }
}

/** Without one, this machine makes its own; on a shared store that is enough for one machine only. */
const readKeySecret = (settings: Settings) => ({
  keySecret:
    settings.optionalText('Identity__KeyEncryptionSecret') ?? settings.optionalText('Jwt__SigningKey'),
  isStoreShared: readStoreSettings(settings).databaseUrl !== undefined,
  dataDirectory: readStoreSettings(settings).dataDirectory,
})

function readSigningPrivateKey(settings: Settings): KeyObject | undefined {
  const pem = settings.optionalText('Jwt__SigningPrivateKey')
  const key = pem === undefined ? undefined : readPinnedKey(pem)
  if (pem !== undefined && !key)
    settings.refuse('Jwt__SigningPrivateKey must be an RSA private key of at least 2048 bits, as PEM.')
  return key
}
