import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Database, Queries } from '../../../db/database.ts'
import { raw, sql } from '../../../db/sql.ts'
import { millisecondsOf, timestamp } from '../values/timestamps.ts'

/** How keys of one purpose are generated and loaded. */
export interface KeyKind<Key> {
  readonly purpose: 'signing' | 'signing-es256' | 'protection'
  generate(): Promise<Buffer>
  load(id: string, secret: Buffer): Key
}

/** Keys shared by all instances through the store; each is replaced by a successor in time. */
export interface KeyRing<Key> {
  current(): Key
  /** The current key, an announced successor, and replaced keys that are still accepted. */
  all(): readonly Key[]
  find(id: string): Promise<Key | undefined>
  /** Adds and removes keys according to the schedule, and loads those that other instances added. */
  refresh(): Promise<void>
}

export interface KeyRingOptions {
  readonly database: Database
  readonly box: SecretBox
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Unknown key ids in tokens must not cause a stream of queries. */
const recheckMilliseconds = 5000

export async function openKeyRing<Key>(
  kind: KeyKind<Key>,
  { database, box, now }: KeyRingOptions,
): Promise<KeyRing<Key>> {
  let keys: readonly LoadedKey<Key>[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  const load = (rows: readonly StoredKey[]) =>
    rows.map((row) => keys.find(({ id }) => id === row.id) ?? unseal(kind, box, row))
  const refresh = async () => {
    lookedAt = now()
    const stored = await findKeys(database, kind)
    // A wrong secret fails here, before anything could be replaced.
    keys = load(stored)
    if (dueKey(keys, now()) || keys.some(({ endsAt }) => endsAt <= keptSince(now()))) {
      keys = load(await database.transaction((transaction) => rotate(transaction, kind, box, now())))
    }
  }
  await refresh()
  const known = (id: string) => keys.find((key) => key.id === id)?.key
  return {
    refresh,
    all: () => keys.map(({ key }) => key),
    current() {
      const current = currentKey(keys, now())
      if (!current) throw new Error('The key ring is empty.')
      return current.key
    },
    async find(id) {
      if (known(id) === undefined && now() >= lookedAt + recheckMilliseconds) await refresh()
      return known(id)
    },
  }
}

interface StoredKey extends KeyTimes {
  readonly id: string
  readonly sealed: Buffer
}

interface LoadedKey<Key> extends KeyTimes {
  readonly id: string
  readonly key: Key
}

/** An arbitrary constant; every instance must use the same one. */
const rotationLock = 7_251_405_119

/** One instance at a time holds the lock, so that only the first of them adds a key. */
async function rotate(
  transaction: Queries,
  kind: KeyKind<unknown>,
  box: SecretBox,
  now: number,
): Promise<readonly StoredKey[]> {
  await transaction.query(sql`select from pg_advisory_xact_lock(${rotationLock}::bigint)`)
  await transaction.query(sql`
    delete from identity_keys where purpose = ${kind.purpose} and ends_at <= ${timestamp(keptSince(now))}`)
  const due = dueKey(await findKeys(transaction, kind), now)
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
      ${millisecondsOf(raw('starts_at'))} as "startsAt", ${millisecondsOf(raw('ends_at'))} as "endsAt"
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
      'The keys in the store were encrypted with another secret. Set Identity__KeyEncryptionSecret or Jwt__SigningKey to the one they were made with.',
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
/** The contract's 90 days; protection keys follow the same calendar. */
const useMilliseconds = 90 * dayMilliseconds
/** A client that caches the published keys for less than a day knows a key before its first token. */
const announceMilliseconds = dayMilliseconds
/** Much longer than anything made with a key is valid. */
const keepMilliseconds = 7 * dayMilliseconds

/** Returns the key that must be added now: the first one, or a successor that has to be announced. */
function dueKey(keys: readonly KeyTimes[], now: number): KeyTimes | undefined {
  const latestEnd = Math.max(...keys.map(({ endsAt }) => endsAt))
  if (now < latestEnd - announceMilliseconds) return undefined
  // After a pause of months the successor starts at once: no existing key can be used.
  const startsAt = Math.max(latestEnd, now)
  return { startsAt, endsAt: startsAt + useMilliseconds }
}

/** Returns the key to use now; before the first start or after the last end, the nearest one. */
function currentKey<Key extends KeyTimes>(keys: readonly Key[], now: number): Key | undefined {
  const ordered = keys.toSorted((first, second) => first.startsAt - second.startsAt)
  return ordered.findLast(({ startsAt }) => startsAt <= now) ?? ordered[0]
}

/** Keys that ended before this instant are purged. */
const keptSince = (now: number): number => now - keepMilliseconds

/**
 * Authenticated encryption: any change is detected, and data sealed for one place cannot be opened for
 * another.
 */
export interface SecretBox {
  /** `place` names the owner of the sealed data, such as a row's id. */
  seal(plain: Buffer, place: string): Buffer
  /** Undefined unless this box sealed it for this place. */
  open(sealed: Buffer, place: string): Buffer | undefined
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
/**
 * The nonce length that GCM specifies; random ones are safe for 2^32 seals under one key, which is 500 a
 * second for 90 days.
 */
const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM under a key derived for one purpose only (HKDF, RFC 5869), so that one secret can serve several. */
export function createSecretBox(secret: string | Buffer, purpose: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, 'tracker identity', purpose, keyBytes))
  return {
    seal(plain, place) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(
        Buffer.from(place),
      )
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, place) {
      if (sealed.length < nonceBytes + tagBytes) return undefined
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tagBytes))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}
