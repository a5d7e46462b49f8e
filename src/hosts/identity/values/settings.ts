import type { KeyObject } from 'node:crypto'
import type { ValueOf } from '../../../config/declared-settings.ts'
import type { MetricsSettings, PasskeySettings } from '../../../config/host-settings.ts'
import type { RateLimitSettings, TrackerSettings } from '../../../config/tracker-settings.ts'
import type { RegisteredClientSettings, ServiceClientSettings } from './clients.ts'

export type SecondFactorPolicy = ValueOf<'Identity__SecondFactor'>

export interface IdentitySettings extends TrackerSettings, MetricsSettings {
  readonly port: number
  readonly apiAudience: string
  readonly grpcAudience: string
  /** Used when the page of the client's own origin is not known. */
  readonly loginPageUrl: string | undefined
  readonly serviceClients: readonly ServiceClientSettings[]
  /** Clients beyond the contract; none while the extensions are off. */
  readonly registeredClients: readonly RegisteredClientSettings[]
  /** External providers by which people may sign in; none while the extensions are off. */
  readonly providers: readonly ProviderSettings[]
  /** Encrypts the keys in the store. None: one is made and kept in the data folder. */
  readonly keySecret: string | undefined
  readonly isStoreShared: boolean
  readonly dataDirectory: string
  /** Signs instead of the key ring. */
  readonly pinnedKey: KeyObject | undefined
  readonly rateLimit: RateLimitSettings
  /** A session that its client has not renewed for so long is expired; 0: only the eight hours count. */
  readonly inactivityMinutes: number
  /** The accounts that must have a second factor. */
  readonly secondFactor: SecondFactorPolicy
  /** True if mails can be queued; the REST host sends them. */
  readonly mail: boolean
  /** None where browsers know no passkeys. */
  readonly passkeys: PasskeySettings | undefined
}

/** An external OpenID Connect provider by which people may sign in here. */
export interface ProviderSettings {
  readonly id: string
  /** The name that people see. */
  readonly name: string
  /** Kept letter for letter: it is compared so. */
  readonly issuer: string
  readonly clientId: string
  /** None: a public client, by PKCE alone. */
  readonly clientSecret: string | undefined
  /** The first sign-in connects to the account whose login is the verified address. */
  readonly linkByVerifiedEmail: boolean
  /** The first sign-in of a person without an account creates one. */
  readonly createAccounts: boolean
  /** The project that those become members of. */
  readonly defaultProject: string | undefined
  /** An address counts as verified although the provider does not say so. */
  readonly trustsAddresses: boolean
}
