import type { ProblemStatuses } from '../../http/answer-errors.ts'

/** Files know one refusal, that of an address without one; the others keep their usual meaning. */
export const statuses: ProblemStatuses = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  duplicate: 409,
  inUse: 409,
  stale: 409,
  contended: 409,
  locked: 429,
  busy: 429,
}
