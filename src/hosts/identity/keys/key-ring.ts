import { randomBytes } from 'node:crypto'
import type { Database, Queries } from '../../../store/database.ts'
import { raw, sql } from '../../../store/sql.ts'
import { millisecondsOf, moment } from '../moment.ts'
import { currentKey, dueKey, type KeyTimes, keptSince } from './key-schedule.ts'
import type { SecretBox } from './secret-box.ts'

/** What a key of one purpose is made of, and what it is turned into. */
export interface KeyKind<Key> {
  readonly purpose: 'signing' | 'signing-es256' | 'protection'
  generate(): Promise<Buffer>
  load(id: string, secret: Buffer): Key
}

/** Keys shared by all instances through the store, each replaced by a successor in time. */
export interface KeyRing<Key> {
  current(): Key
  /** The current one, an announced successor, and replaced ones that are still believed. */
  all(): readonly Key[]
  find(id: string): Promise<Key | undefined>
  /** Adds and drops keys as the schedule says, and reads what other instances added. */
  refresh(): Promise<void>
}

export interface KeyRingOptions {
  readonly database: Database
  readonly box: SecretBox
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Made-up key ids must not become a stream of queries. */
const lookAgainMilliseconds = 5000

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
    // A wrong secret shows here, before anything could be replaced.
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
      if (known(id) === undefined && now() >= lookedAt + lookAgainMilliseconds) await refresh()
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

/** Any constant will do, as long as every instance asks for the same lock. */
const rotationLock = 7_251_405_119

/** One instance at a time, so that only the first of them adds a key. */
async function rotate(
  transaction: Queries,
  kind: KeyKind<unknown>,
  box: SecretBox,
  now: number,
): Promise<readonly StoredKey[]> {
  await transaction.query(sql`select from pg_advisory_xact_lock(${rotationLock}::bigint)`)
  await transaction.query(sql`
    delete from identity_keys where purpose = ${kind.purpose} and ends_at <= ${moment(keptSince(now))}`)
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
    values (${id}, ${purpose}, ${sealed}, ${moment(startsAt)}, ${moment(endsAt)})`)
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
