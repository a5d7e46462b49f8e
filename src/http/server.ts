import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { Bindings } from 'pino'
import { type Budgets, budgetLimits, openBudgets } from '../configuration/budgets.ts'
import { answerErrors, frameworkRefusal } from './answer-errors.ts'
import { acceptBodies, type BodyKind } from './body.ts'
import { answerBrokenConnection, answerBrokenRequests } from './broken-requests.ts'
import { allowOrigins, type CorsOptions } from './cors.ts'
import { countConnections, limitAddresses } from './count-connections.ts'
import { sendEnvelope } from './envelope.ts'
import { type Log, logRequest, logRequests, requestIdHeader, requestIdOf, showRequestIds } from './log.ts'
import { parseQuery } from './query.ts'
import { limitRate, type RateLimitOptions } from './rate-limit.ts'
import { addSecurityHeaders, securityHeaders } from './security-headers.ts'
import { answerUnknownRoutes } from './unknown-route.ts'

export interface ServerOptions {
  /** Nothing is logged without one. */
  readonly log?: Log
  /** How many proxies in front of this host are ours; 0 takes the address of the connection. */
  readonly trustedHops?: number
  readonly bodies?: readonly BodyKind[]
  /** As much as REST takes unless given. */
  readonly bodyBytesMax?: number
  readonly cors?: CorsOptions
  readonly rateLimit?: RateLimitOptions
  readonly timeouts?: Partial<Timeouts>
  /** Those of the process, where they shall be seen. */
  readonly budgets?: Budgets
}

/** The one place where Fastify is configured; hosts add their routes to what it returns. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = fastify({
    ...connectionOptions({ ...timeouts, ...options.timeouts }),
    ...logOptions(options.log),
    bodyLimit: options.bodyBytesMax ?? budgetLimits.restBodyBytes.max,
    routerOptions: { querystringParser: parseQuery, caseSensitive: false, ignoreTrailingSlash: true },
    trustProxy: trustedProxies(options.trustedHops ?? 0),
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerBrokenConnection,
    // A request that still reaches a closing host is answered, and the answer says that the connection ends.
    return503OnClosing: false,
  })
  const budgets = options.budgets ?? openBudgets()
  countConnections(app.server, budgets.budget('httpConnections'))
  // A proxy is one address for all of its clients.
  if (!options.trustedHops) limitAddresses(app.server, budgets.budget('httpConnectionsOfAddress'))
  app.decorateRequest('isAuthenticated', false)
  acceptBodies(app, options.bodies ?? ['json'])
  showRequestIds(app)
  if (options.log !== undefined) logRequests(app)
  addSecurityHeaders(app)
  // Before the limiter, because a browser can read a refusal only with these headers on it.
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

/** Where the largest body is a form, a sender gets less time. */
export const smallBodies = (bodyBytesMax: number) => ({
  bodyBytesMax,
  timeouts: { headersMilliseconds: 10_000, requestMilliseconds: 15_000 },
})

const timeouts: Timeouts = {
  // Headers are one packet or two; a sender this slow is holding the connection open.
  headersMilliseconds: 15_000,
  // The largest body over a slow mobile link takes half of it.
  requestMilliseconds: 60_000,
  // Longer than the 60 s after which common proxies drop an idle connection, so that they never meet a closed one.
  keepAliveMilliseconds: 75_000,
  // Nothing read or written: twice the longest legal silence, a minute in the limiter's queue.
  stalledMilliseconds: 120_000,
  // How late a slow sender may be noticed.
  checkEveryMilliseconds: 5000,
}

function connectionOptions(timeouts: Timeouts) {
  return {
    requestTimeout: timeouts.requestMilliseconds,
    keepAliveTimeout: timeouts.keepAliveMilliseconds,
    connectionTimeout: timeouts.stalledMilliseconds,
    http: {
      headersTimeout: timeouts.headersMilliseconds,
      requestTimeout: timeouts.requestMilliseconds,
      connectionsCheckingInterval: timeouts.checkEveryMilliseconds,
      // Node's own answer would have no body; ours follows in answerBrokenRequests.
      requireHostHeader: false,
    },
  }
}

function logOptions(log: Log | undefined) {
  return {
    ...(log === undefined ? { logger: false } : { loggerInstance: log as FastifyBaseLogger }),
    logController: new LogController({ disableRequestLogging: true }),
    // Without the options that no route of ours has: given any, even none, the log looks through all of them for each request.
    childLoggerFactory: (logger: FastifyBaseLogger, bindings: Bindings) => logger.child(bindings),
    genReqId: requestIdOf,
  }
}

/** No route has a schema of the framework's, and its compilers are a twentieth of the time until the hosts are ready. */
function noSchemas(): never {
  throw new Error('Bodies and queries are read by the declarations, not by a schema of the framework.')
}

/** A number would trust nothing in Fastify 5, and `true` the value a client can forge. */
function trustedProxies(hops: number): false | ((address: string, hop: number) => boolean) {
  return hops === 0 ? false : (_address, hop) => hop < hops
}

/** No hook runs for an address that cannot be decoded. */
function answerBadAddress(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  logRequest(request, reply)
  reply.headers(securityHeaders).header(requestIdHeader, request.id)
  sendEnvelope(
    reply,
    frameworkRefusal(error, request) ?? { statusCode: 400, message: 'The request could not be understood.' },
  )
}
