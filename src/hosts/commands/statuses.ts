import { status } from '@grpc/grpc-js'
import type { ProblemKind } from '../../model/problem.ts'

/** What a command answers for each kind of refusal: a status, or a result that says it failed. */
export const statuses: Readonly<Record<ProblemKind, status | 'failedResult'>> = {
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
  // Commands carry no key.
  reused: status.INVALID_ARGUMENT,
  locked: status.RESOURCE_EXHAUSTED,
  busy: status.RESOURCE_EXHAUSTED,
  overloaded: status.UNAVAILABLE,
  // Clients repeat what was UNAVAILABLE by themselves.
  uncertain: status.UNKNOWN,
}
