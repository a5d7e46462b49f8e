import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../../db/database.ts'
import type { Client } from '../values/clients.ts'
import type { IdentitySettings } from '../values/settings.ts'
import { createSecretBox, openKeyRing, type SecretBox } from './key-ring.ts'
import { createSeals, protectionKeyKind, type Seals } from './seals.ts'
import { joinRings, pinnedKeys, type SigningKeys, signingKeyKinds } from './signing-keys.ts'

export interface Keys {
  readonly signingKeys: SigningKeys
  readonly seals: Seals
  /** Encrypts the stored second factors, each bound to its account. */
  readonly factorBox: SecretBox
  refreshKeys(): Promise<void>
}

type KeySettings = Pick<IdentitySettings, 'keySecret' | 'dataDirectory' | 'pinnedKey'> & {
  readonly serviceClients: readonly Signed[]
  readonly registeredClients: readonly Signed[]
}
type Signed = Pick<Client, 'signingAlgorithm'>

/**
 * Opens the keys that all instances share; fails with a clear message if the store's keys were made with
 * another secret.
 */
export async function openKeys(
  database: Database,
  { keySecret, dataDirectory, pinnedKey, serviceClients, registeredClients }: KeySettings,
  now: () => number,
): Promise<Keys> {
  const secret = keySecret ?? (await keptKeySecret(dataDirectory))
  const ringOf = <Key>(kind: Parameters<typeof openKeyRing<Key>>[0]) =>
    openKeyRing(kind, { database, box: createSecretBox(secret, `${kind.purpose} keys`), now })
  // Keys that no client uses are not created: the contract publishes only those of RS256.
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

/**
 * The embedded store's own secret: read from the data folder, or created there at the first start, readable
 * by its owner only.
 */
export async function keptKeySecret(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, 'identity-secret')
  const secret = (await readSecret(file)) ?? (await makeSecret(dataDirectory, file))
  if (!secret)
    throw new Error(`${file} is empty. Restore it from a backup: it encrypts the keys in the store.`)
  return secret
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The complete file is linked into place, so that two processes starting together both read the same whole
 * secret.
 */
async function makeSecret(dataDirectory: string, file: string): Promise<string | undefined> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readSecret(file)
}
