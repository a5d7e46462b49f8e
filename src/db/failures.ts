import { duplicate, overloaded, uncertain } from '../model/problem.ts'

/** Meanings of the driver's errors. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
interface DriverFailure {
  readonly code?: string
  readonly constraint?: string
  readonly message?: string
}

const failureOf = (error: unknown): DriverFailure => (error ?? {}) as DriverFailure

/** Serialization failures, deadlocks and lock timeouts: the same work may succeed if repeated. */
const conflictCodes = new Set(['40001', '40P01', '55P03'])

export const isConflict = (error: unknown): boolean => conflictCodes.has(failureOf(error).code ?? '')

/** Whether the statement was stopped at its time limit. */
export const isTimedOut = (error: unknown): boolean => failureOf(error).code === '57014'

/** Whether the statement that should have parsed this one was stopped before it got that far. */
export const isUnparsed = (error: unknown): boolean => failureOf(error).code === '26000'

/**
 * Whether the error is due to the content of a row: a value that does not fit, a constraint, a limit of the
 * server, or a trigger added by the operator. The statement was rolled back.
 */
export const isOfRow = (error: unknown): boolean => /^(22|23|54|P0)/.test(failureOf(error).code ?? '')

/** Whether a function rejected a value: among those that we send, only the name of a time zone can be one. */
export const isUnknownTimeZone = (error: unknown): boolean => failureOf(error).code === '22023'

/**
 * A server that is or has become read-only is useless for writes, so its connection is closed, and the next
 * one finds another server.
 */
export const readOnlyCode = '25006'

const lostConnectionCodes = /^(08|57P0|25006|ECONN|EPIPE|ENOENT|ETIMEDOUT)/
const lostConnectionMessages =
  /terminated|not queryable|closed the connection|timeout exceeded when trying to connect|timeout expired/i

export function isLostConnection(error: unknown): boolean {
  const { code = '', message = '' } = failureOf(error)
  return lostConnectionCodes.test(code) || lostConnectionMessages.test(message)
}

/** Whether the server ended the connection or is read-only, which it never reports after a commit. */
export const isRejectedByServer = (error: unknown): boolean =>
  ['57P01', readOnlyCode].includes(failureOf(error).code ?? '')

/** Whether disk, memory or connections ran out: the statement was rolled back, and may succeed later. */
const isOutOfRoom = (error: unknown): boolean => (failureOf(error).code ?? '').startsWith('53')

/** Partitions may have the constraints of their table under numbered names. */
const numberOfPart = /_\d{6,}$/

/** Returns the name of the constraint that a duplicate key violated. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint, message = '' } = failureOf(error)
  if (code !== '23505') return undefined
  // Some servers report the name in the message only.
  return (constraint ?? /unique constraint "(.+?)"/.exec(message)?.[1] ?? '').replace(numberOfPart, '')
}

/** Returns the same error for a duplicate found before the write as for one found by a unique index. */
export function duplicateProblem(error: unknown, { table }: { readonly table: string }) {
  const constraint = violatedUniqueConstraint(error)
  if (constraint === `${table}_pkey`) return idTaken()
  return constraint === 'users_login_active' ? loginTaken() : undefined
}

export const idTaken = () => duplicate('id', 'Id is already taken.')
export const loginTaken = () => duplicate('login', 'Login is already used by an active account.')

const retryAfterSeconds = 5

/**
 * The store could not be reached, did not answer in time, has no room, or stopped a statement at its time
 * limit, such as a write that waited for a locked row. The caller is not at fault and nothing was done, so a
 * retry is safe. If the request has already written something, that is not true, and the error says so. A
 * commit whose outcome is unknown is passed on unchanged.
 */
export function rejectionOf(error: unknown, work: { readonly hasCommitted: boolean } | undefined): unknown {
  if (!isLostConnection(error) && !isOutOfRoom(error) && !isTimedOut(error)) return error
  if (work?.hasCommitted) return uncertain(error)
  return overloaded('The store is not available, and nothing was done. Please try again later.', {
    retryAfterSeconds,
    cause: error,
  })
}
