import { duplicate, overloaded, type Problem, uncertain } from '../model/problem.ts'
import type { Sql } from './sql.ts'

/** An error of the driver. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
interface DriverError {
  readonly code?: string
  readonly constraint?: string
  readonly message?: string
}

const driverErrorOf = (error: unknown): DriverError => (error ?? {}) as DriverError

/** Serialization failures, deadlocks and lock timeouts. The same work may succeed if it is repeated. */
const conflictCodes = new Set(['40001', '40P01', '55P03'])

export const isConflict = (error: unknown): boolean => conflictCodes.has(driverErrorOf(error).code ?? '')

/**
 * Returns whether an earlier statement of the transaction has failed. All later statements then fail with
 * this error.
 */
export const isAborted = (error: unknown): boolean => driverErrorOf(error).code === '25P02'

/** Returns whether the server stopped the statement at its time limit. */
export const isTimedOut = (error: unknown): boolean => driverErrorOf(error).code === '57014'

/** Returns whether a prepared statement is missing. Its preparation may have been stopped. */
export const isStatementMissing = (error: unknown): boolean => driverErrorOf(error).code === '26000'

/**
 * Returns whether the content of a row caused the error, for example an invalid value or a violated
 * constraint.
 */
export const isRowError = (error: unknown): boolean => /^(22|23|54|P0)/.test(driverErrorOf(error).code ?? '')

/** Returns whether the server rejected a time zone. All other parameters are checked before they are sent. */
export const isUnknownTimeZone = (error: unknown): boolean => driverErrorOf(error).code === '22023'

/**
 * The code of a write to a read-only server. The connection is closed, because a new connection may reach the
 * primary.
 */
export const readOnlyCode = '25006'

const lostConnectionCodes = /^(08|57P0|25006|ECONN|EPIPE|ENOENT|ETIMEDOUT)/
const lostConnectionMessages =
  /terminated|not queryable|closed the connection|timeout exceeded when trying to connect|timeout expired/i

export function isLostConnection(error: unknown): boolean {
  const { code = '', message = '' } = driverErrorOf(error)
  return lostConnectionCodes.test(code) || lostConnectionMessages.test(message)
}

/**
 * Returns whether the server ended the connection or is read-only. A retry is safe, because neither happens
 * after a commit.
 */
export const isRejectedByServer = (error: unknown): boolean =>
  ['57P01', readOnlyCode].includes(driverErrorOf(error).code ?? '')

/** Returns whether the server, or the role, has reached its limit of connections. */
export const isServerFull = (error: unknown): boolean => driverErrorOf(error).code === '53300'

/** Returns whether disk, memory or connections ran out. */
const isOutOfResources = (error: unknown): boolean => (driverErrorOf(error).code ?? '').startsWith('53')

/** PostgreSQL appends a number to the names of constraints of partitions. */
const partitionNumber = /_\d{6,}$/

/** Returns the name of the constraint that a duplicate key violated. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint, message = '' } = driverErrorOf(error)
  if (code !== '23505') return undefined
  // Some servers report the name only in the message.
  return (constraint ?? /unique constraint "(.+?)"/.exec(message)?.[1] ?? '').replace(partitionNumber, '')
}

/** A unique index in addition to the primary key. */
export interface UniqueKey {
  readonly index: string
  readonly problem: () => Problem
  /** Keeps the former values of a row, so that no other row can get them. */
  readonly former?: FormerValues
}

interface FormerValues {
  readonly field: string
  /** SQL: true if a row other than `owner` had the value. For a new row, there is no `owner`. */
  isTaken(value: unknown, owner?: Sql): Sql
}

interface KeyedTable {
  readonly table: string
  readonly unique?: UniqueKey
}

/** Converts the violation of a unique index to the problem of that key. */
export function duplicateProblem(error: unknown, { table, unique }: KeyedTable): Problem | undefined {
  const constraint = violatedUniqueConstraint(error)
  if (constraint === `${table}_pkey`) return idTaken()
  return constraint === unique?.index ? unique?.problem() : undefined
}

export const idTaken = () => duplicate('id', 'Id is already taken.')
export const loginTaken = () => duplicate('login', 'Login is already used by an active account.')

const retryAfterSeconds = 5

/**
 * Converts errors of an unavailable store, and returns other errors unchanged. The new error says that
 * nothing was done. If the request has already committed something, the error says that the outcome is
 * uncertain.
 */
export function convertUnavailable(
  error: unknown,
  work: { readonly hasCommitted: boolean } | undefined,
): unknown {
  if (!isLostConnection(error) && !isOutOfResources(error) && !isTimedOut(error)) return error
  if (work?.hasCommitted) return uncertain(error)
  return overloaded('The store is not available, and nothing was done. Please try again later.', {
    retryAfterSeconds,
    cause: error,
  })
}

/** The server or the network did not answer in time. `isLostConnection` recognizes the `code`. */
export class SilentStoreError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The store did not answer in time.')
    this.name = 'SilentStoreError'
  }
}

/**
 * Rejects with `SilentStoreError` at `endsAt`, a time of `performance.now()`. It then calls `giveUp`, which
 * ends the work or releases its later result.
 */
export async function withDeadline<Result>(
  endsAt: number,
  work: Promise<Result>,
  giveUp: () => unknown = () => undefined,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => {
      giveUp()
      reject(new SilentStoreError())
    },
    Math.max(0, endsAt - performance.now()),
  )
  // After the deadline, no caller handles a late rejection.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The pauses between attempts. Together they are longer than a restart of the database on the same machine.
 */
const waitsMilliseconds = [10, 40, 160, 640]

/** The end of all attempts, as a time of `performance.now()`. */
interface Deadline {
  readonly endsAt: number
}

/** Retries up to four times after transient errors, while there is time left. */
export async function retry<Result, Limit extends Deadline>(
  limit: Limit,
  attempt: (limit: Limit) => Promise<Result>,
  isTransient: (error: unknown, limit: Limit) => boolean,
): Promise<Result> {
  for (const wait of waitsMilliseconds) {
    try {
      return await attempt(limit)
    } catch (error) {
      if (!isTransient(error, limit) || performance.now() + wait > limit.endsAt) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
  return attempt(limit)
}

export interface TimeLimits {
  /** Limits all waits of one call of the store. */
  readonly answerMilliseconds: number
  /** After this time, the server stops a statement, so the caller knows that nothing was done. */
  readonly statementMilliseconds: number
}

/** The client waits longer than the server, so that the error of the server can arrive. */
const answerToStatementRatio = 8 / 7

/** Clients are promised an answer within ten seconds. */
const requestMilliseconds = 8000

export const requestLimits = (answerMilliseconds = requestMilliseconds): TimeLimits => ({
  answerMilliseconds,
  statementMilliseconds: Math.floor(answerMilliseconds / answerToStatementRatio),
})

/** Maintenance deletes thousands of rows per statement, and no caller waits for it. */
export const maintenanceLimits: TimeLimits = { answerMilliseconds: 32_000, statementMilliseconds: 30_000 }
