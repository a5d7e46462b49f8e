import type { Socket } from 'node:net'
import { requestIdHeader } from '../../http/log.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import type { Budget } from '../../model/budget.ts'
import type { Reply } from './answers.ts'
import { type KnownHead, knownHeadBytesMax } from './known-heads.ts'

/** The state that the connections of one server share. */
export interface SmallServerState {
  readonly readHead: (head: string) => KnownHead<Reply> | undefined
  readonly handOver: (socket: Socket) => void
  readonly keepAliveSeconds: number
  /** Limits for bytes received ahead of responses: per connection, and for all connections together. */
  readonly aheadBytesMax: number
  readonly aheadBytes: Budget
  readonly open: Set<SmallConnection>
  date: string
  isDraining: boolean
}

export interface SmallConnection {
  readonly socket: Socket
  readonly reply: Reply
  readonly listeners: readonly (readonly [event: string, listener: (bytes: Buffer) => void])[]
  /** Bytes received while a request is being processed. */
  ahead: Buffer[]
  aheadBytes: number
  /** A request is being processed, or its response has not been flushed yet. */
  isBusy: boolean
  /** `serve` is looping over requests; a response sent meanwhile must not start the next one itself. */
  isServing: boolean
  isLast: boolean
  /** The id of the request being processed. */
  requestId: string | undefined
  /** No request has arrived yet. */
  isNew: boolean
  /** The time at which either side last sent something. */
  since: number
}

export function beginConnection(state: SmallServerState, socket: Socket): void {
  const connection: SmallConnection = {
    socket,
    reply: (status, body) => answer(state, connection, status, body),
    listeners: [
      ['data', (bytes) => take(state, connection, bytes)],
      ['drain', () => goOn(state, connection)],
      // Like the general server: a client that has ended its side gets no more responses.
      ['end', () => socket.end()],
      ['error', () => socket.destroy()],
      ['close', () => discard(state, connection)],
    ],
    ahead: [],
    aheadBytes: 0,
    isBusy: false,
    isServing: false,
    isLast: false,
    requestId: undefined,
    isNew: true,
    since: performance.now(),
  }
  for (const [event, listener] of connection.listeners) socket.on(event, listener)
  state.open.add(connection)
}

/** Removes the listeners, so that another server can take over the socket. */
export function detach(state: SmallServerState, connection: SmallConnection): void {
  for (const [event, listener] of connection.listeners) connection.socket.off(event, listener)
  discard(state, connection)
}

function take(state: SmallServerState, connection: SmallConnection, bytes: Buffer): void {
  if (connection.isBusy) keep(state, connection, bytes)
  else serve(state, connection, bytes)
}

/** Processes requests in sequence: each must see the effects of the ones before. */
function serve(state: SmallServerState, connection: SmallConnection, bytes: Buffer): void {
  let rest = bytes
  connection.isServing = true
  while (rest.length > 0 && !connection.isBusy && !connection.isLast) {
    const served = serveFirst(state, connection, rest)
    if (served === 0) {
      handOver(state, connection, rest)
      return
    }
    rest = rest.subarray(served)
  }
  connection.isServing = false
  if (rest.length > 0 && !connection.isLast) keep(state, connection, rest)
}

/** Returns the byte length of the first request; 0 if it is incomplete or not for this server. */
function serveFirst(state: SmallServerState, connection: SmallConnection, bytes: Buffer): number {
  const headBytes = bytes.indexOf(headEnd, 0, 'latin1')
  if (headBytes < 0 || headBytes > knownHeadBytesMax) return 0
  const head = state.readHead(bytes.toString('latin1', 0, headBytes))
  const bodyAt = headBytes + headEnd.length
  if (head === undefined || bytes.length < bodyAt + head.bodyBytes) return 0
  const end = bodyAt + head.bodyBytes
  connection.isBusy = true
  connection.isNew = false
  connection.isLast = head.isLast
  connection.requestId = head.requestId
  connection.since = performance.now()
  head.serve(bytes.subarray(bodyAt, end), connection.reply)
  return end
}

const headEnd = '\r\n\r\n'

function answer(state: SmallServerState, connection: SmallConnection, status: number, body: string): void {
  const { socket } = connection
  if (socket.destroyed || socket.writableEnded) return
  connection.isLast ||= state.isDraining
  connection.since = performance.now()
  const bytes = Buffer.byteLength(body)
  const id = connection.requestId === undefined ? '' : `${requestIdHeader}: ${connection.requestId}\r\n`
  const message = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${id}Content-Length: ${bytes}${fields}${state.date}${endOf(state, connection)}${body}`
  const isTaken = socket.write(message, bytes === body.length ? 'latin1' : 'utf8')
  if (connection.isLast) socket.destroySoon()
  // While a client does not read, no further responses are buffered for it.
  else if (isTaken) goOn(state, connection)
}

/** The fields are in the order in which the general server sends them. */
const fields = '\r\nCache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\nDate: '

const endOf = ({ keepAliveSeconds }: SmallServerState, { isLast }: SmallConnection) =>
  isLast
    ? '\r\nConnection: close\r\n\r\n'
    : `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`

function goOn(state: SmallServerState, connection: SmallConnection): void {
  connection.isBusy = false
  const { ahead, isServing, isLast } = connection
  if (isServing || isLast || ahead.length === 0) return
  dropAhead(state, connection)
  serve(state, connection, Buffer.concat(ahead))
}

/** Buffers bytes until the current response is sent; a client that sends too many is cut off. */
function keep(state: SmallServerState, connection: SmallConnection, bytes: Buffer): void {
  if (connection.socket.destroyed) return
  const fits = connection.aheadBytes + bytes.length <= state.aheadBytesMax
  if (!fits) state.aheadBytes.recordRejection()
  if (!fits || !state.aheadBytes.take(bytes.length)) return void connection.socket.destroy()
  connection.aheadBytes += bytes.length
  connection.ahead.push(bytes)
}

function handOver(state: SmallServerState, connection: SmallConnection, bytes: Buffer): void {
  const { socket } = connection
  detach(state, connection)
  socket.pause()
  socket.unshift(bytes)
  state.handOver(socket)
  socket.resume()
}

function discard(state: SmallServerState, connection: SmallConnection): void {
  state.open.delete(connection)
  dropAhead(state, connection)
}

function dropAhead(state: SmallServerState, connection: SmallConnection): void {
  if (connection.aheadBytes > 0) state.aheadBytes.release(connection.aheadBytes)
  connection.aheadBytes = 0
  connection.ahead = []
}
