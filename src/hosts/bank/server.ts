import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { answerBrokenConnection } from '../../http/broken-requests.ts'
import { isBodySmall } from './read-body.ts'

/** What one path answers, by method. */
export type Endpoint = Readonly<Partial<Record<string, Answer>>>
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface BankServer {
  readonly server: Server
  /** No new connections; what was begun is finished within the limit. */
  stop(): Promise<void>
}

/** In milliseconds. */
const patient = {
  // The longest legal body is 300 bytes, and headers of ours are few.
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Longer than a balancer in front keeps its connections, so that it never sends into one we are closing.
  keepAliveTimeout: 75_000,
}
/** For who neither sends nor takes an answer; every answer of ours is there long before. */
const silentMilliseconds = 90_000
/** A few kilobytes each; with two instances twice as many. */
const connectionsMax = 8192
/** Containers are killed after ten seconds; the supervisor waits a little less. */
const drainMilliseconds = 5000

/** Paths are a closed set: one look-up finds the endpoint, and everything else does not exist. */
export function createBankServer(endpoints: ReadonlyMap<string, Endpoint>, patience = patient): BankServer {
  const server = createServer(patience)
  const inTurn = takeTurns()
  let isStopping = false
  server.maxConnections = connectionsMax
  server.timeout = silentMilliseconds
  server.on('clientError', answerBrokenConnection)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isStopping) response.shouldKeepAlive = false
    inTurn(request.socket, response, () => answer(endpoints, request, response))
  })
  return {
    server,
    async stop() {
      isStopping = true
      const closed = new Promise((resolve) => server.close(resolve))
      const cut = setTimeout(() => server.closeAllConnections(), drainMilliseconds)
      await closed
      clearTimeout(cut)
    },
  }
}

function answer(
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

interface Line {
  last: ServerResponse
  waiting: number
}

/** Nobody has to send ahead; tools that measure send some dozens. */
const sentAheadMax = 1000

/**
 * Requests sent ahead of the answers on one connection are taken up one after the other, so that each sees what those
 * before it did: https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2. (Node goes on reading even from a paused socket.)
 */
function takeTurns(): (socket: Socket, response: ServerResponse, answer: () => void) => void {
  const lines = new WeakMap<Socket, Line>()
  return (socket, response, answer) => {
    const line = lines.get(socket) ?? { last: response, waiting: 0 }
    const { last } = line
    line.last = response
    // A response is given the socket when its turn has come.
    if (response.socket !== null) {
      lines.set(socket, line)
      answer()
    } else if (++line.waiting > sentAheadMax) {
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

/** Head and body leave in one packet; headers are name, value, name, value. Balances change, so nobody may keep an answer. */
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

/** How long a client that was refused may go on sending before its connection is cut. */
const lingerMilliseconds = 1000

/** Answers before the body has come. Closing at once would reset the connection while the answer is on its way. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: readonly string[] = [],
  body = '',
): void {
  send(response, status, body, headers)
  if (isBodySmall(request)) return
  const cut = setTimeout(() => request.socket.destroy(), lingerMilliseconds)
  request.once('close', () => clearTimeout(cut))
  request.resume()
}
