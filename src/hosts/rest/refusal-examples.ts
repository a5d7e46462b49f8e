import { budgetLimits } from '../../configuration/budgets.ts'
import { frameworkRefusals, largerThan, unexpected } from '../../http/answer-errors.ts'
import type { Envelope } from '../../http/envelope.ts'
import { problemStatuses } from '../../http/problem-statuses.ts'
import {
  busy,
  changed,
  forbidden,
  gone,
  invalid,
  missing,
  overloaded,
  type Problem,
  reused,
  stale,
  unauthenticated,
  uncertain,
} from '../../model/problem.ts'

/** What a refusal looks like, made by what makes the refusals themselves. */
export const refusalExamples: Readonly<Record<number, Envelope>> = {
  ...Object.fromEntries(
    [
      invalid({ name: ['Name is required.'] }),
      unauthenticated(),
      forbidden(),
      missing('Project'),
      stale('Project'),
      gone('What was asked for is not kept any more.'),
      changed('Project'),
      reused(),
      busy(60),
      uncertain(undefined),
      overloaded('Too much of this is under way. Please try again later.', { retryAfterSeconds: 5 }),
    ].map((problem) => [problemStatuses[problem.kind], envelopeOf(problem)]),
  ),
  413: largerThan(budgetLimits.restBodyBytes.max),
  ...(frameworkRefusals.FST_ERR_CTP_INVALID_MEDIA_TYPE && {
    415: frameworkRefusals.FST_ERR_CTP_INVALID_MEDIA_TYPE,
  }),
  500: unexpected,
}

function envelopeOf({ kind, message, errors }: Problem): Envelope {
  return { statusCode: problemStatuses[kind], message, ...(errors && { errors }) }
}
