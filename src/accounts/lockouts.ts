import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { type Sql, sql } from '../db/sql.ts'
import { oneAtATime } from '../model/limit-concurrency.ts'
import { locked } from '../model/problem.ts'

/** The key under which failures are counted. */
export interface LockoutSubject {
  readonly purpose: 'sign-in' | 'password-change'
  /** A normalized login, or an account's id. */
  readonly subject: string
}

export interface Lockouts {
  /** Throws `locked` while the subject is locked; for callers that must check this before anything else. */
  requireUnlocked(subject: LockoutSubject): Promise<void>
  /**
   * Runs `verify` unless the subject is locked, and counts its result; `onLocked` is called when this result
   * starts a lock. A correct first step ("first step passed") does not clear failures: otherwise knowing the
   * password would give unlimited attempts at the next step.
   */
  guardAttempt(
    subject: LockoutSubject,
    verify: () => Promise<boolean | 'first step passed'>,
    onLocked?: () => void,
  ): Promise<boolean>
}

export interface LockoutOptions {
  readonly database: Database
  /** Defaults to the store's clock; tests pass their own. */
  readonly now?: () => Date
}

const failuresMax = 5
const windowMinutes = 15
const lockMinutes = 15
/** Attempts that may wait for one subject. Further ones are rejected as busy, because no user causes so many. */
const waitingMax = 32
const retryAfterSeconds = 1

/**
 * Failures are counted in the store, so all instances count together. Within a process the attempts on one
 * subject run one after the other, so guessing in parallel gains nothing. Each further instance may have one
 * more attempt in flight when the fifth failure is counted, so N instances verify at most N - 1 too many.
 */
export function createLockouts({ database, now }: LockoutOptions): Lockouts {
  const runInSequence = oneAtATime({ waitingMax, retryAfterSeconds })
  return {
    requireUnlocked: (subject) => requireUnlocked(database, subject, clockOf(now)),
    guardAttempt: (subject, verify, onLocked) =>
      runInSequence(`${subject.purpose} ${subject.subject}`, async () => {
        await requireUnlocked(database, subject, clockOf(now))
        const result = await verify()
        if (result === 'first step passed') return true
        const isRight = result
        const startedLock = await database.transaction((transaction) =>
          isRight ? clearFailures(transaction, subject) : countFailure(transaction, subject, clockOf(now)),
        )
        if (startedLock) onLocked?.()
        return isRight
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

async function requireUnlocked(database: Queries, { purpose, subject }: LockoutSubject, clock: Sql) {
  const [lock] = await database.query<{ seconds: number }>(sql`
    select ceil(extract(epoch from locked_until - ${clock})) as seconds from lockouts
    where purpose = ${purpose} and subject = ${subject} and locked_until > ${clock}`)
  if (lock) throw locked(Math.max(1, lock.seconds))
}

/**
 * The failure that fills the window starts a lock; failures counted by other instances during the lock do not
 * prolong it.
 */
async function countFailure(
  transaction: Queries,
  { purpose, subject }: LockoutSubject,
  clock: Sql,
): Promise<boolean> {
  const recent = sql`array(select at from unnest(known.failed_at) as failed(at) where at > ${windowStart(clock)})`
  // The failure that is being counted is the last one.
  const isFull = sql`cardinality(${recent}) >= ${failuresMax - 1}::int`
  const [counted] = await transaction.query<{ isLocked: boolean }>(sql`
    insert into lockouts as known (purpose, subject, failed_at)
    values (${purpose}, ${subject}, array[${clock}])
    on conflict (purpose, subject) do update set
      failed_at = case when ${isFull} then '{}' else ${recent} || ${clock} end,
      locked_until = case when ${isFull} then ${clock} + make_interval(mins => ${lockMinutes}::int) end
    where coalesce(known.locked_until <= ${clock}, true)
    returning known.locked_until is not null as "isLocked"`)
  return counted?.isLocked === true
}

/**
 * A success clears the failures but never a lock that another instance has set in the meantime. A locked row
 * has no failures, because `countFailure` empties the list when it locks.
 */
async function clearFailures(transaction: Queries, { purpose, subject }: LockoutSubject): Promise<false> {
  await transaction.query(
    sql`delete from lockouts where purpose = ${purpose} and subject = ${subject} and cardinality(failed_at) > 0`,
  )
  return false
}

const clockOf = (now: LockoutOptions['now']): Sql =>
  now ? sql`${now().toISOString()}::timestamptz` : sql`statement_timestamp()`

const windowStart = (clock: Sql): Sql => sql`${clock} - make_interval(mins => ${windowMinutes}::int)`
