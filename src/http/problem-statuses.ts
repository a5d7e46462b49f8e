import type { ProblemKind } from '../model/problem.ts'

/** What an HTTP host answers for each kind of refusal; a kind without a status does not compile. */
export const problemStatuses: Readonly<Record<ProblemKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  gone: 410,
  duplicate: 409,
  inUse: 409,
  stale: 409,
  changed: 412,
  contended: 409,
  reused: 422,
  locked: 429,
  busy: 429,
  overloaded: 503,
  uncertain: 504,
}
