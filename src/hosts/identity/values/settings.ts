import type { KeyObject } from 'node:crypto'
import type { ValueOf } from '../../../config/declared-settings.ts'
import type { MetricsSettings } from '../../../config/host-settings.ts'
import type { PasskeySettings } from '../../../config/passkey-settings.ts'
import type { RateLimitSettings, TrackerSettings } from '../../../config/tracker-settings.ts'
import type { RegisteredClientSettings, ServiceClientSettings } from './clients.ts'

export type SecondFactorPolicy = ValueOf<'Identity__SecondFactor'>

export interface IdentitySettings extends TrackerSettings, MetricsSettings {
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
}

/** An OpenID Connect provider elsewhere, by which people may sign in here. */
export interface ProviderSettings {
  readonly id: string
  /** As people are shown it. */
  readonly name: string
  /** Kept letter for letter: it is compared so. */
  readonly issuer: string
  readonly clientId: string
  /** None: a public client, by PKCE alone. */
  readonly clientSecret: string | undefined
  readonly scopes: readonly string[]
  /** Who comes for the first time gets the account whose login is their verified address. */
  readonly linkByVerifiedEmail: boolean
  /** Who comes for the first time, and has no account, gets one. */
  readonly createAccounts: boolean
  /** The project that those become members of. */
  readonly defaultProject: string | undefined
  /** An address counts as verified although the provider does not say so. */
  readonly trustsAddresses: boolean
  /** A sign-out here leads on to the sign-out there. */
  readonly signsOut: boolean
  /** Hosts that may be called although they are not public, beside that of the issuer. */
  readonly hosts: readonly string[]
}
