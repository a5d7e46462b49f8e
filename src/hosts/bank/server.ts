import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Budgets, budgetLimits } from '../../config/budgets.ts'
import { answerBrokenConnection } from '../../http/broken-requests.ts'
import { countConnections, limitAddresses } from '../../http/count-events.ts'
import { closeListener } from '../../http/listen.ts'
import { givenRequestId, requestIdHeader } from '../../http/log.ts'
import { createServer } from '../../http/node-http.ts'
import type { Reply } from './answers.ts'
import { type KnownLine, knownHeads } from './known-heads.ts'
import { doubleHeaderOf, plainText, refuse } from './respond.ts'
import { type SmallServer, standBefore } from './small-server.ts'

/** What one path answers, by method. */
export type Endpoint = Readonly<Partial<Record<string, Answer>>>
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface BankServer {
  readonly server: Server
  /**
   * No new connections; what was begun is finished within the limit. A patient server also answers the next request of
   * each connection that is kept, as its last one: closing it could cross a request that is on its way.
   */
  stop(isPatient?: boolean): Promise<void>
}

export interface BankServerOptions {
  readonly budgets: Budgets
  /** All there are, by their paths. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** Those that the small server answers, with the same answers. None: it is left out. */
  readonly lines?: readonly KnownLine<Reply>[]
  readonly patience?: Partial<typeof patient>
}

/** In milliseconds. */
const patient = {
  // The longest legal body is 300 bytes, and headers of ours are few.
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Longer than a balancer in front keeps its connections, so that it never sends into one we are closing.
  keepAliveTimeout: 75_000,
  /** For clients that neither send nor take an answer; every answer of ours is ready long before. */
  silentTimeout: 90_000,
  /** Containers are killed after ten seconds; the supervisor waits a little less. */
  drainTimeout: 5000,
}

/** A general server, which understands every request, and before it a small one for those that are known byte for byte. */
export function createBankServer(options: BankServerOptions): BankServer {
  const { budgets, endpoints, lines } = options
  const patience = { ...patient, ...options.patience }
  // Node's own answer to a request without Host would take no turn.
  const server = createServer({ ...patience, requireHostHeader: false })
  const inTurn = takeTurns()
  const state = { isLastAnswer: false }
  server.timeout = patience.silentTimeout
  server.on('clientError', answerBrokenConnection)
  // Without a listener Node cuts the connection at once, with what came before and has no answer yet.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    answerBrokenConnection(new Error('CONNECT is not served.'), socket as Socket)
  })
  // Node's own answers to an expectation would take no turn, and the requests behind them would wait for ever.
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
    standBefore(server, {
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
      // Before any answer says that its connection ends: its sender would open a new one to here.
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
    // The general server's own way to close ends idle connections too.
    if (isPatient) NetServer.prototype.close.call(server, resolve)
    else server.close(resolve)
  })
  if (!isPatient) small?.closeIdle()
  await closed
  ended.abort()
  await cut.catch(() => undefined)
}

/** How Node announces a request: by what it expects before it sends its body. */
const arrivals = ['request', 'checkContinue', 'checkExpectation'] as const

function answer(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  response: ServerResponse,
  arrival: (typeof arrivals)[number],
): void {
  const problem = hostProblemOf(request, response)
  if (problem !== undefined) refuse(request, response, 400, plainText, problem)
  else if (arrival === 'checkExpectation') refuse(request, response, 417, plainText, unknownExpectation)
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
  if (endpoint === undefined) refuse(request, response, 404)
  else if (endpoint[method] === undefined) refuse(request, response, 405, allowedBy(endpoint))
  else endpoint[method](request, response)
}

const unknownExpectation = 'The only expectation supported is 100-continue.'

/** A request of HTTP/1.1 without Host is the last one of its connection: https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
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
 * Requests sent ahead of the answers on one connection are taken up one after the other, so that each sees what those
 * before it did: https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2. (Node goes on reading even from a paused socket.)
 */
function takeTurns(): (socket: Socket, response: ServerResponse, answer: () => void) => void {
  const lines = new WeakMap<Socket, Line>()
  return (socket, response, answerIt) => {
    // Behind the last answer of a connection nothing is done any more: nobody would learn of it.
    const answer = () => {
      if (socket.writable) answerIt()
    }
    const line = lines.get(socket) ?? { last: response, waiting: 0 }
    const { last } = line
    line.last = response
    // A response is given the socket when its turn has come.
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

/** Without the query, and of the absolute form that proxies use. */
function pathOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  return path.replace(/^https?:\/\/[^/]*/i, '')
}

const allowedBy = (endpoint: Endpoint) => ['Allow', Object.keys(endpoint).join(', ')]
