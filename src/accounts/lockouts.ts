import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { type Sql, sql } from '../db/sql.ts'
import { createBudget } from '../model/budget.ts'
import { locked } from '../model/problem.ts'
import { type Limited, limitConcurrency } from './passwords.ts'

/** The key under which failures are counted. */
export interface LockoutSubject {
  readonly purpose: 'sign-in' | 'password-change'
  /** A normalized login, or an account's id. */
  readonly subject: string
}

export interface Lockouts {
  /** Throws `locked` while the subject is locked; for callers that must check this before anything else. */
  requireOpen(subject: LockoutSubject): Promise<void>
  /**
   * Runs `verify` unless the subject is locked, and counts its result; `onLocked` is called when this result
   * starts a lock. A correct first step ("right so far") does not clear failures: otherwise knowing the
   * password would give unlimited attempts at the next step.
   */
  guardAttempt(
    subject: LockoutSubject,
    verify: () => Promise<boolean | 'right so far'>,
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
/** Attempts on one subject that may queue; no person submits more of them at once. */
const waitingMax = 32
const retryAfterSeconds = 1

/**
 * Failures are counted in the store, so all instances count together. Within a process the attempts on one
 * subject run one after the other, so guessing in parallel gains nothing. Each further instance may have one
 * more attempt in flight when the fifth failure is counted, so N instances verify at most N - 1 too many.
 */
export function createLockouts({ database, now }: LockoutOptions): Lockouts {
  const inTurn = oneAtATime({ waitingMax, retryAfterSeconds })
  return {
    requireOpen: (subject) => requireOpen(database, subject, clockOf(now)),
    guardAttempt: (subject, verify, onLocked) =>
      inTurn(`${subject.purpose} ${subject.subject}`, async () => {
        await requireOpen(database, subject, clockOf(now))
        const answer = await verify()
        if (answer === 'right so far') return true
        const isRight = answer
        const hasLocked = await database.transaction((transaction) =>
          isRight ? clear(transaction, subject) : countFailure(transaction, subject, clockOf(now)),
        )
        if (hasLocked) onLocked?.()
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

async function requireOpen(database: Queries, { purpose, subject }: LockoutSubject, clock: Sql) {
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

/** A success clears the failures but never a lock that another instance has set in the meantime. */
async function clear(transaction: Queries, { purpose, subject }: LockoutSubject): Promise<false> {
  await transaction.query(
    sql`delete from lockouts where purpose = ${purpose} and subject = ${subject} and cardinality(failed_at) > 0`,
  )
  return false
}

const clockOf = (now: LockoutOptions['now']): Sql =>
  now ? sql`${now().toISOString()}::timestamptz` : sql`statement_timestamp()`

const windowStart = (clock: Sql): Sql => sql`${clock} - make_interval(mins => ${windowMinutes}::int)`

/** Runs the work of one key sequentially; different keys do not wait for each other. */
export type OneAtATime = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export interface OneAtATimeOptions {
  readonly waitingMax: number
  readonly retryAfterSeconds: number
}

export function oneAtATime({ waitingMax, retryAfterSeconds }: OneAtATimeOptions): OneAtATime {
  const limitToOne = () =>
    limitConcurrency({ atOnce: createBudget(1), waiting: createBudget(waitingMax), retryAfterSeconds })
  const lines = new Map<string, { readonly limited: Limited; length: number }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { limited: limitToOne(), length: 0 }
    lines.set(key, line)
    line.length += 1
    try {
      return await line.limited(work)
    } finally {
      line.length -= 1
      if (line.length === 0) lines.delete(key)
    }
  }
}
