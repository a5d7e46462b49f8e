import { busy, contended, reused } from '../model/problem.ts'
import type { Database, Queries } from '../store/database.ts'
import { sql } from '../store/sql.ts'
import { seal, unseal } from './seal.ts'

/** What a key stands for; nothing of it says what the key or the request was. */
export interface KeyedRequest {
  readonly account: string
  readonly key: Buffer
  /** The request without its secrets. */
  readonly request: Buffer
  /** Derived from the key and never stored: it decrypts the answer. */
  readonly secret: Buffer
}

export interface KeyLimits {
  readonly keysMax: number
  readonly bytesMax: number
}

/** How long a key stands for its request. */
export const keyHours = 24

/**
 * Claims the key, or finds the answer that it stands for. The primary key holds the rule: the second to come waits until
 * the first has committed or not, and so does another instance.
 */
export async function claimKey(
  transaction: Queries,
  { account, key, request, secret }: KeyedRequest,
): Promise<string | undefined> {
  const [claimed] = await transaction.query(sql`
    insert into idempotency_keys as known (account, key, request) values (${account}, ${key}, ${request})
    on conflict (account, key) do update
      set request = excluded.request, answer = null, answer_bytes = 0, created_at = excluded.created_at
      where known.created_at <= statement_timestamp() - make_interval(hours => ${keyHours}::int)
    returning true`)
  if (claimed) return undefined
  // A statement of its own, which sees what was committed during the wait.
  const [known] = await transaction.query<{ isSame: boolean; answer: Buffer | null }>(sql`
    select request = ${request} as "isSame", answer from idempotency_keys where account = ${account} and key = ${key}`)
  // Forgotten between the two statements.
  if (!known) throw contended()
  if (!known.isSame || known.answer === null) throw reused()
  return unseal(known.answer, secret)
}

export async function keepAnswer(
  transaction: Queries,
  { account, key, secret }: KeyedRequest,
  answer: string,
): Promise<void> {
  await transaction.query(sql`
    update idempotency_keys set answer = ${seal(answer, secret)}, answer_bytes = ${Buffer.byteLength(answer)}
    where account = ${account} and key = ${key}`)
}

/** Between two looks at the store, what an account adds is counted here; other instances add unseen for as long. */
const measuredMilliseconds = 60_000
const accountsMax = 10_000

/** Refuses accounts that keep too much already. */
export function createKeyMeter(database: Database, { keysMax, bytesMax }: KeyLimits, now = Date.now) {
  const measured = new Map<string, { keys: number; bytes: number; readonly until: number }>()
  async function measure(account: string) {
    const [use] = await database.single.query<{ keys: number; bytes: number }>(sql`
      select count(*) as keys, coalesce(sum(answer_bytes), 0) as bytes from idempotency_keys where account = ${account}`)
    if (measured.size >= accountsMax) measured.clear()
    const known = { keys: 0, bytes: 0, ...use, until: now() + measuredMilliseconds }
    measured.set(account, known)
    return known
  }
  return {
    async requireRoom(account: string) {
      const known = measured.get(account)
      const { keys, bytes } = known && now() < known.until ? known : await measure(account)
      if (keys >= keysMax || bytes >= bytesMax) throw busy(retryAfterSeconds)
    },
    note(account: string, answer: string) {
      const known = measured.get(account)
      if (!known) return
      known.keys += 1
      known.bytes += Buffer.byteLength(answer)
    },
  }
}

/** By then maintenance has forgotten some. */
const retryAfterSeconds = 3600

const forgottenAtOnceMax = 5000

/** Deletes expired keys, a part at a time; several instances may do so at once. */
export async function forgetOldKeys(database: Database): Promise<void> {
  let forgotten: unknown[]
  do {
    forgotten = await database.single.query(sql`
      delete from idempotency_keys where (account, key) in (
        select account, key from idempotency_keys
        where created_at <= statement_timestamp() - make_interval(hours => ${keyHours}::int)
        order by created_at limit ${forgottenAtOnceMax}::int for update skip locked)
      returning true`)
  } while (forgotten.length === forgottenAtOnceMax)
}
