import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identitySecretFile } from '../../../config/store-settings.ts'
import type { Database } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Client } from '../values/clients.ts'
import type { IdentitySettings } from '../values/settings.ts'
import { type KeyKind, openKeyRing, WrongKeySecretError } from './key-ring.ts'
import { createSeals, protectionKeyKind, type Seals } from './seals.ts'
import { createFactorBox, createRotatingBox, createRotatingKeyBox, type SecretBox } from './secret-box.ts'
import { joinRings, pinnedKeyRing, type SigningKeys, signingKeyKinds } from './signing-keys.ts'

export interface Keys {
  readonly signingKeys: SigningKeys
  readonly seals: Seals
  /** Encrypts the stored second factors, each bound to its account. */
  readonly factorBox: SecretBox
  refreshKeys(): Promise<void>
}

type KeySettings = Pick<
  IdentitySettings,
  'keySecret' | 'previousKeySecret' | 'dataDirectory' | 'pinnedKey'
> & {
  readonly serviceClients: readonly TokenSigner[]
  readonly registeredClients: readonly TokenSigner[]
}
type TokenSigner = Pick<Client, 'signingAlgorithm'>

/**
 * Opens the keys that all instances share. Fails with a clear message if the store's keys were encrypted with
 * another secret.
 */
export async function openKeys(
  database: Database,
  { keySecret, previousKeySecret, dataDirectory, pinnedKey, serviceClients, registeredClients }: KeySettings,
  now: () => number,
): Promise<Keys> {
  const current = keySecret ?? (await readMachineSecret(database, dataDirectory))
  const secrets = { current, previous: previousKeySecret }
  const openRing = <Key>(kind: KeyKind<Key>) =>
    openKeyRing(kind, { database, box: createRotatingKeyBox(secrets, kind.purpose), now })
  // Keys that no client uses are not created, because the contract publishes only RS256 keys.
  const usedAlgorithms = new Set(
    [...serviceClients, ...registeredClients].map((client) => client.signingAlgorithm),
  )
  const signingKeys = joinRings(
    pinnedKey ? pinnedKeyRing(pinnedKey) : await openRing(signingKeyKinds.RS256),
    usedAlgorithms.has('ES256') ? new Map([['ES256', await openRing(signingKeyKinds.ES256)]]) : new Map(),
  )
  const protectionKeys = await openRing(protectionKeyKind)
  return {
    signingKeys,
    seals: createSeals(protectionKeys, now),
    factorBox: createRotatingBox(secrets, createFactorBox),
    async refreshKeys() {
      await signingKeys.refresh()
      await protectionKeys.refresh()
    },
  }
}

/**
 * Returns the secret of this machine. It is created only while the store has no keys. Existing keys are
 * encrypted with another secret, which the operator has to restore.
 */
async function readMachineSecret(database: Database, dataDirectory: string): Promise<string> {
  // The keys are read first: another process that starts on this machine creates the file before the keys.
  const keys = await database.query(sql`select from identity_keys limit 1`)
  if (keys.length > 0 && (await readKeySecret(dataDirectory)) === undefined) throw new WrongKeySecretError()
  return readOrCreateKeySecret(dataDirectory)
}

/**
 * Reads the secret of this machine from the data directory, or creates it there at the first start, readable
 * by its owner only.
 */
export async function readOrCreateKeySecret(dataDirectory: string): Promise<string> {
  const file = keySecretFile(dataDirectory)
  const secret = (await readSecret(file)) ?? (await createSecret(dataDirectory, file))
  if (!secret)
    throw new Error(`${file} is empty. Restore it from a backup: it encrypts the keys in the store.`)
  return secret
}

/** The path of the file with the secret of this machine. It is used if the settings have no secret. */
const keySecretFile = (dataDirectory: string): string => join(dataDirectory, identitySecretFile)

/** Returns undefined if there is no such file yet. */
export const readKeySecret = (dataDirectory: string): Promise<string | undefined> =>
  readSecret(keySecretFile(dataDirectory))

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
async function createSecret(dataDirectory: string, file: string): Promise<string | undefined> {
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
