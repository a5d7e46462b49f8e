import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { styleText } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { budgetLimits } from '../config/budgets.ts'
import { type Budget, createRate, type LogWriter, limitLogLines } from '../model/budget.ts'
import { pathOf } from './url.ts'

export interface Log extends Logger {
  /** Any client can cause the lines of requests without an accepted token, so these lines are limited. */
  readonly rateLimited: LogWriter
}

declare module 'fastify' {
  interface FastifyRequest {
    /** True once the token of the request was accepted. */
    isAuthenticated: boolean
    /** The account of the accepted token. */
    accountId: string | undefined
  }
}

export interface LogOptions {
  /** The default is `warn` in a terminal and `info` elsewhere. */
  readonly level: string | undefined
  /** The host, or another part of the program, that writes the lines: `rest`, `store`, `cli`. */
  readonly host?: string
  /** The default is standard output. */
  readonly destination?: DestinationStream
  /** True if a person reads the log. Programs get JSON. */
  readonly isTerminal?: boolean
  /** The `unauthenticatedLines` budget of the process. By default, the log has a budget of its own. */
  readonly lineBudget?: Budget
}

export function createLog({
  level,
  host,
  destination,
  isTerminal = destination === undefined && process.stdout.isTTY,
  lineBudget = createRate(budgetLimits.unauthenticatedLines),
}: LogOptions): Log {
  const options = {
    level: level ?? (isTerminal ? 'warn' : 'info'),
    base: host === undefined ? {} : { host },
  }
  const target = isTerminal ? readableLog((text) => (destination ?? process.stdout).write(text)) : destination
  const log = target === undefined ? pino(options) : pino(options, target)
  // The loggers of requests inherit this property, so all requests of a host share the budget.
  return Object.assign(log, { rateLimited: limitLogLines(log, lineBudget) })
}

/** Returns the logger for a request. Its lines are limited until the token was accepted. */
export function logOf(request: FastifyRequest): LogWriter {
  const { rateLimited } = request.log as Partial<Log>
  if (request.isAuthenticated || rateLimited === undefined) return request.log
  const withRequestId = (details: object) => ({ reqId: request.id, ...details })
  return {
    debug: (details, message) => rateLimited.debug(withRequestId(details), message),
    info: (details, message) => rateLimited.info(withRequestId(details), message),
    warn: (details, message) => rateLimited.warn(withRequestId(details), message),
    error: (details, message) => rateLimited.error(withRequestId(details), message),
  }
}

// Probes and scrapers call these routes every few seconds, so their successes are logged at the level
// `debug`.
const quietRoutes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

const requestEnded = 'A request has ended.'

/** All paths of the hosts are shorter. */
const loggedPathLengthMax = 256
/** A proxy may forward a text of any length. */
const loggedAddressLengthMax = 64

/** Writes one line per request. The line never contains headers, query values or bodies. */
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
      address: request.ip.slice(0, loggedAddressLengthMax),
      account: request.accountId,
      ...(reply.raw.writableFinished ? undefined : { aborted: true }),
    }
    const isQuiet = quietRoutes.has(request.routeOptions?.url ?? '') && status < 400
    const lines = logOf(request)
    if (isQuiet) lines.debug(line, requestEnded)
    else lines.info(line, requestEnded)
  })
}

/** Proxies and tracing tools use this form. Other characters could forge entries in a log. */
const requestIdPattern = /^[\w.:-]{1,128}$/

export const requestIdHeader = 'x-request-id'

/** Returns the request id of a proxy, so that both logs can be correlated, or a new id. */
export const requestIdOf = ({ headers }: IncomingMessage): string =>
  parseRequestId(headers[requestIdHeader]) ?? randomUUID()

/** Returns the request id from the metadata of a gRPC call, or a new id. */
export const requestIdFrom = (value: unknown): string => parseRequestId(value) ?? randomUUID()

/** Returns undefined if the value is not a valid request id. */
export const parseRequestId = (value: unknown): string | undefined =>
  typeof value === 'string' && requestIdPattern.test(value) ? value : undefined

/** Rewrites each JSON line of the log for reading in a terminal. */
const readableLog = (write: (text: string) => unknown): DestinationStream => ({
  write: (line) => void write(readableLine(JSON.parse(line))),
})

interface LogLine {
  readonly level: number
  readonly time: number
  readonly host?: string
  readonly msg?: string
  readonly err?: { readonly stack?: string }
  readonly [name: string]: unknown
}

const colors = { warn: 'yellow', error: 'red', fatal: 'red' } as const

/**
 * Returns a line such as `14:03:05 warn   rest      A webhook is paused.  webhook="…"`, followed by the stack
 * of an error.
 */
function readableLine({ level, time, host = '', msg = '', err, ...values }: LogLine): string {
  const label = pino.levels.labels[level] ?? String(level)
  const color = colors[label as keyof typeof colors] ?? 'dim'
  const clock = new Date(time).toTimeString().slice(0, 8)
  const pairs = Object.entries(values).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const start = `${clock} ${styleText(color, label.padEnd(6))} ${host.padEnd(9)}`
  const stack = err === undefined ? '' : `\n${err.stack ?? JSON.stringify(err)}`.replaceAll('\n', '\n    ')
  return `${start}${escapeControls(` ${msg} ${pairs.join('')}`.trimEnd() + stack)}\n`
}

/**
 * Escapes all control characters except line breaks. Clients choose some values, and a terminal would
 * interpret control characters in them.
 */
export const escapeControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced.
  text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, escapeCharacter)

/** `JSON.stringify` does not escape characters from 0x7f on. */
const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
