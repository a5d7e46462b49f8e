import type { Socket } from 'node:net'
import { requestIdHeader } from '../../http/log.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import type { Budget } from '../../model/budget.ts'
import type { Reply } from './answers.ts'
import { type KnownHead, knownHeadBytesMax } from './known-heads.ts'

/** What the connections of one server share. */
export interface SmallServerState {
  readonly readHead: (head: string) => KnownHead<Reply> | undefined
  readonly handOver: (socket: Socket) => void
  readonly keepAliveSeconds: number
  /** Of bytes that came ahead of answers: one connection's, and all of them. */
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
  /** What came while a request was being answered. */
  ahead: Buffer[]
  aheadBytes: number
  /** A request is being answered, or its answer is not taken yet. */
  isBusy: boolean
  /** Requests are being served one after the other; an answer that comes meanwhile need not go on to the next. */
  isServing: boolean
  isLast: boolean
  /** Of the request that is being answered. */
  requestId: string | undefined
  /** Nothing has come yet. */
  isNew: boolean
  /** When either side sent something last. */
  since: number
}

export function beginConnection(state: SmallServerState, socket: Socket): void {
  const connection: SmallConnection = {
    socket,
    reply: (status, body) => answer(state, connection, status, body),
    listeners: [
      ['data', (bytes) => take(state, connection, bytes)],
      ['drain', () => goOn(state, connection)],
      // As the general server does it: who has ended its side is not answered any more.
      ['end', () => socket.end()],
      ['error', () => socket.destroy()],
      ['close', () => forget(state, connection)],
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

/** Leaves the socket to others. */
export function detach(state: SmallServerState, connection: SmallConnection): void {
  for (const [event, listener] of connection.listeners) connection.socket.off(event, listener)
  forget(state, connection)
}

function take(state: SmallServerState, connection: SmallConnection, bytes: Buffer): void {
  if (connection.isBusy) keep(state, connection, bytes)
  else serve(state, connection, bytes)
}

/** One after the other, each when the one before it has its answer: it must see what those before it did. */
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

/** How many bytes the first request has; none if it is not for this server, or not whole. */
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
  // Who takes no answers gets no further ones to be kept.
  else if (isTaken) goOn(state, connection)
}

/** In the order in which the general server sends them. */
const fields = '\r\nCache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\nDate: '

const endOf = ({ keepAliveSeconds }: SmallServerState, { isLast }: SmallConnection) =>
  isLast
    ? '\r\nConnection: close\r\n\r\n'
    : `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`

function goOn(state: SmallServerState, connection: SmallConnection): void {
  connection.isBusy = false
  const { ahead, isServing, isLast } = connection
  if (isServing || isLast || ahead.length === 0) return
  forgetAhead(state, connection)
  serve(state, connection, Buffer.concat(ahead))
}

/** Once the answer is there it is the turn of these; who sends too many of them is cut off. */
function keep(state: SmallServerState, connection: SmallConnection, bytes: Buffer): void {
  if (connection.socket.destroyed) return
  const fits = connection.aheadBytes + bytes.length <= state.aheadBytesMax
  if (!fits) state.aheadBytes.noteRefusal()
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

function forget(state: SmallServerState, connection: SmallConnection): void {
  state.open.delete(connection)
  forgetAhead(state, connection)
}

function forgetAhead(state: SmallServerState, connection: SmallConnection): void {
  if (connection.aheadBytes > 0) state.aheadBytes.giveBack(connection.aheadBytes)
  connection.aheadBytes = 0
  connection.ahead = []
}
