import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { budgetLimits } from '../../config/budgets.ts'
import { Problem, type ProblemKind, retryAfterDefaultSeconds } from '../../model/problem.ts'
import { UnreadableMessageError } from './message.ts'
import { joinMessages, statusDetailsKey, writeStatusDetails } from './status-details.ts'

/** The status of a call that failed. */
export type CallError = Pick<ServiceError, 'code' | 'details' | 'metadata'>

/** The client no longer waits for the response. */
export class CallAbandonedError extends Error {
  readonly code: status

  constructor(code: status) {
    super(code === status.CANCELLED ? 'The call was cancelled.' : 'The deadline has passed.')
    this.name = 'CallAbandonedError'
    this.code = code
  }
}

/**
 * Returns the error for the client, or undefined for an unexpected error. Problems that are failed results do
 * not get here: `runCommand` has returned them as results.
 */
export function callErrorOf(error: unknown): CallError | undefined {
  const transportCode = transportCodeOf(error)
  if (transportCode !== undefined) return plainError(transportCode, (error as Error).message)
  if (!(error instanceof Problem)) return undefined
  const outcome = problemOutcomes[error.kind]
  return outcome === 'failedResult' ? undefined : problemError(error, outcome)
}

/** The status for failures before any operation was called. */
function transportCodeOf(error: unknown): status | undefined {
  if (error instanceof UnreadableMessageError) return status.INVALID_ARGUMENT
  if (error instanceof OversizedMessageError) return status.RESOURCE_EXHAUSTED
  return error instanceof CallAbandonedError ? error.code : undefined
}

const plainError = (code: status, details: string): CallError => ({ code, details, metadata: new Metadata() })

export const unexpectedError = (): CallError => plainError(status.INTERNAL, 'An unexpected error occurred.')

/**
 * The status text contains all messages of the REST error, in the order of the fields. The google.rpc details
 * contain them by field.
 */
function problemError({ message, errors, retryAfterSeconds }: Problem, code: status): CallError {
  const details = joinMessages(errors ?? {}) || message
  const metadata = new Metadata()
  if (errors) metadata.set(statusDetailsKey, writeStatusDetails({ code, message: details, errors }))
  if (code === status.RESOURCE_EXHAUSTED || code === status.UNAVAILABLE) {
    metadata.set('retry-after', String(retryAfterSeconds ?? retryAfterDefaultSeconds))
  }
  return { code, details, metadata }
}

/** The outcome of each kind of problem. It is a status, or a result that reports the failure. */
export const problemOutcomes: Readonly<Record<ProblemKind, status | 'failedResult'>> = {
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  missing: 'failedResult',
  gone: status.OUT_OF_RANGE,
  duplicate: status.ALREADY_EXISTS,
  inUse: status.FAILED_PRECONDITION,
  stale: 'failedResult',
  changed: 'failedResult',
  contended: status.ABORTED,
  // Commands have no idempotency keys, so this cannot occur.
  reused: status.INVALID_ARGUMENT,
  locked: status.RESOURCE_EXHAUSTED,
  busy: status.RESOURCE_EXHAUSTED,
  overloaded: status.UNAVAILABLE,
  // Not UNAVAILABLE, because clients would retry by themselves.
  uncertain: status.UNKNOWN,
}

export const messageBytesMax = budgetLimits.commandMessageBytes.max

/** Reports that the message would exceed `messageBytesMax` once it is decompressed. */
export class OversizedMessageError extends Error {
  constructor() {
    super(`The message must not be larger than ${messageBytesMax / 1024 ** 2} MiB.`)
    this.name = 'OversizedMessageError'
  }
}
