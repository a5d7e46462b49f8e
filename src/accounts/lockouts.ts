import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { type Sql, sql } from '../db/sql.ts'
import { oneAtATime } from '../model/budget.ts'
import { locked } from '../model/problem.ts'

/** The key under which failures are counted. */
export interface LockoutKey {
  readonly purpose: 'sign-in' | 'password-change'
  /** The normalized login of a sign-in, or the id of the account whose password is changed. */
  readonly subject: string
}

/**
 * The result of an attempt. In a sign-in with two steps, a correct password passes only the first step. That
 * clears no failures, because someone who knows the password would otherwise have unlimited attempts at the
 * second step.
 */
export type AttemptResult = 'passed' | 'first step passed' | 'failed'

export interface Lockouts {
  /** Throws `locked` if the key is locked. Only for requests that do other work before `guardAttempt`. */
  requireUnlocked(key: LockoutKey): Promise<void>
  /**
   * Throws `locked` if the key is locked. Otherwise runs `verify`, counts its result, and returns whether the
   * attempt has passed. `onLocked` is called if this failure starts a lock.
   */
  guardAttempt(key: LockoutKey, verify: () => Promise<AttemptResult>, onLocked?: () => void): Promise<boolean>
}

export interface LockoutOptions {
  readonly database: Database
  /** Defaults to the database clock, which all instances share; tests pass their own. */
  readonly now?: () => Date
}

const failuresMax = 5
const windowMinutes = 15
const lockMinutes = 15
/** The attempts that may wait for one key; further ones are rejected. No user causes so many. */
const waitingMax = 32
const retryAfterSeconds = 1

/**
 * Counts failures in the store, so that all instances count together. In each process, the attempts on one
 * key run one after the other, so parallel guesses gain nothing. When the fifth failure is counted, each
 * other instance may have one attempt in flight, so N instances verify at most N - 1 attempts too many.
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

/** Deletes failures and locks that no longer count. */
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
 * Counts a failure, and returns whether it starts a lock, as the fifth one within 15 minutes does. Failures
 * that other instances count during the lock do not prolong it.
 */
async function countFailure(
  transaction: Queries,
  { purpose, subject }: LockoutKey,
  clock: Sql,
): Promise<boolean> {
  const recent = sql`array(select at from unnest(existing.failed_at) as failed(at) where at > ${windowStart(clock)})`
  // The failure that is being counted is not yet in the list.
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
 * Clears the failures after a success, but not a lock that another instance has set meanwhile. A locked row
 * has no failures, because `countFailure` empties the list when it locks.
 */
async function clearFailures(transaction: Queries, { purpose, subject }: LockoutKey): Promise<void> {
  await transaction.query(
    sql`delete from lockouts where purpose = ${purpose} and subject = ${subject} and cardinality(failed_at) > 0`,
  )
}

const clockOf = (now: LockoutOptions['now']): Sql =>
  now ? sql`${now().toISOString()}::timestamptz` : sql`statement_timestamp()`

const windowStart = (clock: Sql): Sql => sql`${clock} - make_interval(mins => ${windowMinutes}::int)`
