import type { Database } from '../../../store/database.ts'
import type { Client } from '../clients.ts'
import type { IdentitySettings } from '../configuration.ts'
import { openKeyRing } from './key-ring.ts'
import { keptKeySecret } from './key-secret.ts'
import { pinnedKeys } from './pinned-key.ts'
import { createSeals, protectionKeyKind, type Seals } from './seals.ts'
import { createSecretBox, type SecretBox } from './secret-box.ts'
import { joinRings, type SigningKeys, signingKeyKinds } from './signing-keys.ts'

export interface Keys {
  readonly signingKeys: SigningKeys
  readonly seals: Seals
  /** For what is stored of second factors, each for its account. */
  readonly factorBox: SecretBox
  refreshKeys(): Promise<void>
}

type KeySettings = Pick<IdentitySettings, 'keySecret' | 'dataDirectory' | 'pinnedKey'> & {
  readonly serviceClients: readonly Signed[]
  readonly registeredClients: readonly Signed[]
}
type Signed = Pick<Client, 'signingAlgorithm'>

/** The keys that all instances share; refused with a clear message when the store's were made with another secret. */
export async function openKeys(
  database: Database,
  { keySecret, dataDirectory, pinnedKey, serviceClients, registeredClients }: KeySettings,
  now: () => number,
): Promise<Keys> {
  const secret = keySecret ?? (await keptKeySecret(dataDirectory))
  const ringOf = <Key>(kind: Parameters<typeof openKeyRing<Key>>[0]) =>
    openKeyRing(kind, { database, box: createSecretBox(secret, `${kind.purpose} keys`), now })
  // Keys that nobody asks for are not made: the contract publishes those of RS256 alone.
  const asked = new Set([...serviceClients, ...registeredClients].map((client) => client.signingAlgorithm))
  const signingKeys = joinRings(
    pinnedKey ? pinnedKeys(pinnedKey) : await ringOf(signingKeyKinds.RS256),
    asked.has('ES256') ? new Map([['ES256', await ringOf(signingKeyKinds.ES256)]]) : new Map(),
  )
  const protectionKeys = await ringOf(protectionKeyKind)
  return {
    signingKeys,
    seals: createSeals(protectionKeys, now),
    factorBox: createSecretBox(secret, 'second factors'),
    async refreshKeys() {
      await signingKeys.refresh()
      await protectionKeys.refresh()
    },
  }
}
