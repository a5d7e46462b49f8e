import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { endLinksOfSessions } from '../accounts/sessions.ts'
import { readSettings } from '../config/settings.ts'
import type { Database, Queries } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import { type IdentitySettings, readIdentitySettings } from '../hosts/identity/configuration.ts'
import {
  announceSuccessor,
  type KeyKind,
  type KeyKindWithBox,
  lockRotation,
  replaceKeys,
} from '../hosts/identity/keys/key-ring.ts'
import { readKeySecret } from '../hosts/identity/keys/open-keys.ts'
import { protectionKeyKind } from '../hosts/identity/keys/seals.ts'
import {
  createFactorBox,
  createKeyBox,
  createRotatingKeyBox,
  type KeySecrets,
  keySecretCharactersMin,
  type SecretBox,
} from '../hosts/identity/keys/secret-box.ts'
import { signingKeyKinds } from '../hosts/identity/keys/signing-keys.ts'
import { confirm, openSecurityLog } from './operator.ts'
import { withDatabase } from './shared-store.ts'
import { type Options, UsageError } from './usage.ts'

/** `keys rotate`: schedules the next keys earlier than usual. Tokens and sessions stay valid. */
export async function runRotateKeys(): Promise<void> {
  const settings = readSettings(process.env, readIdentitySettings)
  await withDatabase(async (database) => {
    const secrets = await requireKeySecrets(settings)
    for (const stored of await storedKinds(database, settings, secrets)) {
      const startsAt = await database.transaction((transaction) =>
        announceSuccessor(transaction, stored, Date.now()),
      )
      console.log(`${stored.kind.purpose}: the next key is used from ${new Date(startsAt).toISOString()} on.`)
    }
    recordKeysChanged('rotated')
  })
}

/**
 * `keys revoke`: replaces stolen keys. Everything that was signed or encrypted with the keys in the store
 * becomes invalid.
 */
export async function runRevokeKeys(_args: readonly string[], options: Options): Promise<void> {
  const settings = readSettings(process.env, readIdentitySettings)
  await withDatabase(async (database) => {
    const secrets = await requireKeySecrets(settings)
    const kinds = await storedKinds(database, settings, secrets)
    if (!options['lost-secret']) await requireOpenKeys(database, secrets)
    await confirm(
      'This ends every session and invalidates every access token: all users have to sign in again.',
      { yes: options.yes === true },
    )
    const ended = await database.transaction(async (transaction) => {
      for (const stored of kinds) await replaceKeys(transaction, stored, Date.now())
      return endAllSessions(transaction)
    })
    recordKeysChanged('revoked')
    console.log(`The keys were replaced, and ${ended} sessions have ended.`)
    console.log(
      'Restart the REST and command hosts: they accept tokens of the old keys for up to 15 minutes.',
    )
    if (settings.pinnedKey)
      console.log('Jwt__SigningPrivateKey signs the tokens and is not in the store: replace it yourself.')
  })
}

/** Also ends links that sessions have created, because an attacker with the keys may have created some. */
async function endAllSessions(transaction: Queries): Promise<number> {
  const ended = await transaction.query<{ id: string }>(
    sql`update signin_sessions set ended_at = now() where ended_at is null returning id`,
  )
  await endLinksOfSessions(
    transaction,
    ended.map(({ id }) => id),
  )
  return ended.length
}

/**
 * `secret rotate`: re-encrypts with the new secret. Rows that are already encrypted with it are skipped, so
 * the command can be repeated.
 */
export async function runRotateSecret(_args: readonly string[], options: Options): Promise<void> {
  const settings = readSettings(process.env, readIdentitySettings)
  const secrets = await readBothSecrets(settings, options)
  await withDatabase(async (database) => {
    await requireOpenKeys(database, secrets)
    let lostCount = 0
    for (const column of sealedColumns) {
      const counts = await reencryptColumn(database, column, secrets)
      lostCount += counts.undecryptable
      console.log(
        `${column.table}: ${counts.reencrypted} re-encrypted, ${counts.unchanged} already were, ${counts.undecryptable} cannot be decrypted.`,
      )
    }
    recordKeysChanged('sealed again')
    if (lostCount > 0)
      throw new Error(
        'Values that neither secret decrypts are lost. Users with such an authenticator app can sign in with a recovery code or a passkey; for users without these, run account remove-factors.',
      )
    console.log('Remove the old secret from the settings, and restart the identity hosts.')
  })
}

interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly idColumn: string
  /** The column with the purpose of a row, if each purpose has its own key. */
  readonly purposeColumn?: string
  /** Returns a box, which encrypts and decrypts with a key that is derived from the secret. */
  boxOf(secret: string, purpose: string): SecretBox
}

/** The columns that the secret itself encrypts. Keys from `identity_keys` encrypt all other values. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'identity_keys',
    column: 'sealed',
    idColumn: 'id',
    purposeColumn: 'purpose',
    boxOf: createKeyBox,
  },
  {
    table: 'authenticator_apps',
    column: 'sealed_secret',
    idColumn: 'user_id',
    boxOf: createFactorBox,
  },
]

interface SealedRow {
  readonly id: string
  readonly purpose: string
  readonly sealed: Buffer
}

/** Each batch is a transaction, so that no sign-in waits for long for a locked row. */
const rowsPerBatch = 500

type Outcome = 'reencrypted' | 'unchanged' | 'undecryptable'

async function reencryptColumn(
  database: Database,
  column: SealedColumn,
  secrets: BothSecrets,
): Promise<Readonly<Record<Outcome, number>>> {
  const counts = { reencrypted: 0, unchanged: 0, undecryptable: 0 }
  for (let lastId: string | null = null; ; ) {
    const batch: Batch = await database.transaction((transaction) =>
      reencryptBatch(transaction, column, secrets, lastId),
    )
    for (const outcome of batch.outcomes) counts[outcome] += 1
    if (batch.lastId === undefined) return counts
    lastId = batch.lastId
  }
}

interface Batch {
  readonly outcomes: readonly Outcome[]
  /** Undefined if there are no more rows. */
  readonly lastId: string | undefined
}

/** Re-encrypts the rows after `lastId`. */
async function reencryptBatch(
  transaction: Queries,
  sealed: SealedColumn,
  secrets: BothSecrets,
  lastId: string | null,
): Promise<Batch> {
  // The names are from the table above, so `raw` cannot inject anything.
  const table = raw(sealed.table)
  const column = raw(sealed.column)
  const idColumn = raw(sealed.idColumn)
  const purposeColumn = raw(sealed.purposeColumn ?? "''")
  const reencrypt = async (row: SealedRow): Promise<Outcome> => {
    const box = sealed.boxOf(secrets.current, row.purpose)
    if (box.open(row.sealed, row.id)) return 'unchanged'
    const plain = sealed.boxOf(secrets.previous, row.purpose).open(row.sealed, row.id)
    if (!plain) return 'undecryptable'
    await transaction.query(
      sql`update ${table} set ${column} = ${box.seal(plain, row.id)} where ${idColumn} = ${row.id}`,
    )
    return 'reencrypted'
  }
  // The rotation lock prevents hosts from adding keys. The row locks prevent changes to this batch.
  await lockRotation(transaction)
  const rows = await transaction.query<SealedRow>(sql`
    select ${idColumn} as id, ${purposeColumn} as purpose, ${column} as sealed from ${table}
    where ${lastId}::text is null or ${idColumn} > ${lastId} order by ${idColumn} limit ${rowsPerBatch}::int for update`)
  return { outcomes: await Promise.all(rows.map(reencrypt)), lastId: rows.at(-1)?.id }
}

interface BothSecrets extends KeySecrets {
  readonly previous: string
}

async function readBothSecrets(
  { keySecret, previousKeySecret, dataDirectory }: IdentitySettings,
  { 'new-file': newFile, 'old-file': oldFile }: Options,
): Promise<BothSecrets> {
  const current = newFile === undefined ? keySecret : await readSecretFile(newFile)
  const previous =
    oldFile === undefined
      ? (previousKeySecret ?? (await readKeySecret(dataDirectory)))
      : await readSecretFile(oldFile)
  if (current === undefined)
    throw new UsageError('Set Identity__KeyEncryptionSecret to the new secret, or name its --new-file.')
  if (previous === undefined)
    throw new UsageError(
      'Set Identity__PreviousKeyEncryptionSecret to the old secret, or name its --old-file.',
    )
  if (current === previous) throw new UsageError('The new secret is the old one.')
  if (current.length < keySecretCharactersMin)
    throw new UsageError(
      `The new secret must have at least ${keySecretCharactersMin} characters: openssl rand -hex 32`,
    )
  return { current, previous }
}

async function readSecretFile(file: string | boolean): Promise<string> {
  const text = (await readFile(String(file), 'utf8')).trim()
  if (text === '') throw new UsageError(`${file} is empty.`)
  return text
}

/** Returns the secrets from the settings or the data directory. Throws if there is none. */
async function requireKeySecrets({
  keySecret,
  previousKeySecret,
  dataDirectory,
}: IdentitySettings): Promise<KeySecrets> {
  const current = keySecret ?? (await readKeySecret(dataDirectory))
  if (current === undefined)
    throw new UsageError('Run this with the settings of an identity host: its encryption secret is missing.')
  return { current, previous: previousKeySecret }
}

/** Returns the kinds of keys that this installation uses. A pinned key replaces the stored RS256 keys. */
async function storedKinds(
  database: Database,
  { pinnedKey }: IdentitySettings,
  secrets: KeySecrets,
): Promise<readonly KeyKindWithBox[]> {
  const used = await database.query<{ purpose: string }>(sql`select distinct purpose from identity_keys`)
  const usesEs256 = used.some(({ purpose }) => purpose === signingKeyKinds.ES256.purpose)
  const kinds: readonly KeyKind<unknown>[] = [
    ...(pinnedKey ? [] : [signingKeyKinds.RS256]),
    ...(usesEs256 ? [signingKeyKinds.ES256] : []),
    protectionKeyKind,
  ]
  return kinds.map((kind) => ({ kind, box: createRotatingKeyBox(secrets, kind.purpose) }))
}

/**
 * Throws if the secrets do not decrypt all keys. With a wrong secret, new keys would be created that the
 * hosts cannot decrypt.
 */
async function requireOpenKeys(database: Database, secrets: KeySecrets): Promise<void> {
  const rows = await database.query<SealedRow>(sql`select id, purpose, sealed from identity_keys`)
  const undecryptable = rows.filter(
    ({ id, purpose, sealed }) => !createRotatingKeyBox(secrets, purpose).open(sealed, id),
  )
  if (undecryptable.length > 0)
    throw new Error(
      `${undecryptable.length} of ${rows.length} keys in the store were encrypted with another secret, and nothing was changed. If that secret is lost: keys revoke --lost-secret`,
    )
}

const recordKeysChanged = (outcome: 'rotated' | 'revoked' | 'sealed again'): void =>
  openSecurityLog()({ event: 'keys-changed', outcome, address: hostname() })
