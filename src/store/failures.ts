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
export const isOutOfRoom = (error: unknown): boolean => (failureOf(error).code ?? '').startsWith('53')

/** The parts of a table that is spread over nodes have its constraints under their own number. */
const numberOfPart = /_\d{6,}$/

/** The constraint that a duplicate key would have broken. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint, message = '' } = failureOf(error)
  if (code !== '23505') return undefined
  // What another node refused is told by the message only.
  return (constraint ?? /unique constraint "(.+?)"/.exec(message)?.[1] ?? '').replace(numberOfPart, '')
}
