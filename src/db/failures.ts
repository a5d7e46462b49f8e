import { duplicate, overloaded, uncertain } from '../model/problem.ts'
import type { Call } from './statement-times.ts'
import type { Work, Works } from './work.ts'

/** What the driver's errors mean to a caller. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
interface DriverFailure {
  readonly code?: string
  readonly constraint?: string
  readonly message?: string
}

const failureOf = (error: unknown): DriverFailure => (error ?? {}) as DriverFailure

/** Serialization failure, deadlock, or a lock that could not be had in time: the same work may succeed if repeated. */
const conflictCodes = new Set(['40001', '40P01', '55P03'])

export const isConflict = (error: unknown): boolean => conflictCodes.has(failureOf(error).code ?? '')

/** Stopped at its time limit. */
export const isTimedOut = (error: unknown): boolean => failureOf(error).code === '57014'

/** A statement that was to be parsed by one before it, which was stopped before it got so far. */
export const isUnparsed = (error: unknown): boolean => failureOf(error).code === '26000'

/**
 * The fault of what one of the rows holds: a value that does not fit, a constraint, a limit of the server, or what a trigger of the
 * operator's own refuses. The statement was rolled back.
 */
export const isOfRow = (error: unknown): boolean => /^(22|23|54|P0)/.test(failureOf(error).code ?? '')

/** A value that a function does not take: of those we send, only the name of a time zone can be one. */
export const isUnknownTimeZone = (error: unknown): boolean => failureOf(error).code === '22023'

/** A server that takes no writes, or no more: of no use to us, so its connection is given up, and the next one finds another. */
export const readOnlyCode = '25006'

const lostConnectionCodes = /^(08|57P0|25006|ECONN|EPIPE|ENOENT|ETIMEDOUT)/
const lostConnectionMessages =
  /terminated|not queryable|closed the connection|timeout exceeded when trying to connect|timeout expired/i

export function isLostConnection(error: unknown): boolean {
  const { code = '', message = '' } = failureOf(error)
  return lostConnectionCodes.test(code) || lostConnectionMessages.test(message)
}

/** The server says that it ends the connection, or that it takes no writes, which it never says after a commit. */
export const isRefusedByServer = (error: unknown): boolean =>
  ['57P01', readOnlyCode].includes(failureOf(error).code ?? '')

/** A full disk, or too little of memory or connections: the statement was rolled back, and may succeed when there is room again. */
const isOutOfRoom = (error: unknown): boolean => (failureOf(error).code ?? '').startsWith('53')

/** Parts of a table may have its constraints under a number of their own. */
const numberOfPart = /_\d{6,}$/

/** The constraint that a duplicate key would have broken. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint, message = '' } = failureOf(error)
  if (code !== '23505') return undefined
  // Some servers report the name in the message only.
  return (constraint ?? /unique constraint "(.+?)"/.exec(message)?.[1] ?? '').replace(numberOfPart, '')
}

/** One answer for a duplicate, whether it was found before the write or by a unique index during it. */
export function duplicateProblem(error: unknown, { table }: { readonly table: string }) {
  const constraint = violatedUniqueConstraint(error)
  if (constraint === `${table}_pkey`) return idTaken()
  return constraint === 'users_login_active' ? loginTaken() : undefined
}

export const idTaken = () => duplicate('id', 'Id is already taken.')
export const loginTaken = () => duplicate('login', 'Login is already used by an active account.')

const retryAfterSeconds = 5

/** Does what `call` does; a store that is not available is a refusal. */
export const refusing =
  ({ current }: Pick<Works, 'current'>, call: Call): Call =>
  async (asked, run) => {
    try {
      return await call(asked, run)
    } catch (error) {
      throw refusalOf(error, current())
    }
  }

/**
 * The store could not be reached, did not answer in time, has no room, or stopped a statement at its time limit, such as a write
 * that waited for a row that somebody else holds: for no fault of the caller, and nothing was done, so that trying again is safe.
 * It is not where the request has written something before. A commit whose outcome is unknown is none of these, and stays as it is.
 */
export function refusalOf(error: unknown, work: Work | undefined): unknown {
  if (!isLostConnection(error) && !isOutOfRoom(error) && !isTimedOut(error)) return error
  if (work?.hasCommitted) return uncertain(error)
  return overloaded('The store is not available, and nothing was done. Please try again later.', {
    retryAfterSeconds,
    cause: error,
  })
}

/** Waits between attempts; together they outlast a restart of the database on the same machine. */
const waitsMilliseconds = [10, 40, 160, 640]

/** Runs the attempt again as long as its failure may pass and there is time left, up to four times. */
export async function retried<Result>(
  mayPass: (error: unknown) => boolean,
  attempt: () => Promise<Result>,
  endsAt = Number.POSITIVE_INFINITY,
): Promise<Result> {
  for (const wait of waitsMilliseconds) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error) || performance.now() + wait > endsAt) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
  return attempt()
}
