import { budgetLimits } from '../../config/budgets.ts'
import {
  bodyTooLarge,
  type Envelope,
  frameworkErrors,
  headersTooLarge,
  problemStatuses,
  unexpectedEnvelope,
} from '../../http/errors.ts'
import { type DocumentParts, documentOf, queryParameters, type Schema } from '../../http/openapi.ts'
import {
  busy,
  changed,
  forbidden,
  gone,
  invalid,
  notFound,
  overloaded,
  type Problem,
  reused,
  stale,
  unauthenticated,
  uncertain,
} from '../../model/problem.ts'
import { keyHours } from '../../records/idempotency.ts'
import { acceptsIdempotencyKey, type Operation } from '../../routes/route.ts'
import { errorSchema, ref } from '../../routes/schemas.ts'
import { keyCharactersMax, keyHeader, replayedHeader } from './register-routes.ts'

/** The parts of a document of this host in addition to its operations. */
export interface HostDocumentParts extends Pick<DocumentParts, 'title' | 'description' | 'schemas' | 'tags'> {
  readonly errorName: ErrorName
}

/** The released document has `Error`. Generators rename it in languages with a type `Error`. */
type ErrorName = 'Error' | 'ErrorAnswer'

export function openApiOf(
  operations: readonly Operation[],
  { errorName, ...about }: HostDocumentParts,
): Schema {
  const schemas = { ...about.schemas, [errorName]: errorSchema }
  const responses = responsesOf(operations, errorName)
  return documentOf(operations, { ...about, ...securityParts, schemas, responses }, describeOperation)
}

const describeOperation = (operation: Operation) => ({
  parameters: [
    ...queryParameters(operation.parameters),
    ...(operation.isConditional ? conditionalHeaders : []),
    ...(operation.hasRanges ? rangeHeaders : []),
    ...(operation.hasPrecondition ? [ifMatchHeader] : []),
    ...(acceptsIdempotencyKey(operation) ? [idempotencyKeyHeader] : []),
  ],
  ...(operation.body && {
    requestBody: {
      required: true,
      content: { [operation.bodyType ?? 'application/json']: { schema: operation.body } },
    },
  }),
  responses: { ...successResponsesOf(operation), ...errorResponsesOf(operation) },
  ...(operation.isPublic && { security: [] }),
  ...((operation.events ?? operation.isLive) && {
    'x-events': operation.events ?? { listing: { ...listingEvent, data: operation.response } },
  }),
})

const conditionalHeaders = [
  {
    name: 'If-None-Match',
    description: 'The ETag of a response that the client has. If it is still current, the response is 304.',
  },
  {
    name: 'If-Modified-Since',
    description:
      'The Last-Modified of such a response, or a later date that is not in the future. If nothing has changed since, the response is 304. Ignored if If-None-Match is sent.',
  },
].map((header) => ({ in: 'header', ...header, schema: { type: 'string' } }))

const rangeHeaders = [
  {
    name: 'Range',
    description: 'One range of bytes, such as bytes=0-499. The response is 206 with this part.',
  },
  {
    name: 'If-Range',
    description:
      'The ETag of the file of which the client has a part. If the file has changed, the response is the whole file.',
  },
  {
    name: 'If-None-Match',
    description: 'The ETag of a file that the client has. If it is still current, the response is 304.',
  },
].map((header) => ({ in: 'header', ...header, schema: { type: 'string' } }))

const ifMatchHeader = {
  in: 'header',
  name: 'If-Match',
  description:
    'The ETags of the rows, as returned when reading each by its id. Without this header, nothing is compared.',
  schema: { type: 'string' },
}

const idempotencyKeyHeader = {
  in: 'header',
  name: keyHeader,
  description: `A text of your own, such as a UUID, that makes the request safe to repeat: if the same account repeats it within ${keyHours} hours, it gets the first successful response again, and nothing is done twice. A repetition must be the same request, except for the values of passwords.`,
  schema: { type: 'string', minLength: 1, maxLength: keyCharactersMax },
}

const successResponsesOf = (operation: Operation): Readonly<Record<string, Schema>> => {
  const { response, responseTypes = ['application/json'], hasTable, isLive } = operation
  const { isConditional, hasETag, hasRanges } = operation
  return {
    200: {
      // The stream is not a second content type: generators would type the response as either a page or text.
      description: isLive ? liveDescription : 'Success.',
      ...(isConditional && { headers: validatorHeaders }),
      ...((hasETag || hasRanges) && { headers: { ETag: validatorHeaders.ETag } }),
      ...(acceptsIdempotencyKey(operation) && { headers: replayedHeaders }),
      content: {
        ...Object.fromEntries(responseTypes.map((type) => [type, { schema: response }])),
        ...(hasTable && { 'text/csv': { schema: { type: 'string' } } }),
      },
    },
    ...(hasRanges && {
      206: {
        description: 'The part in the range.',
        headers: rangeResponseHeaders,
        content: Object.fromEntries(responseTypes.map((type) => [type, { schema: response }])),
      },
    }),
    ...((isConditional || hasRanges) && { 304: { description: 'The client already has this response.' } }),
  }
}

const rangeResponseHeaders = {
  'Content-Range': {
    description: 'The first and last byte of the part, and the size of the file.',
    schema: { type: 'string' },
  },
}

const liveDescription =
  'Success. With Accept: text/event-stream, the response is a stream instead. Its events of the type listing contain this JSON: the first is sent at once, the others after changes.'

/** Described under `x-events`, because OpenAPI 3.1 cannot describe the events of a stream. */
const listingEvent = {
  description:
    'The JSON of the plain list as it is now. Sent at once, and within a second of each change, at most once a second. Its id continues the list when it is sent as Last-Event-ID: in version 1 a number that counts from 1, in the extensions a text to treat as opaque. A comment every 15 seconds shows that the connection is still open.',
}

const validatorHeaders = {
  ETag: {
    description: 'The tag of this response for this caller, for If-None-Match and If-Match.',
    schema: { type: 'string' },
  },
  'Last-Modified': {
    description: 'Absent while the time of the last change is not certain yet.',
    schema: { type: 'string' },
  },
}

const replayedHeaders = {
  [replayedHeader]: {
    description: 'true if this is the response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
}

/**
 * Every operation is rate-limited, and every body has a maximum size and a type. Public operations list 401,
 * too, although they ignore tokens.
 */
function errorResponsesOf(operation: Operation): Readonly<Record<string, Schema>> {
  const { method, errors, body } = operation
  const keyStatuses = acceptsIdempotencyKey(operation) ? [409, 422] : []
  const statuses = [
    401,
    429,
    431,
    500,
    503,
    ...(method === 'GET' ? [] : [504]),
    ...errors,
    ...(body ? [400, 413, 415] : []),
    ...keyStatuses,
  ]
  return Object.fromEntries(
    [...new Set(statuses)]
      .sort()
      .map((status) => [status, { $ref: `#/components/responses/${responseName(status)}` }]),
  )
}

/** Returns the shared responses to which the operations of the document refer. */
function responsesOf(
  operations: readonly Operation[],
  errorName: ErrorName,
): Readonly<Record<string, Schema>> {
  const usedStatuses = new Set(operations.flatMap((operation) => Object.keys(errorResponsesOf(operation))))
  const statuses = Object.keys(descriptions).filter((status) => usedStatuses.has(status))
  return Object.fromEntries(
    statuses.map((status) => [responseName(status), errorResponse(status, errorName)]),
  )
}

const retryAfter = { description: 'Seconds to wait.', schema: { type: 'integer' } }

const retryableStatuses: ReadonlySet<string> = new Set(['429', '503'])

const responseName = (status: number | string): string => `Refusal${status}`

const errorResponse = (status: string, errorName: ErrorName): Schema => ({
  description: descriptions[status],
  ...(retryableStatuses.has(status) && { headers: { 'Retry-After': retryAfter } }),
  content: { 'application/json': { schema: ref(errorName), example: errorExamples[Number(status)] } },
})

const descriptions: Readonly<Record<string, string>> = {
  400: 'The body or query is invalid, or refers to a missing or removed record.',
  401: 'The access token is missing, invalid or revoked.',
  403: 'The caller is not allowed to do this.',
  404: 'The record does not exist or is not visible to the caller.',
  408: 'The body took too long to arrive.',
  409: 'The id or login is taken, the version is stale, dependents are active, or the rows changed at the same time.',
  410: 'The requested data is no longer kept.',
  412: 'If-Match does not match the current rows.',
  413: 'The body is too large.',
  415: 'The body is not JSON, or not in UTF-8.',
  416: 'The file has no byte in the range.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests, or a locked account.',
  431: 'The address and the headers together are longer than 16 KB.',
  500: 'An unexpected error.',
  503: 'The request was too slow, there were too many at once, or the database is unavailable. Nothing was done; the request can be sent again later.',
  504: 'The database failed before it was known whether the request was done. Check that before sending it again.',
}

const securityParts = {
  security: [{ bearer: [] }],
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
}

/** Examples of errors, created by the same code as the errors themselves. */
const errorExamples: Readonly<Record<number, Envelope>> = {
  ...Object.fromEntries(
    [
      invalid({ name: ['Name is required.'] }),
      unauthenticated(),
      forbidden(),
      notFound('Project'),
      stale('Project'),
      gone('The requested data is no longer kept.'),
      changed('Project'),
      reused(),
      busy(60),
      uncertain(undefined),
      overloaded('Too many of these requests are in progress. Please try again later.', {
        retryAfterSeconds: 5,
      }),
    ].map((problem) => [problemStatuses[problem.kind], envelopeOf(problem)]),
  ),
  413: bodyTooLarge(budgetLimits.restBodyBytes.max),
  ...(frameworkErrors.FST_ERR_CTP_INVALID_MEDIA_TYPE && {
    415: frameworkErrors.FST_ERR_CTP_INVALID_MEDIA_TYPE,
  }),
  ...(frameworkErrors.BODY_TOO_SLOW && { 408: frameworkErrors.BODY_TOO_SLOW }),
  416: { statusCode: 416, message: 'The file has 1024 bytes, and the range has none of them.' },
  431: headersTooLarge,
  500: unexpectedEnvelope,
}

function envelopeOf({ kind, message, errors }: Problem): Envelope {
  return { statusCode: problemStatuses[kind], message, ...(errors && { errors }) }
}
