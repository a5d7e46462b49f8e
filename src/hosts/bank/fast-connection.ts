import type { Socket } from 'node:net'
import { requestIdHeader } from '../../http/log.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import type { Budget } from '../../model/budget.ts'
import type { Reply } from './client-handlers.ts'
import { headBytesMax, type ParsedHead } from './parse-head.ts'

/** The state that the connections of one server share. */
export interface FastPathState {
  readonly parseHead: (head: string) => ParsedHead<Reply> | undefined
  readonly handOver: (socket: Socket) => void
  readonly keepAliveSeconds: number
  /** Limits for bytes received ahead of responses: per connection, and for all connections together. */
  readonly pipelinedBytesMax: number
  readonly pipelinedBytes: Budget
  readonly open: Set<FastConnection>
  date: string
  isDraining: boolean
}

export interface FastConnection {
  readonly socket: Socket
  readonly reply: Reply
  readonly listeners: readonly (readonly [event: string, listener: (bytes: Buffer) => void])[]
  /** Bytes received while a request is being processed. */
  pipelined: Buffer[]
  pipelinedBytes: number
  /** A request is being processed, or its response has not been flushed yet. */
  isBusy: boolean
  /** `serve` is in its loop, so a response that is sent meanwhile must not start the next request. */
  isServing: boolean
  isLast: boolean
  /** The id of the request being processed. */
  requestId: string | undefined
  /** No request has arrived yet. */
  isNew: boolean
  /** The time at which either side last sent something. */
  lastActiveAt: number
}

export function beginConnection(state: FastPathState, socket: Socket): void {
  const connection: FastConnection = {
    socket,
    reply: (status, body) => respond(state, connection, status, body),
    listeners: [
      ['data', (bytes) => receive(state, connection, bytes)],
      ['drain', () => resume(state, connection)],
      // Like the general server: a client that has ended its side gets no more responses.
      ['end', () => socket.end()],
      ['error', () => socket.destroy()],
      ['close', () => discard(state, connection)],
    ],
    pipelined: [],
    pipelinedBytes: 0,
    isBusy: false,
    isServing: false,
    isLast: false,
    requestId: undefined,
    isNew: true,
    lastActiveAt: performance.now(),
  }
  for (const [event, listener] of connection.listeners) socket.on(event, listener)
  state.open.add(connection)
}

/** Removes the listeners, so that another server can take over the socket. */
export function detach(state: FastPathState, connection: FastConnection): void {
  for (const [event, listener] of connection.listeners) connection.socket.off(event, listener)
  discard(state, connection)
}

function receive(state: FastPathState, connection: FastConnection, bytes: Buffer): void {
  connection.lastActiveAt = performance.now()
  if (connection.isBusy) bufferPipelined(state, connection, bytes)
  else serve(state, connection, bytes)
}

/** Processes requests in sequence: each must see the effects of the ones before. */
function serve(state: FastPathState, connection: FastConnection, bytes: Buffer): void {
  let rest = bytes
  connection.isServing = true
  while (rest.length > 0 && !connection.isBusy && !connection.isLast) {
    const bytesServed = serveFirst(state, connection, rest)
    if (bytesServed === 0) {
      handOver(state, connection, rest)
      return
    }
    rest = rest.subarray(bytesServed)
  }
  connection.isServing = false
  if (rest.length > 0 && !connection.isLast) bufferPipelined(state, connection, rest)
}

/** Handles the first request and returns its length in bytes. Returns 0 if it is incomplete or not for the fast path. */
function serveFirst(state: FastPathState, connection: FastConnection, bytes: Buffer): number {
  const headBytes = bytes.indexOf(headEnd, 0, 'latin1')
  if (headBytes < 0 || headBytes > headBytesMax) return 0
  const head = state.parseHead(bytes.toString('latin1', 0, headBytes))
  const bodyAt = headBytes + headEnd.length
  if (head === undefined || bytes.length < bodyAt + head.bodyBytes) return 0
  const end = bodyAt + head.bodyBytes
  connection.isBusy = true
  connection.isNew = false
  connection.isLast = head.isLast
  connection.requestId = head.requestId
  connection.lastActiveAt = performance.now()
  head.serve(bytes.subarray(bodyAt, end), connection.reply)
  return end
}

const headEnd = '\r\n\r\n'

function respond(state: FastPathState, connection: FastConnection, status: number, body: string): void {
  const { socket } = connection
  if (socket.destroyed || socket.writableEnded) return
  connection.isLast ||= state.isDraining
  connection.lastActiveAt = performance.now()
  const bytes = Buffer.byteLength(body)
  const id = connection.requestId === undefined ? '' : `${requestIdHeader}: ${connection.requestId}\r\n`
  const message = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${id}Content-Length: ${bytes}${commonHeaders}${state.date}${connectionHeaders(state, connection)}${body}`
  const isFlushed = socket.write(message, bytes === body.length ? 'latin1' : 'utf8')
  if (connection.isLast) socket.destroySoon()
  // While a client does not read, no further responses are buffered for it.
  else if (isFlushed) serveNext(state, connection)
}

/** The fields are in the order in which the general server sends them. */
const commonHeaders = '\r\nCache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\nDate: '

const connectionHeaders = ({ keepAliveSeconds }: FastPathState, { isLast }: FastConnection) =>
  isLast
    ? '\r\nConnection: close\r\n\r\n'
    : `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`

/** The client has read all responses so far. */
function resume(state: FastPathState, connection: FastConnection): void {
  connection.lastActiveAt = performance.now()
  serveNext(state, connection)
}

function serveNext(state: FastPathState, connection: FastConnection): void {
  connection.isBusy = false
  const { pipelined, isServing, isLast } = connection
  if (isServing || isLast || pipelined.length === 0) return
  clearPipelined(state, connection)
  serve(state, connection, Buffer.concat(pipelined))
}

/** Buffers bytes until the current response is sent; a client that sends too many is cut off. */
function bufferPipelined(state: FastPathState, connection: FastConnection, bytes: Buffer): void {
  if (connection.socket.destroyed) return
  const fits = connection.pipelinedBytes + bytes.length <= state.pipelinedBytesMax
  if (!fits) state.pipelinedBytes.recordRejection()
  if (!fits || !state.pipelinedBytes.take(bytes.length)) return void connection.socket.destroy()
  connection.pipelinedBytes += bytes.length
  connection.pipelined.push(bytes)
}

function handOver(state: FastPathState, connection: FastConnection, bytes: Buffer): void {
  const { socket } = connection
  detach(state, connection)
  socket.pause()
  socket.unshift(bytes)
  state.handOver(socket)
  socket.resume()
}

function discard(state: FastPathState, connection: FastConnection): void {
  state.open.delete(connection)
  clearPipelined(state, connection)
}

function clearPipelined(state: FastPathState, connection: FastConnection): void {
  if (connection.pipelinedBytes > 0) state.pipelinedBytes.release(connection.pipelinedBytes)
  connection.pipelinedBytes = 0
  connection.pipelined = []
}
