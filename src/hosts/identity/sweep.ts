import { budgetLimits } from '../../configuration/budgets.ts'
import type { Database } from '../../store/database.ts'
import { batchSize, inBatches } from '../../store/in-batches.ts'
import { type Sql, sql } from '../../store/sql.ts'
import { moment } from './moment.ts'

/** Deletes what can no longer be used. Several instances may do so at once: each takes rows that nobody else has. */
export async function sweep(database: Database, now: number, inactivityMinutes: number): Promise<void> {
  await inBatches(database, expiredCodes(now))
  await inBatches(database, expiredRevocations(now))
  await inBatches(database, expiredSteps(now))
  await inBatches(database, expiredAttempts(now))
  await inBatches(database, excessAttempts)
  // Spent codes and all refresh tokens go with their session.
  await inBatches(database, expiredSessions(now))
  // Sessions that no longer work must not be listed.
  if (inactivityMinutes > 0) await inBatches(database, endUnused(now, now - inactivityMinutes * 60_000))
}

const expiredCodes = (now: number): Sql => sql`
  delete from authorization_codes where id in (
    select id from authorization_codes where expires_at <= ${moment(now)} and spent_at is null
    limit ${batchSize}::int for update skip locked)
  returning 1`

const expiredRevocations = (now: number): Sql => sql`
  delete from revoked_tokens where id in (
    select id from revoked_tokens where expires_at <= ${moment(now)}
    limit ${batchSize}::int for update skip locked)
  returning 1`

const expiredSteps = (now: number): Sql => sql`
  delete from spent_steps where id in (
    select id from spent_steps where expires_at <= ${moment(now)}
    limit ${batchSize}::int for update skip locked)
  returning 1`

const expiredAttempts = (now: number): Sql => sql`
  delete from outside_attempts where id in (
    select id from outside_attempts where expires_at <= ${moment(now)}
    limit ${batchSize}::int for update skip locked)
  returning 1`

/**
 * Each address has a limit of its own; this is the limit for all addresses together. The rows are counted without a lock, so
 * nobody who is coming back from a provider waits.
 */
const excessAttempts = sql`
  delete from outside_attempts where id in (
    select id from outside_attempts where expires_at <= (
      select expires_at from outside_attempts order by expires_at desc offset ${budgetLimits.outsideAttempts.max}::int limit 1)
    limit ${batchSize}::int for update skip locked)
  returning 1`

const expiredSessions = (now: number): Sql => sql`
  delete from signin_sessions where id in (
    select id from signin_sessions where expires_at <= ${moment(now)}
    limit ${batchSize}::int for update skip locked)
  returning 1`

const endUnused = (now: number, unusedSince: number): Sql => sql`
  update signin_sessions set ended_at = ${moment(now)} where id in (
    select id from signin_sessions
    where ended_at is null and coalesce(last_used_at, created_at) <= ${moment(unusedSince)}
    limit ${batchSize}::int for update skip locked)
  returning 1`
