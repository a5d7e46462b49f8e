import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { type Sql, sql } from '../db/sql.ts'
import { oneAtATime } from '../model/budget.ts'
import { locked } from '../model/problem.ts'

/** Failures are counted per key. */
export interface LockoutKey {
  readonly purpose: 'sign-in' | 'password-change'
  /** The normalized login of a sign-in, or the id of the account whose password changes. */
  readonly subject: string
}

/**
 * The result of an attempt. In a sign-in with two steps, a correct password passes only the first step. It
 * does not clear failures, because otherwise a user who knows the password would have unlimited attempts at
 * the second step.
 */
export type AttemptResult = 'passed' | 'first step passed' | 'failed'

export interface Lockouts {
  /** Throws `locked` if the key is locked. Called before other work that precedes `guardAttempt`. */
  requireUnlocked(key: LockoutKey): Promise<void>
  /**
   * Throws `locked` if the key is locked. Otherwise runs `verify`, counts its result, and returns whether the
   * attempt has passed. Calls `onLocked` if the failure starts a lock.
   */
  guardAttempt(key: LockoutKey, verify: () => Promise<AttemptResult>, onLocked?: () => void): Promise<boolean>
}

export interface LockoutOptions {
  readonly database: Database
  /** The default is the clock of the database, which all instances share. */
  readonly now?: () => Date
}

const failuresMax = 5
const windowMinutes = 15
const lockMinutes = 15
/** The number of attempts that may wait for one key. */
const waitingMax = 32
const retryAfterSeconds = 1

/**
 * Counts failures in the database, so that all instances count together. A process runs the attempts for one
 * key one after the other. When the fifth failure is counted, each other instance may have one attempt in
 * flight, so N instances verify at most N - 1 attempts too many.
 */
export function createLockouts({ database, now }: LockoutOptions): Lockouts {
  const runInSequence = oneAtATime({ waitingMax, retryAfterSeconds })
  return {
    requireUnlocked: (key) => requireUnlocked(database, key, clockOf(now)),
    guardAttempt: (key, verify, onLocked) =>
      runInSequence(`${key.purpose} ${key.subject}`, async () => {
        await requireUnlocked(database, key, clockOf(now))
        const result = await verify()
        if (result === 'passed') await database.transaction((transaction) => clearFailures(transaction, key))
        if (result !== 'failed') return true
        const startedLock = await database.transaction((transaction) =>
          countFailure(transaction, key, clockOf(now)),
        )
        if (startedLock) onLocked?.()
        return false
      }),
  }
}

/** Deletes expired failures and locks. */
export async function purgeLockouts(
  database: Database,
  { now }: Pick<LockoutOptions, 'now'> = {},
): Promise<void> {
  const clock = clockOf(now)
  await deleteInBatches(
    database,
    { table: 'lockouts', key: 'purpose, subject' },
    sql`coalesce(locked_until <= ${clock}, true)
      and not exists (select from unnest(failed_at) as failed(at) where at > ${windowStart(clock)})`,
  )
}

async function requireUnlocked(database: Queries, { purpose, subject }: LockoutKey, clock: Sql) {
  const [lock] = await database.query<{ seconds: number }>(sql`
    select ceil(extract(epoch from locked_until - ${clock})) as seconds from lockouts
    where purpose = ${purpose} and subject = ${subject} and locked_until > ${clock}`)
  if (lock) throw locked(Math.max(1, lock.seconds))
}

/**
 * Counts a failure. Returns true if it starts a lock: the fifth failure within 15 minutes does. Failures that
 * other instances count during the lock do not prolong it.
 */
async function countFailure(
  transaction: Queries,
  { purpose, subject }: LockoutKey,
  clock: Sql,
): Promise<boolean> {
  const recent = sql`array(select at from unnest(existing.failed_at) as failed(at) where at > ${windowStart(clock)})`
  // The list does not contain the current failure yet.
  const reachesMax = sql`cardinality(${recent}) >= ${failuresMax - 1}::int`
  const [lockout] = await transaction.query<{ isLocked: boolean }>(sql`
    insert into lockouts as existing (purpose, subject, failed_at)
    values (${purpose}, ${subject}, array[${clock}])
    on conflict (purpose, subject) do update set
      failed_at = case when ${reachesMax} then '{}' else ${recent} || ${clock} end,
      locked_until = case when ${reachesMax} then ${clock} + make_interval(mins => ${lockMinutes}::int) end
    where coalesce(existing.locked_until <= ${clock}, true)
    returning existing.locked_until is not null as "isLocked"`)
  return lockout?.isLocked === true
}

/**
 * Clears the failures after a success, but no lock. A locked row has no failures, because `countFailure`
 * empties the list when it locks.
 */
async function clearFailures(transaction: Queries, { purpose, subject }: LockoutKey): Promise<void> {
  await transaction.query(
    sql`delete from lockouts where purpose = ${purpose} and subject = ${subject} and cardinality(failed_at) > 0`,
  )
}

const clockOf = (now: LockoutOptions['now']): Sql =>
  now ? sql`${now().toISOString()}::timestamptz` : sql`statement_timestamp()`

const windowStart = (clock: Sql): Sql => sql`${clock} - make_interval(mins => ${windowMinutes}::int)`
