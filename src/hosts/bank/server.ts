import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Budgets, budgetLimits } from '../../config/budgets.ts'
import { answerBrokenConnection, closeDelayMilliseconds } from '../../http/broken-requests.ts'
import { closeListener, limitConnections, limitConnectionsPerAddress } from '../../http/listen.ts'
import { parseRequestId, requestIdHeader } from '../../http/log.ts'
import { createServer } from '../../http/node-http.ts'
import type { Reply } from './client-handlers.ts'
import { createHeadParser, type FastPath, type FastRoute, installFastPath } from './fast-path.ts'

/** The handlers of one path by method. */
export type Endpoint = Readonly<Partial<Record<string, Handler>>>
export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface BankServer {
  readonly server: Server
  /**
   * Stops accepting connections and finishes requests in progress. With `waitsForIdle`, idle connections stay
   * open for one more request, because closing them could interrupt a request in flight.
   */
  stop(waitsForIdle?: boolean): Promise<void>
}

export interface BankServerOptions {
  readonly budgets: Budgets
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** The requests that the fast path handles, with the same responses. Without any, there is no fast path. */
  readonly fastRoutes?: readonly FastRoute<Reply>[]
  readonly timeouts?: Partial<typeof defaultTimeouts>
}

/** In milliseconds. */
const defaultTimeouts = {
  // A transaction needs less than 300 bytes, and clients send few headers.
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Load balancers close idle connections earlier, so they never use a connection that is closing.
  keepAliveTimeout: 75_000,
  /** Disconnects clients that neither send nor read. */
  inactivityTimeout: 90_000,
  /** Containers are killed after ten seconds. The supervisor waits a little less. */
  drainTimeout: 5000,
}

/** Creates a server that can handle every request, with a fast path in front of it for common requests. */
export function createBankServer(options: BankServerOptions): BankServer {
  const { budgets, endpoints, fastRoutes } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  // Node's own response to a request without Host would bypass the queue.
  const server = createServer({ ...timeouts, requireHostHeader: false })
  const respondInOrder = queuePipelined()
  const state = { closesConnections: false }
  server.timeout = timeouts.inactivityTimeout
  server.on('clientError', answerBrokenConnection)
  // Without a listener, Node closes the connection at once, and earlier requests get no response.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    answerBrokenConnection(new Error('CONNECT is not served.'), socket as Socket)
  })
  // Otherwise Node would respond to an expectation outside of the queue, and later requests would wait
  // forever.
  for (const event of requestEvents) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (state.closesConnections) response.shouldKeepAlive = false
      const id = parseRequestId(request.headers[requestIdHeader])
      if (id !== undefined) response.setHeader(requestIdHeader, id)
      respondInOrder(request.socket, response, () => handleRequest(endpoints, request, response, event))
    })
  }
  const fastPath =
    fastRoutes &&
    installFastPath(server, {
      ...timeouts,
      parseHead: createHeadParser(fastRoutes, budgetLimits.bankBodyBytes.max),
      pipelinedBytesMax: budgetLimits.bankAheadBytes.max,
      pipelinedBytes: budgets.budget('bankAheadBytesOfAll'),
    })
  limitConnections(server, budgets.budget('bankConnections'))
  limitConnectionsPerAddress(server, budgets.budget('bankConnectionsOfAddress'))
  return {
    server,
    async stop(waitsForIdle = false) {
      // The listener closes before any response announces the end of its connection, so that the client
      // cannot reconnect to this process.
      await closeListener(server)
      state.closesConnections = true
      fastPath?.drain()
      await closeServer(server, fastPath, waitsForIdle, timeouts.drainTimeout)
    },
  }
}

async function closeServer(
  server: Server,
  fastPath: FastPath | undefined,
  waitsForIdle: boolean,
  drainTimeout: number,
): Promise<void> {
  const stopWaiting = new AbortController()
  const cut = sleep(drainTimeout, undefined, { signal: stopWaiting.signal }).then(() => {
    fastPath?.closeAll()
    server.closeAllConnections()
  })
  const closed = new Promise((resolve) => {
    // The `close` of the general server would end idle connections as well.
    if (waitsForIdle) NetServer.prototype.close.call(server, resolve)
    else server.close(resolve)
  })
  if (!waitsForIdle) fastPath?.closeIdle()
  await closed
  stopWaiting.abort()
  // The abort rejects the promise of `sleep`, so no connection is cut.
  await cut.catch(() => undefined)
}

/** Node emits one of these events per request. */
const requestEvents = ['request', 'checkContinue', 'checkExpectation'] as const

function handleRequest(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  response: ServerResponse,
  event: (typeof requestEvents)[number],
): void {
  const problem = headerProblemOf(request, response)
  if (problem !== undefined) reject(request, response, 400, plainText, problem)
  else if (event === 'checkExpectation') reject(request, response, 417, plainText, unknownExpectation)
  else {
    if (event === 'checkContinue') response.writeContinue()
    handlePath(endpoints, request, response)
  }
}

function handlePath(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = '', method = '' } = request
  const endpoint = endpoints.get(url) ?? endpoints.get(pathOf(url))
  if (endpoint === undefined) reject(request, response, 404)
  else if (endpoint[method] === undefined) reject(request, response, 405, allowHeaderOf(endpoint))
  else endpoint[method](request, response)
}

const unknownExpectation = 'The only expectation supported is 100-continue.'

/** Returns why the headers must be rejected: https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
function headerProblemOf(request: IncomingMessage, response: ServerResponse): string | undefined {
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    response.shouldKeepAlive = false
    return 'The header Host is required.'
  }
  const repeated = repeatedHeaderOf(request)
  return repeated === undefined ? undefined : `The header ${repeated} must be sent once.`
}

interface PipelineQueue {
  last: ServerResponse
  waiting: number
}

/**
 * Processes pipelined requests of a connection in sequence, because each must see the effects of earlier
 * requests (https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2). Node reads on even if the socket is
 * paused.
 */
function queuePipelined(): (socket: Socket, response: ServerResponse, handle: () => void) => void {
  const queues = new WeakMap<Socket, PipelineQueue>()
  return (socket, response, handle) => {
    // Requests behind the last response of a connection are not executed, because their results could not be
    // delivered.
    const answer = () => {
      if (socket.writable) handle()
    }
    const queue = queues.get(socket) ?? { last: response, waiting: 0 }
    const { last } = queue
    queue.last = response
    // A response is assigned the socket when it is next in line.
    if (response.socket !== null) {
      queues.set(socket, queue)
      answer()
    } else if (++queue.waiting > budgetLimits.bankRequestsAhead.max) {
      socket.destroy()
    } else {
      last.once('finish', () => {
        queue.waiting--
        answer()
      })
    }
  }
}

/** Strips the query, and scheme and host of the absolute form that proxies use. */
function pathOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  return path.replace(/^https?:\/\/[^/]*/i, '')
}

const allowHeaderOf = (endpoint: Endpoint) => ['Allow', Object.keys(endpoint).join(', ')]

/**
 * Sends head and body in one packet. `headers` alternates names and values. Balances change, so responses
 * must not be cached.
 */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: readonly string[],
): void {
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, ['Content-Length', length, 'Cache-Control', 'no-store', ...headers]).end(body)
}

export const json = ['Content-Type', 'application/json; charset=utf-8']
export const plainText = ['Content-Type', 'text/plain; charset=utf-8']

/**
 * Responds before the body has arrived. Closing at once would reset the connection while the response is in
 * transit.
 */
export function reject(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: readonly string[] = [],
  body = '',
): void {
  send(response, status, body, headers)
  if (isBodySmall(request)) return
  const timer = setTimeout(() => request.socket.destroy(), closeDelayMilliseconds)
  request.once('close', () => clearTimeout(timer))
  request.resume()
}

/**
 * Returns the reason to reject a transaction with 415. A page of another site can send a body, but not as
 * JSON. Newer browsers also send the origin.
 */
export function unsupportedReasonOf({ headers }: IncomingMessage): string | undefined {
  if (!jsonType.test(headers['content-type'] ?? '')) return 'The content type must be application/json.'
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return 'The body must not be compressed.'
  const isFromOtherSite = otherSites.has(String(headers['sec-fetch-site'])) || isOtherOrigin(headers)
  return isFromOtherSite ? 'Pages of other sites may not send transactions.' : undefined
}

const jsonType = /^\s*application\/([\w.+-]+\+)?json\s*(;|$)/i

const otherSites: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/** The scheme may differ: a proxy in front may use TLS. */
const isOtherOrigin = ({ origin, host }: IncomingMessage['headers']) =>
  origin !== undefined && origin.replace(/^https?:\/\//, '') !== host

/** If such a header appears twice, this server and a proxy could each use a different value. */
const singleHeaders: ReadonlySet<string> = new Set(['host', 'authorization'])

/** Returns the name of a header that must not be repeated but is. */
export function repeatedHeaderOf({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) return rawHeaders[at]
    seen.add(name)
  }
  return undefined
}

const bodyBytesMax = budgetLimits.bankBodyBytes.max

/**
 * Calls back with the body, or with undefined if it is too long. If the sender disconnects, it does not call
 * back.
 */
export function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  if (Number(request.headers['content-length']) > bodyBytesMax) {
    done(undefined)
    return
  }
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    if (bytes > bodyBytesMax) return
    bytes += chunk.length
    if (bytes > bodyBytesMax) done(undefined)
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const [first] = chunks
    if (bytes <= bodyBytesMax) done(chunks.length === 1 && first ? first : Buffer.concat(chunks))
  })
}

/** Returns whether the body is small enough to drain. */
function isBodySmall({ headers }: IncomingMessage): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined
  return !isChunked && !(Number(headers['content-length']) > bodyBytesMax)
}
