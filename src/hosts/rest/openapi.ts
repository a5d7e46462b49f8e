import { budgetLimits } from '../../config/budgets.ts'
import { type Envelope, frameworkErrors, largerThan, problemStatuses, unexpected } from '../../http/errors.ts'
import { type About as DocumentParts, documentOf, queryParameters } from '../../http/openapi.ts'
import type { Schema } from '../../http/operation.ts'
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
import { keyHours } from '../../records/idempotency.ts'
import { isKeyed, type Operation } from '../../routes/route.ts'
import { ref } from '../../routes/schemas.ts'
import { keyCharactersMax, keyHeader, replayedHeader } from './register-routes.ts'

/** The parts of a document of this host in addition to its operations. */
export type About = Pick<DocumentParts, 'title' | 'description' | 'schemas' | 'tags'>

export const openApiOf = (operations: readonly Operation[], about: About): Schema =>
  documentOf(operations, { ...about, ...common, responses: responsesOf(operations) }, (operation) => ({
    parameters: [
      ...queryParameters(operation.parameters),
      ...(operation.isConditional ? conditionalHeaders : []),
      ...(operation.hasPrecondition ? [ifMatchHeader] : []),
      ...(isKeyed(operation) ? [idempotencyKeyHeader] : []),
    ],
    ...(operation.body && {
      requestBody: { required: true, content: { 'application/json': { schema: operation.body } } },
    }),
    responses: { ...answersOf(operation), ...rejectionsOf(operation) },
    ...(operation.isOpen && { security: [] }),
    ...((operation.events ?? operation.isLive) && {
      'x-events': operation.events ?? { listing: { ...listingEvent, data: operation.answer } },
    }),
  }))

const conditionalHeaders = [
  {
    name: 'If-None-Match',
    description: 'The ETag of an answer that the caller holds: 304 while it is the same.',
  },
  {
    name: 'If-Modified-Since',
    description:
      'Its Last-Modified, or a later date that is not still to come: 304 when nothing has changed since. Ignored next to If-None-Match.',
  },
].map((header) => ({ in: 'header', ...header, schema: { type: 'string' } }))

const ifMatchHeader = {
  in: 'header',
  name: 'If-Match',
  description: 'The ETags of the rows, as reading each by its id gave them; absent, nothing is compared.',
  schema: { type: 'string' },
}

const idempotencyKeyHeader = {
  in: 'header',
  name: keyHeader,
  description: `A text of your own, such as a UUID, that makes the request safe to repeat: within ${keyHours} hours the same account gets the first success again instead of doing it twice. Values of passwords are not compared.`,
  schema: { type: 'string', minLength: 1, maxLength: keyCharactersMax },
}

const answersOf = (operation: Operation): Readonly<Record<string, Schema>> => {
  const { answer, answerTypes = ['application/json'], isConditional, hasTag, isLive } = operation
  return {
    200: {
      // Not a second content type: generators would type the response as either a page or text.
      description: isLive ? liveDescription : 'Success.',
      ...(isConditional && { headers: validatorHeaders }),
      ...(hasTag && { headers: { ETag: validatorHeaders.ETag } }),
      ...(isKeyed(operation) && { headers: replayedHeaders }),
      content: Object.fromEntries(answerTypes.map((type) => [type, { schema: answer }])),
    },
    ...(isConditional && { 304: { description: 'The caller holds this answer already.' } }),
  }
}

const liveDescription =
  'Success. With Accept: text/event-stream it is a stream instead, whose events of the type listing carry this JSON: the first at once, the others after changes.'

/** OpenAPI 3.1 cannot describe the events of a stream. */
const listingEvent = {
  description:
    'The JSON of the plain list as it is now: at once, and within a second of each change, at most once a second. The id counts from 1, or on from Last-Event-ID. A comment every 15 seconds shows that the connection stands.',
}

const validatorHeaders = {
  ETag: {
    description: 'Of this answer to this caller; If-None-Match and If-Match take it.',
    schema: { type: 'string' },
  },
  'Last-Modified': { description: 'Left out where it cannot be promised yet.', schema: { type: 'string' } },
}

const replayedHeaders = {
  [replayedHeader]: {
    description: 'true where this answer was made for an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
}

/** Every operation requires a token and is rate-limited; every body has a maximum size and a type. */
function rejectionsOf(operation: Operation): Readonly<Record<string, Schema>> {
  const { method, errors, body } = operation
  const keyed = isKeyed(operation) ? [409, 422] : []
  const statuses = [
    401,
    429,
    500,
    503,
    ...(method === 'GET' ? [] : [504]),
    ...errors,
    ...(body ? [400, 413, 415] : []),
    ...keyed,
  ]
  return Object.fromEntries(
    [...new Set(statuses)]
      .sort()
      .map((status) => [status, { $ref: `#/components/responses/${errorName(status)}` }]),
  )
}

/** The shared responses that an operation of the document refers to. */
function responsesOf(operations: readonly Operation[]): Readonly<Record<string, Schema>> {
  const used = new Set(operations.flatMap((operation) => Object.keys(rejectionsOf(operation))))
  const statuses = Object.keys(descriptions).filter((status) => used.has(status))
  return Object.fromEntries(statuses.map((status) => [errorName(status), rejection(status)]))
}

/** These say when to retry. */
const retryAfter = { description: 'Seconds to wait.', schema: { type: 'integer' } }

const waits: ReadonlySet<string> = new Set(['429', '503'])

const errorName = (status: number | string): string => `Refusal${status}`

const rejection = (status: string): Schema => ({
  description: descriptions[status],
  ...(waits.has(status) && { headers: { 'Retry-After': retryAfter } }),
  content: { 'application/json': { schema: ref('Error'), example: errorExamples[Number(status)] } },
})

const descriptions: Readonly<Record<string, string>> = {
  400: 'The body or query is invalid, or refers to a missing or removed record.',
  401: 'The access token is missing, invalid or revoked.',
  403: 'The caller is not allowed to do this.',
  404: 'The record does not exist or is not visible to the caller.',
  409: 'The id or login is taken, the version is stale, dependents are active, or the rows changed at the same time.',
  410: 'What was asked for is not kept any more.',
  412: 'If-Match does not name the rows as they are now.',
  413: 'The body is too large.',
  415: 'The body is no JSON, or not in UTF-8.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests, or a locked account.',
  500: 'An unexpected error.',
  503: 'Too slow, too much at once, or the store is away; nothing was done, and it may be tried again later.',
  504: 'The store failed before it was known whether this was done. Check that before sending it again.',
}

const common = {
  security: [{ bearer: [] }],
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
}

/** Examples of errors, made by the code that makes the errors themselves. */
const errorExamples: Readonly<Record<number, Envelope>> = {
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
  ...(frameworkErrors.FST_ERR_CTP_INVALID_MEDIA_TYPE && {
    415: frameworkErrors.FST_ERR_CTP_INVALID_MEDIA_TYPE,
  }),
  500: unexpected,
}

function envelopeOf({ kind, message, errors }: Problem): Envelope {
  return { statusCode: problemStatuses[kind], message, ...(errors && { errors }) }
}
