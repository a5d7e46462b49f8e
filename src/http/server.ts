import { isUtf8 } from 'node:buffer'
import {
  errorCodes,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  fastify,
  type HTTPMethods,
  LogController,
} from 'fastify'
import type { Bindings } from 'pino'
import secureJson from 'secure-json-parse'
import { type Budgets, budgetLimits, openBudgets } from '../config/budgets.ts'
import type { RequestOrigin } from '../model/caller.ts'
import { busy, invalid } from '../model/problem.ts'
import { addressKey, requestOriginOf } from './addresses.ts'
import { answerBrokenConnection, answerBrokenRequests, limitUnreadBodies } from './broken-requests.ts'
import { allowOrigins, type CorsOptions, securityHeaders } from './cors.ts'
import { answerErrors, type Envelope, frameworkError, sendEnvelope } from './errors.ts'
import { limitConnections, limitConnectionsPerAddress, limitPipelining } from './listen.ts'
import { type Log, logRequest, requestIdHeader, requestIdOf } from './log.ts'
import { createServer as createHttpServer } from './node-http.ts'
import { createRateLimiter, type RateLimits } from './rate-limiter.ts'
import { parseQuery, pathOf, rejectTooManyKeys } from './url.ts'

export interface ServerOptions {
  /** By default, nothing is logged. */
  readonly log?: Log
  /** The number of trusted proxies in front of the host. */
  readonly trustedHops?: number
  readonly bodies?: readonly BodyKind[]
  /** The default is the limit of the REST host. */
  readonly bodyBytesMax?: number
  readonly cors?: CorsOptions
  readonly rateLimit?: RateLimitOptions
  readonly timeouts?: Partial<Timeouts>
  /** The budgets of the process. By default, the server has budgets of its own. */
  readonly budgets?: Budgets
}

/** Configures Fastify for all hosts. Each host adds its routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const budgets = options.budgets ?? openBudgets()
  const app = fastify({
    serverFactory: createServerFactory({ ...timeouts, ...options.timeouts }, budgets),
    ...logOptions(options.log),
    bodyLimit: options.bodyBytesMax ?? budgetLimits.restBodyBytes.max,
    routerOptions: { querystringParser: parseQuery, caseSensitive: false, ignoreTrailingSlash: true },
    trustProxy: trustedProxies(options.trustedHops ?? 0),
    schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerBrokenConnection,
    // A host that is closing still answers requests, and announces the end of the connection in the response.
    return503OnClosing: false,
  })
  limitConnections(app.server, budgets.budget('httpConnections'))
  // All clients of a proxy share its address.
  if (!options.trustedHops) limitConnectionsPerAddress(app.server, budgets.budget('httpConnectionsOfAddress'))
  app.decorateRequest('isAuthenticated', false)
  app.decorateRequest('accountId', undefined)
  acceptBodies(app, options.bodies ?? ['json'])
  beginRequests(app)
  limitUnreadBodies(app, budgets)
  // A browser can read an error of the limiter only with these headers.
  if (options.cors !== undefined) allowOrigins(app, options.cors)
  if (options.rateLimit !== undefined) limitRate(app, options.rateLimit)
  answerBrokenRequests(app)
  answerErrors(app)
  answerUnknownRoutes(app)
  return app
}

export interface Timeouts {
  readonly headersMilliseconds: number
  readonly requestMilliseconds: number
  readonly keepAliveMilliseconds: number
  readonly stalledMilliseconds: number
  readonly checkEveryMilliseconds: number
}

/** Limits for hosts whose largest body is a form. */
export const smallBodyLimits = (bodyBytesMax: number) => ({
  bodyBytesMax,
  timeouts: { headersMilliseconds: 10_000, requestMilliseconds: 15_000 },
})

const timeouts: Timeouts = {
  // A slower sender is probably only holding the connection open.
  headersMilliseconds: 15_000,
  // The largest body takes half of this time over a slow mobile connection.
  requestMilliseconds: 60_000,
  // Common proxies drop an idle connection after 60 seconds. They must never use a closed connection.
  keepAliveMilliseconds: 75_000,
  // Closes connections that neither send nor receive. A request may wait for the rate limiter for up to a
  // minute.
  stalledMilliseconds: 120_000,
  // A slow sender is noticed within this time.
  checkEveryMilliseconds: 5000,
}

const createServerFactory =
  (timeouts: Timeouts, budgets: Budgets): FastifyServerFactory =>
  (serve) => {
    const connection = {
      headersTimeout: timeouts.headersMilliseconds,
      requestTimeout: timeouts.requestMilliseconds,
      keepAliveTimeout: timeouts.keepAliveMilliseconds,
      connectionsCheckingInterval: timeouts.checkEveryMilliseconds,
      // The response of Node would have no body. `answerBrokenRequests` sends a complete response.
      requireHostHeader: false,
    }
    const server = createHttpServer(connection, limitPipelining(serve, budgets.budget('pipelinedRequests')))
    return server.setTimeout(timeouts.stalledMilliseconds)
  }

function logOptions(log: Log | undefined) {
  return {
    ...(log === undefined ? { logger: false } : { loggerInstance: log as FastifyBaseLogger }),
    logController: new LogController({ disableRequestLogging: true }),
    // pino checks its options for each request, even if they are empty, so none are passed.
    childLoggerFactory: (logger: FastifyBaseLogger, bindings: Bindings) => logger.child(bindings),
    genReqId: requestIdOf,
  }
}

/** No route uses the schemas of Fastify. Their compilers take a twentieth of the time to start the hosts. */
function rejectSchema(): never {
  throw new Error('Bodies and queries are read by the declarations, not by a schema of the framework.')
}

/**
 * With a number, Fastify 5 would trust no proxy. With `true`, it would trust addresses that clients can
 * forge.
 */
function trustedProxies(hops: number): false | ((address: string, hop: number) => boolean) {
  return hops === 0 ? false : (_address, hop) => hop < hops
}

/** This hook comes first, so that errors of all later hooks have these headers and are logged. */
function beginRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header(requestIdHeader, request.id)
    logRequest(request, reply)
    done()
  })
}

/** No hook runs for an address that cannot be decoded. */
function answerBadAddress(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  logRequest(request, reply)
  reply.headers(securityHeaders).header(requestIdHeader, request.id)
  sendEnvelope(
    reply,
    frameworkError(error, request) ?? { statusCode: 400, message: 'The request could not be understood.' },
  )
}

type BodyKind = 'json' | 'form'

/** A missing body is read as `{}`, so every required field is reported under its own key. */
function acceptBodies(app: FastifyInstance, kinds: readonly BodyKind[]): void {
  app.removeAllContentTypeParsers()
  for (const kind of kinds) {
    const { type, parse } = bodyKinds[kind]
    app.addContentTypeParser(type, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
      // The body of an unknown route is not checked.
      request.is404 ? {} : parse(decodeBody(request, bytes)),
    )
  }
  app.addContentTypeParser('*', readEmpty)
  app.addHook('preValidation', (request, _reply, done) => {
    request.body ??= {}
    done()
  })
}

/** Rejects other character sets, because the text would be stored corrupted. */
function decodeBody({ headers }: FastifyRequest, bytes: Buffer): string {
  const charsets = [...(headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)]
  if (bytes.length > 0 && !charsets.every(([, name = '']) => /^utf-?8$/i.test(name)))
    throw new UnsupportedCharsetError()
  if (!isUtf8(bytes)) throw notUtf8()
  return bytes.toString()
}

/** `frameworkErrors` contains the response to this error. */
class UnsupportedCharsetError extends Error {
  readonly code = 'UNSUPPORTED_CHARSET'
}

const notUtf8 = () => invalid({ generalErrors: ['The body is not valid UTF-8.'] })

const bodyKinds = {
  json: { type: 'application/json', parse: parseJsonObject },
  form: { type: 'application/x-www-form-urlencoded', parse: parseForm },
} as const

const jsonOptions = { protoAction: 'remove', constructorAction: 'remove' } as const

function parseJsonObject(text: string): object {
  if (text === '' || text === byteOrderMark) return {}
  let value: unknown
  try {
    value = secureJson.parse(text, jsonOptions)
  } catch {
    throw invalid({ generalErrors: ['The body is not valid JSON.'] })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid({ generalErrors: ['The body must be a JSON object.'] })
}

const byteOrderMark = '\uFEFF'

function parseForm(text: string): object {
  if (!hasUtf8Escapes(text)) throw notUtf8()
  const form = parseQuery(text)
  rejectTooManyKeys(form)
  return form
}

/** Returns whether escaped bytes such as `%C3%BC` are valid UTF-8. Escapes below %80 are ASCII. */
function hasUtf8Escapes(text: string): boolean {
  for (const [escapes] of text.matchAll(/(?:%[89a-f][0-9a-f])+/gi))
    if (!isUtf8(Buffer.from(escapes.replaceAll('%', ''), 'hex'))) return false
  return true
}

/** Accepts an unsupported type if the body is empty. */
async function readEmpty(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<object> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const isEmpty = encoding === undefined && (length === undefined || length === '0')
  if (request.is404 || isEmpty || (await isEmptyStream(payload))) return {}
  throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE()
}

/** Resolves at the first byte, so that an unwanted body is not read. */
function isEmptyStream(payload: NodeJS.ReadableStream): Promise<boolean> {
  return new Promise((resolve, reject) => {
    payload.once('data', () => resolve(false))
    payload.once('end', () => resolve(true))
    payload.once('error', reject)
  })
}

/** Responds 404 to an unknown path, 405 to an unsupported method, and 204 with Allow to OPTIONS. */
function answerUnknownRoutes(app: FastifyInstance): void {
  // Otherwise Fastify would respond with 400 to a QUERY without a content type.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const allowed = routedMethods.filter((method) => app.findRoute({ method, url: path }) !== null)
    if (allowed.length === 0) return sendEnvelope(reply, notFoundEnvelope)
    reply.header('allow', [...allowed, 'OPTIONS'].join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    return sendEnvelope(reply, { statusCode: 405, message: `${request.method} is not supported here.` })
  })
}

export const notFoundEnvelope: Envelope = { statusCode: 404, message: 'There is nothing at this address.' }

// The CORS plugin registers OPTIONS for every path.
const routedMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

interface RateLimitOptions extends RateLimits {
  /** Called for each rejected request. */
  readonly onRejected?: (origin: RequestOrigin) => void
  /** Routes of static content are not counted. */
  readonly uncountedRoutes?: readonly string[]
}

/** Counts requests per client address, lets some wait, and rejects the others with 429. */
function limitRate(app: FastifyInstance, options: RateLimitOptions): void {
  if (options.permitLimit === 0) return
  const limiter = createRateLimiter(options)
  // One path has many spellings, so routes are compared.
  const uncounted = new Set(['/healthz', '/readyz', ...(options.uncountedRoutes ?? [])])
  app.addHook('preClose', (done) => {
    limiter.close()
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (uncounted.has(request.routeOptions.url ?? '')) return done()
    const reject = (retryAfterSeconds: number) => {
      options.onRejected?.(requestOriginOf(request))
      done(busy(retryAfterSeconds))
    }
    const admission = limiter.acquire(
      addressKey(request.ip),
      () => {
        reply.raw.off('close', cancel)
        done()
      },
      (retryAfterSeconds) => {
        reply.raw.off('close', cancel)
        reject(retryAfterSeconds)
      },
    )
    const cancel = () => {
      if (admission.kind === 'waiting') admission.cancel()
    }
    if (admission.kind === 'admitted') return done()
    if (admission.kind === 'rejected') return reject(admission.retryAfterSeconds)
    reply.raw.once('close', cancel)
  })
}

/**
 * Calls back when the response was sent or the client has disconnected, even if that has already happened.
 */
export function onceClosed({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) callback()
  else raw.once('close', callback)
}
