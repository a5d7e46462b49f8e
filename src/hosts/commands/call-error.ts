import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { Problem } from '../../model/problem.ts'
import { UnreadableMessage } from './message.ts'
import { statusDetailsKey, writeStatusDetails } from './status-details.ts'
import { statuses } from './statuses.ts'

/** How a call ends that did not succeed. */
export type CallError = Pick<ServiceError, 'code' | 'details' | 'metadata'>

/** Undefined for anything nobody foresaw. */
export function callErrorOf(error: unknown): CallError | undefined {
  if (error instanceof UnreadableMessage) {
    return { code: status.INVALID_ARGUMENT, details: error.message, metadata: new Metadata() }
  }
  const code = error instanceof Problem ? statuses[error.kind] : 'failedResult'
  return error instanceof Problem && code !== 'failedResult' ? problemError(error, code) : undefined
}

export const unexpectedError = (): CallError => ({
  code: status.INTERNAL,
  details: 'An unexpected error occurred.',
  metadata: new Metadata(),
})

/** The first sentence stands in the status; all of them travel as google.rpc details. */
function problemError({ message, errors, retryAfterSeconds }: Problem, code: status): CallError {
  const details = Object.values(errors ?? {})[0]?.[0] ?? message
  const metadata = new Metadata()
  if (errors) metadata.set(statusDetailsKey, writeStatusDetails({ code, message: details, errors }))
  if (code === status.RESOURCE_EXHAUSTED) {
    metadata.set('retry-after', String(retryAfterSeconds ?? retryAfterDefaultSeconds))
  }
  return { code, details, metadata }
}

// As on REST, for a refusal whose maker knows no time.
const retryAfterDefaultSeconds = 60
