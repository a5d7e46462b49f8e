import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { endLinksOfSessions } from '../accounts/sessions.ts'
import { readSettings } from '../config/settings.ts'
import type { Database, Queries } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import { type IdentitySettings, readIdentitySettings } from '../hosts/identity/configuration.ts'
import {
  announceSuccessor,
  type KeyType,
  type KeyTypeWithBox,
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
  type SecretBox,
} from '../hosts/identity/keys/secret-box.ts'
import { signingKeyKinds } from '../hosts/identity/keys/signing-keys.ts'
import { openSecurityLog } from './accounts.ts'
import { confirm, type Options, UsageError } from './ask.ts'
import { withDatabase } from './shared-store.ts'

/** `keys rotate`: replaces the keys ahead of their schedule; no token and no session ends. */
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

/** `keys revoke`: for a stolen key. Everything signed or sealed with the keys in the store becomes invalid. */
export async function runRevokeKeys(_args: readonly string[], options: Options): Promise<void> {
  const settings = readSettings(process.env, readIdentitySettings)
  await withDatabase(async (database) => {
    const secrets = await requireKeySecrets(settings)
    const kinds = await storedKinds(database, settings, secrets)
    if (!options['lost-secret']) await requireOpenKeys(database, secrets)
    await confirm(
      'This ends every session and invalidates every access token: all users have to sign in again.',
      {
        yes: options.yes === true,
      },
    )
    const ended = await database.transaction(async (transaction) => {
      for (const stored of kinds) await replaceKeys(transaction, stored, Date.now())
      return endAllSessions(transaction)
    })
    recordKeysChanged('revoked')
    console.log(`The keys were replaced, and ${ended} sessions have ended.`)
    console.log(
      'Restart the rest and commands hosts: they accept tokens of the old keys for up to 15 minutes.',
    )
    if (settings.pinnedKey)
      console.log('Jwt__SigningPrivateKey signs the tokens and is not in the store: replace it yourself.')
  })
}

/** An attacker who had the keys may have signed in with them, and created links. */
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

/** `secret rotate`: encrypts again what the old secret has encrypted. Rows that are done are skipped, so it can be repeated. */
export async function runRotateSecret(_args: readonly string[], options: Options): Promise<void> {
  const settings = readSettings(process.env, readIdentitySettings)
  const secrets = await readBothSecrets(settings, options)
  await withDatabase(async (database) => {
    await requireOpenKeys(database, secrets)
    let unopened = 0
    for (const column of sealedColumns) {
      const counts = await reseal(database, column, secrets)
      unopened += counts.unopened
      console.log(
        `${column.table}: ${counts.sealed} encrypted again, ${counts.done} were already, ${counts.unopened} open with neither secret.`,
      )
    }
    recordKeysChanged('sealed again')
    if (unopened > 0)
      throw new Error(
        'What opens with neither secret is lost. Users sign in with a recovery code or a passkey, or see account remove-factors.',
      )
    console.log('Remove the old secret from the settings, and restart the identity hosts.')
  })
}

export interface SealedColumn {
  readonly table: string
  readonly id: string
  readonly column: string
  /** The column that selects the box, if rows of different purposes are sealed with different keys. */
  readonly purpose?: string
  boxOf(secret: string, purpose: string): SecretBox
}

/**
 * Every column that the encryption secret itself encrypts. All other sealed values are sealed with keys from
 * `identity_keys`.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'identity_keys', id: 'id', column: 'sealed', purpose: 'purpose', boxOf: createKeyBox },
  { table: 'authenticator_apps', id: 'user_id', column: 'sealed_secret', boxOf: createFactorBox },
]

interface SealedRow {
  readonly id: string
  readonly purpose: string
  readonly sealed: Buffer
}

/** Each batch is a transaction of its own, so that no sign-in waits for long. */
const rowsPerBatch = 500

interface Outcome {
  readonly id: string
  readonly outcome: 'sealed' | 'done' | 'unopened'
}

async function reseal(database: Database, { boxOf, ...names }: SealedColumn, secrets: BothSecrets) {
  const [table, idColumn, column] = [raw(names.table), raw(names.id), raw(names.column)]
  const purpose = raw(names.purpose ?? "''")
  const counts = { sealed: 0, done: 0, unopened: 0 }
  const outcomeOf = async (transaction: Queries, row: SealedRow): Promise<Outcome['outcome']> => {
    const [box, oldBox] = [boxOf(secrets.current, row.purpose), boxOf(secrets.previous, row.purpose)]
    if (box.open(row.sealed, row.id)) return 'done'
    const plain = oldBox.open(row.sealed, row.id)
    if (!plain) return 'unopened'
    await transaction.query(
      sql`update ${table} set ${column} = ${box.seal(plain, row.id)} where ${idColumn} = ${row.id}`,
    )
    return 'sealed'
  }
  for (let last: string | null = null; ; ) {
    const outcomes: readonly Outcome[] = await database.transaction(async (transaction) => {
      // The rotation lock prevents hosts from adding keys; the row locks prevent changes to this batch.
      await lockRotation(transaction)
      const rows = await transaction.query<SealedRow>(sql`
        select ${idColumn} as id, ${purpose} as purpose, ${column} as sealed from ${table}
        where ${last}::text is null or ${idColumn} > ${last} order by ${idColumn} limit ${rowsPerBatch}::int for update`)
      return Promise.all(
        rows.map(async (row) => ({ id: row.id, outcome: await outcomeOf(transaction, row) })),
      )
    })
    for (const { outcome } of outcomes) counts[outcome] += 1
    const lastRow = outcomes.at(-1)
    if (lastRow === undefined) return counts
    last = lastRow.id
  }
}

interface BothSecrets extends KeySecrets {
  readonly previous: string
}

/** A short secret could be guessed by someone who has a copy of the store. */
const secretCharactersMin = 32

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
  if (current.length < secretCharactersMin)
    throw new UsageError(
      `The new secret must have at least ${secretCharactersMin} characters: openssl rand -hex 32`,
    )
  return { current, previous }
}

async function readSecretFile(file: string | boolean): Promise<string> {
  const text = (await readFile(String(file), 'utf8')).trim()
  if (text === '') throw new UsageError(`${file} is empty.`)
  return text
}

/** The secrets with which the identity hosts run. */
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

/** The kinds of keys that this installation uses. If a signing key is pinned, no stored RS256 key is used. */
async function storedKinds(
  database: Database,
  { pinnedKey }: IdentitySettings,
  secrets: KeySecrets,
): Promise<readonly KeyTypeWithBox[]> {
  const used = await database.query<{ purpose: string }>(sql`select distinct purpose from identity_keys`)
  const usesEs256 = used.some(({ purpose }) => purpose === signingKeyKinds.ES256.purpose)
  const kinds: readonly KeyType<unknown>[] = [
    ...(pinnedKey ? [] : [signingKeyKinds.RS256]),
    ...(usesEs256 ? [signingKeyKinds.ES256] : []),
    protectionKeyKind,
  ]
  return kinds.map((kind) => ({ kind, box: createRotatingKeyBox(secrets, kind.purpose) }))
}

/** Checked before anything is changed: hosts with the right secret could not open keys that a wrong one encrypts. */
async function requireOpenKeys(database: Database, secrets: KeySecrets): Promise<void> {
  const rows = await database.query<SealedRow>(sql`select id, purpose, sealed from identity_keys`)
  const unopened = rows.filter(
    ({ id, purpose, sealed }) => !createRotatingKeyBox(secrets, purpose).open(sealed, id),
  )
  if (unopened.length > 0)
    throw new Error(
      `${unopened.length} of ${rows.length} keys in the store were encrypted with another secret, and nothing was changed. If that secret is lost: keys revoke --lost-secret`,
    )
}

const recordKeysChanged = (outcome: 'rotated' | 'revoked' | 'sealed again'): void =>
  openSecurityLog()({ event: 'keys-changed', outcome, address: hostname() })
