import type { KeyObject } from 'node:crypto'
import type { ValueOf } from '../../../config/declared-settings.ts'
import type {
  MetricsSettings,
  PasskeySettings,
  RateLimitSettings,
  TrackerSettings,
} from '../../../config/host-settings.ts'
import type { SharedSettings } from '../../../db/instances.ts'
import type { RegisteredClientSettings, ServiceClientSettings } from './clients.ts'

export type SecondFactorPolicy = ValueOf<'Identity__SecondFactor'>

export interface IdentitySettings extends TrackerSettings, MetricsSettings {
  readonly port: number
  readonly apiAudience: string
  readonly grpcAudience: string
  /** The sign-in page for requests whose client is unknown. */
  readonly loginPageUrl: string | undefined
  readonly serviceClients: readonly ServiceClientSettings[]
  /** Clients beyond the contract. None while the extensions are off. */
  readonly registeredClients: readonly RegisteredClientSettings[]
  /** External providers that users can sign in with. None while the extensions are off. */
  readonly providers: readonly ProviderSettings[]
  /** Encrypts the keys in the store. If undefined, one is generated and kept in the data directory. */
  readonly keySecret: string | undefined
  /** The predecessor of `keySecret`. It still decrypts, until `secret rotate` has re-encrypted everything. */
  readonly previousKeySecret: string | undefined
  /** True if `DATABASE_URL` is set. Instances on other machines may then use the store. */
  readonly isStoreShared: boolean
  readonly dataDirectory: string
  /** Signs tokens instead of the key ring. */
  readonly pinnedKey: KeyObject | undefined
  readonly rateLimit: RateLimitSettings
  /**
   * A session that has not been used for this long has expired. If 0, sessions end only after their eight
   * hours.
   */
  readonly inactivityMinutes: number
  /** True if every login that is an email address counts as verified. */
  readonly loginsAreVerified: boolean
  /** The accounts that must have a second factor. */
  readonly secondFactor: SecondFactorPolicy
  /** True if mails can be queued. The REST host sends them. */
  readonly isMailConfigured: boolean
  /** Undefined if passkeys cannot work at the address of the host. */
  readonly passkeys: PasskeySettings | undefined
  /** The domain of passkeys that sign in without a password. Undefined if no page accepts them. */
  readonly passkeySignInDomain: string | undefined
  /** The settings that all instances must have in common, without secrets. */
  readonly shared: SharedSettings
}

/** An external OpenID Connect provider that users can sign in with. */
export interface ProviderSettings {
  readonly id: string
  /** The name shown to users. */
  readonly name: string
  /** Kept exactly as given, because it is compared as text. */
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client, which uses PKCE alone. */
  readonly clientSecret: string | undefined
  /** The first sign-in connects the account whose login is the verified address. */
  readonly linkByVerifiedEmail: boolean
  /** The first sign-in of a user without an account creates one. */
  readonly createAccounts: boolean
  /** The project that new accounts become members of. */
  readonly defaultProject: string | undefined
  /** Treats a mail address as verified even if the provider does not say so. */
  readonly trustsAddresses: boolean
}
