import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Budgets, budgetLimits } from '../../config/budgets.ts'
import { answerBrokenConnection } from '../../http/broken-requests.ts'
import { limitConnections, limitConnectionsPerAddress } from '../../http/limit-connections.ts'
import { closeListener } from '../../http/listen.ts'
import { parseRequestId, requestIdHeader } from '../../http/log.ts'
import { createServer } from '../../http/node-http.ts'
import type { Reply } from './client-handlers.ts'
import { type FastPath, installFastPath } from './fast-path.ts'
import { createHeadParser, type FastRoute } from './parse-head.ts'
import { plainText, reject, repeatedHeaderOf } from './respond.ts'

/** The handlers of one path by method. */
export type Endpoint = Readonly<Partial<Record<string, Handler>>>
export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface BankServer {
  readonly server: Server
  /**
   * Accepts no new connections and finishes requests in progress within the limit. With `waitsForIdle`, idle connections stay
   * open for one more request each, because closing them could race with a request in flight.
   */
  stop(waitsForIdle?: boolean): Promise<void>
}

export interface BankServerOptions {
  readonly budgets: Budgets
  /** All endpoints by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** The requests that the fast path handles, with the same responses. Without any, there is no fast path. */
  readonly fastRoutes?: readonly FastRoute<Reply>[]
  readonly timeouts?: Partial<typeof defaultTimeouts>
}

/** In milliseconds. */
const defaultTimeouts = {
  // The longest legal body is 300 bytes, and clients send few headers.
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Longer than a load balancer keeps its connections, so that it never sends into one that is closing.
  keepAliveTimeout: 75_000,
  /** Ends clients that neither send nor read; every response is ready long before. */
  inactivityTimeout: 90_000,
  /** Containers are killed after ten seconds; the supervisor waits a little less. */
  drainTimeout: 5000,
}

/** Creates a general server, which can handle every request, and in front of it a fast path for the common ones. */
export function createBankServer(options: BankServerOptions): BankServer {
  const { budgets, endpoints, fastRoutes } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  // Node's own response to a request without Host would bypass the queue.
  const server = createServer({ ...timeouts, requireHostHeader: false })
  const respondInTurn = queuePipelined()
  const state = { closesConnections: false }
  server.timeout = timeouts.inactivityTimeout
  server.on('clientError', answerBrokenConnection)
  // Without a listener Node cuts the connection at once, including earlier requests without a response yet.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    answerBrokenConnection(new Error('CONNECT is not served.'), socket as Socket)
  })
  // Node's own responses to an expectation would bypass the queue, and the requests behind them would wait
  // forever.
  for (const event of requestEvents) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (state.closesConnections) response.shouldKeepAlive = false
      const id = parseRequestId(request.headers[requestIdHeader])
      if (id !== undefined) response.setHeader(requestIdHeader, id)
      respondInTurn(request.socket, response, () => handleRequest(endpoints, request, response, event))
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
      // The listener closes before any response announces the end of its connection: the sender would
      // reconnect to this process.
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
  const ended = new AbortController()
  const cut = sleep(drainTimeout, undefined, { signal: ended.signal }).then(() => {
    fastPath?.closeAll()
    server.closeAllConnections()
  })
  const closed = new Promise((resolve) => {
    // The general server's own close would end idle connections too.
    if (waitsForIdle) NetServer.prototype.close.call(server, resolve)
    else server.close(resolve)
  })
  if (!waitsForIdle) fastPath?.closeIdle()
  await closed
  ended.abort()
  await cut.catch(() => undefined)
}

/** Node emits one of these events per request, depending on its Expect header. */
const requestEvents = ['request', 'checkContinue', 'checkExpectation'] as const

function handleRequest(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  response: ServerResponse,
  event: (typeof requestEvents)[number],
): void {
  const problem = hostProblemOf(request, response)
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
function hostProblemOf(request: IncomingMessage, response: ServerResponse): string | undefined {
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
 * Processes pipelined requests of one connection in sequence, so that each sees the effects of the ones before:
 * https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2. Node would keep reading even from a paused socket.
 */
function queuePipelined(): (socket: Socket, response: ServerResponse, handleIfOpen: () => void) => void {
  const queues = new WeakMap<Socket, PipelineQueue>()
  return (socket, response, handle) => {
    // Requests behind the last response of a connection are not executed, because their results could not be delivered.
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
