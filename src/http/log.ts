import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { budgetLimits } from '../configuration/budgets.ts'
import { type Budget, createRate } from '../model/budget.ts'
import { type Lines, limitLines } from '../model/limit-lines.ts'
import { pathOf } from './path.ts'
import { readableLog } from './readable-log.ts'

export interface Log extends Logger {
  /** For lines that no accepted token stands behind: a stranger may write only so many. */
  readonly ofStrangers: Lines
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its token was accepted. */
    isAuthenticated: boolean
  }
}

export interface LogOptions {
  /** Undefined where `LOG_LEVEL` is not set: everything from `info` on, and in a terminal only warnings and errors. */
  readonly level: string | undefined
  /** Which host writes, where several share one process. */
  readonly host?: string
  /** Standard output unless given. */
  readonly destination?: DestinationStream
  /** Whether a person reads along; programs get JSON. */
  readonly isTerminal?: boolean
  /** `unauthenticatedLines` of the process, where it shall be seen. */
  readonly ofStrangers?: Budget
}

export function createLog({
  level,
  host,
  destination,
  isTerminal = destination === undefined && process.stdout.isTTY,
  ofStrangers = createRate(budgetLimits.unauthenticatedLines),
}: LogOptions): Log {
  const options = {
    level: level ?? (isTerminal ? 'warn' : 'info'),
    base: host === undefined ? {} : { host },
  }
  const readable = () => readableLog((text) => (destination ?? process.stdout).write(text))
  const into = isTerminal ? readable() : destination
  const log = into === undefined ? pino(options) : pino(options, into)
  // The logs of requests inherit it, so that all of a host share its budget.
  return Object.assign(log, { ofStrangers: limitLines(log, ofStrangers) })
}

/** The lines of a request, which are limited until its token was accepted. */
export function linesOf(request: FastifyRequest): Lines {
  const { ofStrangers } = request.log as Partial<Log>
  if (request.isAuthenticated || ofStrangers === undefined) return request.log
  const named = (details: object) => ({ reqId: request.id, ...details })
  return {
    debug: (details, message) => ofStrangers.debug(named(details), message),
    info: (details, message) => ofStrangers.info(named(details), message),
    warn: (details, message) => ofStrangers.warn(named(details), message),
    error: (details, message) => ofStrangers.error(named(details), message),
  }
}

/** One line per request, also for those whose client left; never headers, query values or bodies. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    logRequest(request, reply)
    done()
  })
}

// Health checks come every few seconds for ever, and say nothing as long as they succeed.
const quietRoutes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

const requestEnded = 'A request has ended.'

// Long enough for every path of ours; a longer one need not be kept in full.
const loggedPathLengthMax = 256

export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now()
  reply.raw.once('close', () => {
    const path = pathOf(request.url).slice(0, loggedPathLengthMax)
    const status = reply.raw.statusCode
    const line = {
      method: request.method,
      path,
      status,
      milliseconds: Math.round((performance.now() - startedAt) * 100) / 100,
      ...(reply.raw.writableFinished ? undefined : { aborted: true }),
    }
    const isQuiet = quietRoutes.has(request.routeOptions?.url ?? '') && status < 400
    const lines = linesOf(request)
    if (isQuiet) lines.debug(line, requestEnded)
    else lines.info(line, requestEnded)
  })
}

// What proxies and tracing tools send; anything else could forge log entries elsewhere.
const requestId = /^[\w.:-]{1,128}$/

export const requestIdHeader = 'x-request-id'

/** The id a proxy gave the request, so that its log and ours can be read together. */
export const requestIdOf = ({ headers }: IncomingMessage): string => requestIdFrom(headers[requestIdHeader])

export const requestIdFrom = (given: unknown): string => givenRequestId(given) ?? randomUUID()

/** For hosts that make none themselves. */
export const givenRequestId = (given: unknown): string | undefined =>
  typeof given === 'string' && requestId.test(given) ? given : undefined

/** Early, so that every refusal carries it too. */
export function showRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id)
    done()
  })
}
