import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { Problem, retryAfterDefaultSeconds } from '../../model/problem.ts'
import { UnreadableMessage } from './message.ts'
import { OversizedMessage } from './message-size.ts'
import { sentencesIn, statusDetailsKey, writeStatusDetails } from './status-details.ts'
import { statuses } from './statuses.ts'

/** How a call ends that did not succeed. */
export type CallError = Pick<ServiceError, 'code' | 'details' | 'metadata'>

/** Nobody waits for the answer. */
export class CallGone extends Error {
  readonly code: status

  constructor(code: status) {
    super(code === status.CANCELLED ? 'The call was cancelled.' : 'The deadline has passed.')
    this.name = 'CallGone'
    this.code = code
  }
}

/** Undefined for an unexpected error. */
export function callErrorOf(error: unknown): CallError | undefined {
  const transportCode = transportCodeOf(error)
  if (transportCode !== undefined) return plainError(transportCode, (error as Error).message)
  const code = error instanceof Problem ? statuses[error.kind] : 'failedResult'
  return error instanceof Problem && code !== 'failedResult' ? problemError(error, code) : undefined
}

/** For failures before any operation was called. */
function transportCodeOf(error: unknown): status | undefined {
  if (error instanceof UnreadableMessage) return status.INVALID_ARGUMENT
  if (error instanceof OversizedMessage) return status.RESOURCE_EXHAUSTED
  return error instanceof CallGone ? error.code : undefined
}

const plainError = (code: status, details: string): CallError => ({ code, details, metadata: new Metadata() })

export const unexpectedError = (): CallError => plainError(status.INTERNAL, 'An unexpected error occurred.')

/** Every sentence of REST stands in the status, in the order of the fields; by field they travel as google.rpc details. */
function problemError({ message, errors, retryAfterSeconds }: Problem, code: status): CallError {
  const details = sentencesIn(errors ?? {}) || message
  const metadata = new Metadata()
  if (errors) metadata.set(statusDetailsKey, writeStatusDetails({ code, message: details, errors }))
  if (code === status.RESOURCE_EXHAUSTED || code === status.UNAVAILABLE) {
    metadata.set('retry-after', String(retryAfterSeconds ?? retryAfterDefaultSeconds))
  }
  return { code, details, metadata }
}
