import { budgetLimits } from '../../configuration/budgets.ts'
import type { Database } from '../../store/database.ts'
import { batchSize, deleteInBatches, inBatches } from '../../store/in-batches.ts'
import { type Sql, sql } from '../../store/sql.ts'
import { moment } from './moment.ts'

/** Deletes what can no longer be used. Several instances may do so at once. */
export async function sweep(database: Database, now: number, inactivityMinutes: number): Promise<void> {
  const isOver = sql`expires_at <= ${moment(now)}`
  // A spent one shows a second use, as long as its session is there.
  await deleteInBatches(database, { table: 'authorization_codes' }, sql`${isOver} and spent_at is null`)
  await deleteInBatches(database, { table: 'revoked_tokens' }, isOver)
  await deleteInBatches(database, { table: 'spent_steps' }, isOver)
  await deleteInBatches(database, { table: 'outside_attempts' }, isOver)
  await deleteInBatches(database, { table: 'outside_attempts' }, isInExcess)
  // Spent codes and all refresh tokens go with their session.
  await deleteInBatches(database, { table: 'signin_sessions' }, isOver)
  // Sessions that no longer work must not be listed.
  if (inactivityMinutes > 0) await inBatches(database, endUnused(now, now - inactivityMinutes * 60_000))
}

/**
 * Each address has a limit of its own; this is the limit for all addresses together. The rows are counted without a lock, so
 * nobody who is coming back from a provider waits.
 */
const isInExcess = sql`expires_at <= (
  select expires_at from outside_attempts order by expires_at desc offset ${budgetLimits.outsideAttempts.max}::int limit 1)`

const endUnused = (now: number, unusedSince: number): Sql => sql`
  update signin_sessions set ended_at = ${moment(now)} where id in (
    select id from signin_sessions
    where ended_at is null and coalesce(last_used_at, created_at) <= ${moment(unusedSince)}
    limit ${batchSize}::int for update skip locked)
  returning 1`
