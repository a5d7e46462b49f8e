import type { Administrators } from '../../../accounts/administrators.ts'
import type { Lockouts } from '../../../accounts/lockouts.ts'
import type { Passwords } from '../../../accounts/passwords.ts'
import type { Database } from '../../../db/database.ts'
import type { Log } from '../../../http/log.ts'
import type { SecurityLog } from '../../../observability/security-log.ts'
import type { Seals } from '../keys/seals.ts'
import type { SecretBox } from '../keys/secret-box.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { Clients } from '../values/clients.ts'
import type { IdentitySettings } from '../values/settings.ts'
import type { ExternalProviders } from './providers.ts'

/** The context of every endpoint. */
export interface Identity {
  readonly settings: IdentitySettings
  readonly database: Database
  readonly passwords: Passwords
  readonly lockouts: Lockouts
  readonly administrators: Administrators
  readonly clients: Clients
  /** External providers that users can sign in with. */
  readonly providers: ExternalProviders
  readonly signingKeys: SigningKeys
  readonly seals: Seals
  /** Encrypts stored second factors. */
  readonly factorBox: SecretBox
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly log: Log
  readonly securityLog: SecurityLog
}
