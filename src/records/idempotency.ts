import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Database, joinTransaction, type Queries } from '../db/database.ts'
import { createFairQueue } from '../db/fair-queue.ts'
import { sql } from '../db/sql.ts'
import { oneAtATime } from '../model/budget.ts'
import { busy, contended, Problem, type ProblemKind, reused } from '../model/problem.ts'
import type { SecurityEvent } from '../observability/security-log.ts'
import type { Context } from './context.ts'

export interface OnceResult {
  readonly answer: string
  /** Whether an earlier request produced the answer. */
  readonly isReplay: boolean
}

/** Runs the work of a keyed request once, however often it is sent, and returns the first answer. */
export type RunOnce = (
  request: KeyedRequest,
  work: (context: Context) => Promise<string>,
) => Promise<OnceResult>

/**
 * Writes key, effect and answer in one transaction, so a crash leaves all or none of them. After an error,
 * the key can be used again.
 */
export function createRunOnce(context: Context): RunOnce {
  const { budgets, database } = context
  const meter = createKeyMeter(database, {
    keysMax: budgets.budget('keysOfAccount').max,
    bytesMax: budgets.budget('keyedAnswerBytesOfAccount').max,
  })
  const inFairOrder = createFairQueue({
    atOnce: budgets.budget('keyedWrites'),
    atOncePerAccount: budgets.budget('keyedWritesOfAccount'),
    waiting: budgets.budget('keyedWritesWaiting'),
    waitingPerAccount: budgets.budget('keyedWritesWaitingOfAccount'),
  })
  // Only one request per key waits in the database. Up to 32 others wait here.
  const runOnePerKey = oneAtATime({ waitingMax: 32, retryAfterSeconds: 1 })
  return (request, work) => {
    const { account, key } = request
    return runOnePerKey(`${account} ${key.toString('base64')}`, () =>
      inFairOrder(account, async () => {
        await meter.requireRoom(account)
        const result = await claimAndRun(context, request, work)
        if (!result.isReplay) meter.record(account, result.answer)
        return result
      }),
    )
  }
}

const unavailableKinds: ReadonlySet<ProblemKind> = new Set(['overloaded', 'uncertain'])

async function claimAndRun(
  context: Context,
  request: KeyedRequest,
  work: (context: Context) => Promise<string>,
): Promise<OnceResult> {
  const { database, securityLog } = context
  let events: SecurityEvent[] = []
  const logEvents = () => {
    for (const event of events) securityLog?.(event)
  }
  try {
    const result = await database.transaction(async (transaction) => {
      // After a conflict everything runs again.
      events = []
      const storedAnswer = await claimKey(transaction, request)
      if (storedAnswer !== undefined) return { answer: storedAnswer, isReplay: true }
      const answer = await work({
        ...context,
        database: joinTransaction(database, transaction),
        securityLog: (event) => void events.push(event),
      })
      await storeAnswer(transaction, request, answer)
      return { answer, isReplay: false }
    })
    logEvents()
    return result
  } catch (error) {
    // A rejection may be a security event, such as the failure that starts a lockout. An unavailable database
    // is none.
    if (error instanceof Problem && !unavailableKinds.has(error.kind)) logEvents()
    throw error
  }
}

/** A keyed request. It contains hashes of the key and the request. */
export interface KeyedRequest {
  readonly account: string
  readonly key: Buffer
  /** Hash of the request without its secrets. */
  readonly request: Buffer
  /** The secret that decrypts the answer. It is derived from the key and never stored. */
  readonly secret: Buffer
}

interface KeyLimits {
  readonly keysMax: number
  readonly bytesMax: number
}

/** How long a key is valid. */
export const keyHours = 24

/**
 * Claims the key, or finds its stored answer. A second request waits until the first has committed or rolled
 * back, even on another instance.
 */
async function claimKey(
  transaction: Queries,
  { account, key, request, secret }: KeyedRequest,
): Promise<string | undefined> {
  const [claimed] = await transaction.query(sql`
    insert into idempotency_keys as stored (account, key, request) values (${account}, ${key}, ${request})
    on conflict (account, key) do update
      set request = excluded.request, answer = null, answer_bytes = 0, created_at = excluded.created_at
      where stored.created_at <= statement_timestamp() - make_interval(hours => ${keyHours}::int)
    returning true`)
  if (claimed) return undefined
  // A separate statement sees what was committed during the wait.
  const [stored] = await transaction.query<{ isSame: boolean; answer: Buffer | null }>(sql`
    select request = ${request} as "isSame", answer from idempotency_keys where account = ${account} and key = ${key}`)
  // The key was purged between the two statements.
  if (!stored) throw contended()
  if (!stored.isSame || stored.answer === null) throw reused()
  return unseal(stored.answer, secret)
}

async function storeAnswer(
  transaction: Queries,
  { account, key, secret }: KeyedRequest,
  answer: string,
): Promise<void> {
  await transaction.query(sql`
    update idempotency_keys set answer = ${seal(answer, secret)}, answer_bytes = ${Buffer.byteLength(answer)}
    where account = ${account} and key = ${key}`)
}

/**
 * The keys of an account are counted in the database this often. In between, the process adds its own keys to
 * the count, but does not see the keys of other instances.
 */
const measurementMilliseconds = 60_000
/** Above this number, all measurements are dropped. Each account then needs one query. */
const measuredAccountsMax = 10_000

/** Rejects new keys of accounts that store too many keys or bytes. */
function createKeyMeter(database: Database, { keysMax, bytesMax }: KeyLimits) {
  const measurements = new Map<string, { keys: number; bytes: number; readonly until: number }>()
  async function measure(account: string) {
    const [usage] = await database.singleWrites.query<{ keys: number; bytes: number }>(sql`
      select count(*) as keys, coalesce(sum(answer_bytes), 0) as bytes from idempotency_keys where account = ${account}`)
    if (measurements.size >= measuredAccountsMax) measurements.clear()
    const measurement = { keys: 0, bytes: 0, ...usage, until: Date.now() + measurementMilliseconds }
    measurements.set(account, measurement)
    return measurement
  }
  return {
    async requireRoom(account: string) {
      const latest = measurements.get(account)
      const { keys, bytes } = latest && Date.now() < latest.until ? latest : await measure(account)
      if (keys >= keysMax || bytes >= bytesMax) throw busy(retryAfterSeconds)
    },
    record(account: string, answer: string) {
      const measurement = measurements.get(account)
      if (!measurement) return
      measurement.keys += 1
      measurement.bytes += Buffer.byteLength(answer)
    },
  }
}

/** Maintenance runs hourly, and has purged some keys by then. */
const retryAfterSeconds = 3600

const purgeBatchMax = 5000

/** Deletes expired keys in batches. Several instances may do so at once. */
export async function purgeKeys(database: Database): Promise<void> {
  let purged: unknown[]
  do {
    purged = await database.singleWrites.query(sql`
      delete from idempotency_keys where (account, key) in (
        select account, key from idempotency_keys
        where created_at <= statement_timestamp() - make_interval(hours => ${keyHours}::int)
        order by created_at limit ${purgeBatchMax}::int for update skip locked)
      returning true`)
  } while (purged.length === purgeBatchMax)
}

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Encrypts the text. Only the same 32 bytes can decrypt it. */
function seal(text: string, secret: Buffer): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, secret, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

function unseal(sealed: Buffer, secret: Buffer): string {
  const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, ivBytes))
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
}
