import { randomBytes } from 'node:crypto'
import { epochMilliseconds, timestamp } from '../../../db/columns.ts'
import type { Database, Queries } from '../../../db/database.ts'
import { raw, sql } from '../../../db/sql.ts'
import type { SecretBox } from './secret-box.ts'

/** A kind of key: its purpose, and how its keys are generated and loaded. */
export interface KeyKind<Key> {
  readonly purpose: 'signing' | 'signing-es256' | 'protection'
  generate(): Promise<Buffer>
  load(id: string, secret: Buffer): Key
}

/** Keys that all instances share through the database. */
export interface KeyRing<Key> {
  current(): Key
  /** The current key, its announced successor, and replaced keys that are still accepted. */
  all(): readonly Key[]
  find(id: string): Promise<Key | undefined>
  /** Adds and purges keys according to the schedule, and loads keys of other instances. */
  refresh(): Promise<void>
}

interface KeyRingOptions {
  readonly database: Database
  readonly box: SecretBox
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** The pause after a query. It limits the queries for unknown key ids. */
const recheckMilliseconds = 5000

export async function openKeyRing<Key>(
  kind: KeyKind<Key>,
  { database, box, now }: KeyRingOptions,
): Promise<KeyRing<Key>> {
  let keys: readonly LoadedKey<Key>[] = []
  let refreshedAt = Number.NEGATIVE_INFINITY
  const load = (rows: readonly StoredKey[]) =>
    rows.map((row) => keys.find(({ id }) => id === row.id) ?? unseal(kind, box, row))
  const refresh = async () => {
    refreshedAt = now()
    const stored = await findKeys(database, kind)
    // `load` throws if the secret is wrong, so no key is replaced.
    keys = load(stored)
    if (dueKeyTimes(keys, now()) || keys.some(({ endsAt }) => endsAt <= purgeThreshold(now()))) {
      keys = load(await database.transaction((transaction) => rotate(transaction, kind, box, now())))
    }
  }
  await refresh()
  const findLoaded = (id: string) => keys.find((key) => key.id === id)?.key
  return {
    refresh,
    all: () => keys.map(({ key }) => key),
    current() {
      const current = currentKey(keys, now())
      if (!current) throw new Error('The key ring is empty.')
      return current.key
    },
    async find(id) {
      if (findLoaded(id) === undefined && now() >= refreshedAt + recheckMilliseconds) await refresh()
      return findLoaded(id)
    },
  }
}

/** A kind of key, and the box that encrypts its stored keys. */
export interface KeyKindWithBox {
  readonly kind: KeyKind<unknown>
  readonly box: SecretBox
}

/**
 * Announces a successor and returns the time from which it is used: a day later, so that clients fetch it
 * before it signs a token, or at once if no other key is valid. A successor announced earlier is kept.
 */
export async function announceSuccessor(
  transaction: Queries,
  { kind, box }: KeyKindWithBox,
  now: number,
): Promise<number> {
  await lockRotation(transaction)
  const stored = await findKeys(transaction, kind)
  // `unseal` throws if the secret is wrong, so no key is stored that other instances cannot decrypt.
  for (const row of stored) unseal(kind, box, row)
  const successor = stored.find(({ startsAt }) => startsAt > now)
  if (successor) return successor.startsAt
  const hasUsableKey = stored.some(({ endsAt }) => endsAt > now)
  const startsAt = hasUsableKey ? now + announceMilliseconds : now
  await transaction.query(sql`
    update identity_keys set ends_at = ${timestamp(startsAt)}
    where purpose = ${kind.purpose} and ends_at > ${timestamp(startsAt)}`)
  await addKey(transaction, kind, box, { startsAt, endsAt: startsAt + useMilliseconds })
  return startsAt
}

/**
 * Deletes every key of the kind and adds a key that is used at once. Everything that earlier keys signed or
 * sealed becomes invalid.
 */
export async function replaceKeys(
  transaction: Queries,
  { kind, box }: KeyKindWithBox,
  now: number,
): Promise<void> {
  await lockRotation(transaction)
  await transaction.query(sql`delete from identity_keys where purpose = ${kind.purpose}`)
  await addKey(transaction, kind, box, { startsAt: now, endsAt: now + useMilliseconds })
}

interface StoredKey extends KeyTimes {
  readonly id: string
  readonly sealed: Buffer
}

interface LoadedKey<Key> extends KeyTimes {
  readonly id: string
  readonly key: Key
}

/** All instances use this arbitrary number. */
const rotationLock = 7_251_405_119

export async function lockRotation(transaction: Queries): Promise<void> {
  await transaction.query(sql`select from pg_advisory_xact_lock(${rotationLock}::bigint)`)
}

/**
 * Purges expired keys, adds a key if one is due, and returns all stored keys. The lock prevents several
 * instances from adding a key.
 */
async function rotate(
  transaction: Queries,
  kind: KeyKind<unknown>,
  box: SecretBox,
  now: number,
): Promise<readonly StoredKey[]> {
  await lockRotation(transaction)
  await transaction.query(sql`
    delete from identity_keys where purpose = ${kind.purpose} and ends_at <= ${timestamp(purgeThreshold(now))}`)
  const due = dueKeyTimes(await findKeys(transaction, kind), now)
  if (due) await addKey(transaction, kind, box, due)
  return findKeys(transaction, kind)
}

async function addKey(
  transaction: Queries,
  { purpose, generate }: KeyKind<unknown>,
  box: SecretBox,
  { startsAt, endsAt }: KeyTimes,
): Promise<void> {
  const id = randomBytes(16).toString('base64url')
  const sealed = box.seal(await generate(), id)
  await transaction.query(sql`
    insert into identity_keys (id, purpose, sealed, starts_at, ends_at)
    values (${id}, ${purpose}, ${sealed}, ${timestamp(startsAt)}, ${timestamp(endsAt)})`)
}

async function findKeys(queries: Queries, { purpose }: KeyKind<unknown>): Promise<readonly StoredKey[]> {
  return queries.query<StoredKey>(sql`
    select id, sealed,
      ${epochMilliseconds(raw('starts_at'))} as "startsAt", ${epochMilliseconds(raw('ends_at'))} as "endsAt"
    from identity_keys where purpose = ${purpose} order by starts_at, id`)
}

function unseal<Key>(
  kind: KeyKind<Key>,
  box: SecretBox,
  { id, sealed, ...times }: StoredKey,
): LoadedKey<Key> {
  const secret = box.open(sealed, id)
  if (!secret) throw new WrongKeySecretError()
  return { ...times, id, key: kind.load(id, secret) }
}

export class WrongKeySecretError extends Error {
  constructor() {
    super(
      'The keys in the store were encrypted with another secret. Set Identity__KeyEncryptionSecret or Jwt__SigningKey to that secret; if it is lost, see docs/runbooks.md.',
    )
    this.name = 'WrongKeySecretError'
  }
}

/** The period in which a key is used, in epoch milliseconds. */
interface KeyTimes {
  readonly startsAt: number
  readonly endsAt: number
}

const dayMilliseconds = 24 * 60 * 60_000
/** The contract prescribes 90 days for signing keys. */
const useMilliseconds = 90 * dayMilliseconds
/** Keys are published this long before their use, because clients may cache the old keys for a day. */
const announceMilliseconds = dayMilliseconds
/** Everything that a key has signed or sealed expires much earlier. */
const retainMilliseconds = 7 * dayMilliseconds

/** Returns the times of a key that is due: the first key, or a successor. */
function dueKeyTimes(keys: readonly KeyTimes[], now: number): KeyTimes | undefined {
  // Without keys, this is -Infinity, and the first key starts at once.
  const latestEnd = Math.max(...keys.map(({ endsAt }) => endsAt))
  if (now < latestEnd - announceMilliseconds) return undefined
  // If all keys have ended, the successor starts at once.
  const startsAt = Math.max(latestEnd, now)
  return { startsAt, endsAt: startsAt + useMilliseconds }
}

/** Returns the key to use now, or the nearest key if none is in use. */
function currentKey<Key extends KeyTimes>(keys: readonly Key[], now: number): Key | undefined {
  const ordered = keys.toSorted((first, second) => first.startsAt - second.startsAt)
  return ordered.findLast(({ startsAt }) => startsAt <= now) ?? ordered[0]
}

/** Keys that ended before this instant are purged. */
const purgeThreshold = (now: number): number => now - retainMilliseconds
