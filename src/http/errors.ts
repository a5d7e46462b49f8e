import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FieldErrors, Problem, type ProblemKind, retryAfterDefaultSeconds } from '../model/problem.ts'
import { securityHeaders } from './cors.ts'
import { logOf } from './log.ts'
import { STATUS_CODES } from './node-http.ts'

/** Catches every error of a hook or handler, once per host, and responds with the envelope. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    // Fastify announces the end of the connection after a rejected body. A client that is still sending would
    // then get a reset instead of the response. A host that stops does end the connection.
    if (app.server.listening) reply.removeHeader('connection')
    const log = logOf(request)
    if (error instanceof Problem) {
      // The store of files counts as well.
      if (error.cause !== undefined)
        log.error(
          { err: error.cause, route: request.routeOptions.url },
          'The store was not available to a request.',
        )
      return sendProblem(reply, error)
    }
    const envelope = frameworkError(error, request)
    if (envelope !== undefined) return sendEnvelope(reply, envelope)
    log.error({ err: error, route: request.routeOptions.url }, 'An unexpected error ended a request.')
    return sendEnvelope(reply, unexpectedEnvelope)
  })
}

export const headersTooLarge: Envelope = { statusCode: 431, message: 'The headers are too large.' }

export const unexpectedEnvelope: Envelope = { statusCode: 500, message: 'An unexpected error occurred.' }

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const statusCode = problemStatuses[problem.kind]
  const { message, errors, retryAfterSeconds } = problem
  if (statusCode === 401 && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', challengeOf(reply.request))
  }
  if (retryAfterSeconds !== undefined || statusCode === 429) {
    reply.header('retry-after', String(retryAfterSeconds ?? retryAfterDefaultSeconds))
  }
  return sendEnvelope(reply, { statusCode, message, errors })
}

/** The response to a request without credentials names no error (RFC 6750, 3.1). */
const challengeOf = ({ headers }: FastifyRequest): string =>
  headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'

export const requestTooSlow: Envelope = {
  statusCode: 408,
  message: 'The request took too long to arrive.',
}

export const frameworkErrors: Readonly<Record<string, Envelope>> = {
  FST_ERR_BAD_URL: { statusCode: 400, message: 'The address is not a valid URL.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    statusCode: 400,
    message: 'The body does not have the announced length.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    statusCode: 415,
    message: 'The content type of the body is not supported.',
  },
  UNSUPPORTED_CHARSET: {
    statusCode: 415,
    message: 'The character set of the body must be UTF-8.',
  },
  BODY_TOO_SLOW: requestTooSlow,
  FST_ERR_MAX_PARAM_LENGTH: { statusCode: 414, message: 'The address is too long.' },
}

/** Maps the errors of Fastify and the body parsers to our messages. Undefined for an unexpected error. */
export function frameworkError(error: unknown, request: FastifyRequest): Envelope | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLargeFor(request)
  const envelope = frameworkErrors[error.code]
  if (envelope !== undefined) return envelope
  // The client disconnected while sending and never reads the response, but the log must not show an error of
  // the server.
  if (error.code === 'ECONNRESET' && request.raw.readableAborted) {
    return { statusCode: 400, message: 'The body ended too early.' }
  }
  const statusCode = 'statusCode' in error ? Number(error.statusCode) : 500
  if (!error.code.startsWith('FST_') || !(statusCode >= 400 && statusCode < 500)) return undefined
  return { statusCode, message: 'The request could not be understood.' }
}

const bodyTooLargeFor = ({ server, routeOptions }: FastifyRequest): Envelope =>
  bodyTooLarge(routeOptions.bodyLimit ?? server.initialConfig.bodyLimit ?? 0)

export function bodyTooLarge(bytesMax: number): Envelope {
  const kibibytes = bytesMax / 1024
  const size = kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
  return { statusCode: 413, message: `The body must not be larger than ${size}.` }
}

/** The body of every error. */
export interface Envelope {
  readonly statusCode: number
  readonly message: string
  readonly errors?: FieldErrors | undefined
}

export const envelopeType = 'application/json; charset=utf-8'

/** `additions` are properties that another standard requires in the same body, such as OAuth's `error`. */
export function sendEnvelope(
  reply: FastifyReply,
  envelope: Envelope,
  additions?: Readonly<Record<string, string>>,
): FastifyReply {
  // Headers that a handler set for a successful response do not describe the error.
  reply.removeHeader('etag').removeHeader('last-modified')
  return reply
    .code(envelope.statusCode)
    .header('cache-control', 'no-store')
    .type(envelopeType)
    .send(serializeEnvelope(envelope, additions))
}

function serializeEnvelope(
  { statusCode, message, errors }: Envelope,
  additions?: Readonly<Record<string, string>>,
): string {
  return JSON.stringify({ statusCode, message, errors, ...additions })
}

/** The envelope with its headers, for responses without a Fastify reply. */
export function rawEnvelope(envelope: Envelope) {
  const body = serializeEnvelope(envelope)
  const headers = {
    ...securityHeaders,
    'x-request-id': randomUUID(),
    'cache-control': 'no-store',
    'content-type': envelopeType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  return { headers, body }
}

/** The whole response as text, for a connection on which no request could be parsed. */
export function rawHttpResponse(envelope: Envelope): string {
  const { headers, body } = rawEnvelope(envelope)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${envelope.statusCode} ${STATUS_CODES[envelope.statusCode]}\r\n${lines.join('')}\r\n${body}`
}

/** The status of each kind of problem. A kind without a status does not compile. */
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
