import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Budgets, budgetLimits } from '../../config/budgets.ts'
import { answerBrokenConnection } from '../../http/broken-requests.ts'
import { countConnections, limitAddresses } from '../../http/limit-connections.ts'
import { closeListener } from '../../http/listen.ts'
import { givenRequestId, requestIdHeader } from '../../http/log.ts'
import { createServer } from '../../http/node-http.ts'
import type { Reply } from './answers.ts'
import { type KnownLine, knownHeads } from './known-heads.ts'
import { doubleHeaderOf, plainText, reject } from './respond.ts'
import { installBefore, type SmallServer } from './small-server.ts'

/** The handlers of one path by method. */
export type Endpoint = Readonly<Partial<Record<string, Answer>>>
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface BankServer {
  readonly server: Server
  /**
   * Accepts no new connections and finishes requests in progress within the limit. A patient server also
   * handles the next request of each kept-alive connection, as its last one: closing it could race with a
   * request in flight.
   */
  stop(isPatient?: boolean): Promise<void>
}

export interface BankServerOptions {
  readonly budgets: Budgets
  /** All endpoints by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /**
   * The lines that the small server handles, with the same responses. Without any, there is no small server.
   */
  readonly lines?: readonly KnownLine<Reply>[]
  readonly patience?: Partial<typeof patient>
}

/** In milliseconds. */
const patient = {
  // The longest legal body is 300 bytes, and clients send few headers.
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Longer than a load balancer keeps its connections, so that it never sends into one that is closing.
  keepAliveTimeout: 75_000,
  /** Ends clients that neither send nor read; every response is ready long before. */
  silentTimeout: 90_000,
  /** Containers are killed after ten seconds; the supervisor waits a little less. */
  drainTimeout: 5000,
}

/**
 * Creates a general server, which handles every request, and in front of it a small one for requests known
 * byte for byte.
 */
export function createBankServer(options: BankServerOptions): BankServer {
  const { budgets, endpoints, lines } = options
  const patience = { ...patient, ...options.patience }
  // Node's own response to a request without Host would bypass the queue.
  const server = createServer({ ...patience, requireHostHeader: false })
  const inTurn = takeTurns()
  const state = { isLastAnswer: false }
  server.timeout = patience.silentTimeout
  server.on('clientError', answerBrokenConnection)
  // Without a listener Node cuts the connection at once, including earlier requests without a response yet.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    answerBrokenConnection(new Error('CONNECT is not served.'), socket as Socket)
  })
  // Node's own responses to an expectation would bypass the queue, and the requests behind them would wait
  // forever.
  for (const arrival of arrivals) {
    server.on(arrival, (request: IncomingMessage, response: ServerResponse) => {
      if (state.isLastAnswer) response.shouldKeepAlive = false
      const id = givenRequestId(request.headers[requestIdHeader])
      if (id !== undefined) response.setHeader(requestIdHeader, id)
      inTurn(request.socket, response, () => answer(endpoints, request, response, arrival))
    })
  }
  const small =
    lines &&
    installBefore(server, {
      ...patience,
      readHead: knownHeads(lines, budgetLimits.bankBodyBytes.max),
      aheadBytesMax: budgetLimits.bankAheadBytes.max,
      aheadBytes: budgets.budget('bankAheadBytesOfAll'),
    })
  countConnections(server, budgets.budget('bankConnections'))
  limitAddresses(server, budgets.budget('bankConnectionsOfAddress'))
  return {
    server,
    async stop(isPatient = false) {
      // The listener closes before any response announces the end of its connection: the sender would
      // reconnect to this process.
      await closeListener(server)
      state.isLastAnswer = true
      small?.drain()
      await closeServer(server, small, isPatient, patience.drainTimeout)
    },
  }
}

async function closeServer(
  server: Server,
  small: SmallServer | undefined,
  isPatient: boolean,
  drainTimeout: number,
): Promise<void> {
  const ended = new AbortController()
  const cut = sleep(drainTimeout, undefined, { signal: ended.signal }).then(() => {
    small?.closeAll()
    server.closeAllConnections()
  })
  const closed = new Promise((resolve) => {
    // The general server's own close would end idle connections too.
    if (isPatient) NetServer.prototype.close.call(server, resolve)
    else server.close(resolve)
  })
  if (!isPatient) small?.closeIdle()
  await closed
  ended.abort()
  await cut.catch(() => undefined)
}

/** Node emits one of these events per request, depending on its Expect header. */
const arrivals = ['request', 'checkContinue', 'checkExpectation'] as const

function answer(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  response: ServerResponse,
  arrival: (typeof arrivals)[number],
): void {
  const problem = hostProblemOf(request, response)
  if (problem !== undefined) reject(request, response, 400, plainText, problem)
  else if (arrival === 'checkExpectation') reject(request, response, 417, plainText, unknownExpectation)
  else {
    if (arrival === 'checkContinue') response.writeContinue()
    answerPath(endpoints, request, response)
  }
}

function answerPath(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = '', method = '' } = request
  const endpoint = endpoints.get(url) ?? endpoints.get(pathOf(url))
  if (endpoint === undefined) reject(request, response, 404)
  else if (endpoint[method] === undefined) reject(request, response, 405, allowedBy(endpoint))
  else endpoint[method](request, response)
}

const unknownExpectation = 'The only expectation supported is 100-continue.'

/**
 * An HTTP/1.1 request without Host is the last one of its connection:
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
function hostProblemOf(request: IncomingMessage, response: ServerResponse): string | undefined {
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    response.shouldKeepAlive = false
    return 'The header Host is required.'
  }
  const double = doubleHeaderOf(request)
  return double === undefined ? undefined : `The header ${double} must be there once.`
}

interface Line {
  last: ServerResponse
  waiting: number
}

/**
 * Pipelined requests on one connection are processed in sequence, so that each sees the effects of the ones
 * before: https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2. (Node keeps reading even from a paused
 * socket.)
 */
function takeTurns(): (socket: Socket, response: ServerResponse, answer: () => void) => void {
  const lines = new WeakMap<Socket, Line>()
  return (socket, response, answerIt) => {
    // Requests behind the last response of a connection are not executed: their result could not be
    // delivered.
    const answer = () => {
      if (socket.writable) answerIt()
    }
    const line = lines.get(socket) ?? { last: response, waiting: 0 }
    const { last } = line
    line.last = response
    // A response is assigned the socket when it is next in line.
    if (response.socket !== null) {
      lines.set(socket, line)
      answer()
    } else if (++line.waiting > budgetLimits.bankRequestsAhead.max) {
      socket.destroy()
    } else {
      last.once('finish', () => {
        line.waiting--
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

const allowedBy = (endpoint: Endpoint) => ['Allow', Object.keys(endpoint).join(', ')]
