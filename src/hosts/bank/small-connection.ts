import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Budget } from '../../model/budget.ts'
import type { Reply } from './answers.ts'
import { type KnownHead, knownHeadBytesMax } from './known-heads.ts'

/** What the connections of one server share. */
export interface Ground {
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
  /** Nothing has come yet. */
  isNew: boolean
  /** The last word of either side. */
  since: number
}

export function beginConnection(ground: Ground, socket: Socket): void {
  const connection: SmallConnection = {
    socket,
    reply: (status, body) => answer(ground, connection, status, body),
    listeners: [
      ['data', (bytes) => take(ground, connection, bytes)],
      ['drain', () => goOn(ground, connection)],
      // As the general server does it: who has said the last word is not answered any more.
      ['end', () => socket.end()],
      ['error', () => socket.destroy()],
      ['close', () => forget(ground, connection)],
    ],
    ahead: [],
    aheadBytes: 0,
    isBusy: false,
    isServing: false,
    isLast: false,
    isNew: true,
    since: performance.now(),
  }
  for (const [event, listener] of connection.listeners) socket.on(event, listener)
  ground.open.add(connection)
}

/** Leaves the socket to others. */
export function detach(ground: Ground, connection: SmallConnection): void {
  for (const [event, listener] of connection.listeners) connection.socket.off(event, listener)
  forget(ground, connection)
}

function take(ground: Ground, connection: SmallConnection, bytes: Buffer): void {
  if (connection.isBusy) keep(ground, connection, bytes)
  else serve(ground, connection, bytes)
}

/** One after the other, each when the one before it has its answer: it must see what those before it did. */
function serve(ground: Ground, connection: SmallConnection, bytes: Buffer): void {
  let rest = bytes
  connection.isServing = true
  while (rest.length > 0 && !connection.isBusy && !connection.isLast) {
    const served = serveFirst(ground, connection, rest)
    if (served === 0) {
      handOver(ground, connection, rest)
      return
    }
    rest = rest.subarray(served)
  }
  connection.isServing = false
  if (rest.length > 0 && !connection.isLast) keep(ground, connection, rest)
}

/** How many bytes the first request has; none if it is not for this server, or not whole. */
function serveFirst(ground: Ground, connection: SmallConnection, bytes: Buffer): number {
  const headBytes = bytes.indexOf(headEnd, 0, 'latin1')
  if (headBytes < 0 || headBytes > knownHeadBytesMax) return 0
  const head = ground.readHead(bytes.toString('latin1', 0, headBytes))
  const bodyAt = headBytes + headEnd.length
  if (head === undefined || bytes.length < bodyAt + head.bodyBytes) return 0
  const end = bodyAt + head.bodyBytes
  connection.isBusy = true
  connection.isNew = false
  connection.isLast = head.isLast
  connection.since = performance.now()
  head.serve(bytes.subarray(bodyAt, end), connection.reply)
  return end
}

const headEnd = '\r\n\r\n'

function answer(ground: Ground, connection: SmallConnection, status: number, body: string): void {
  const { socket } = connection
  if (socket.destroyed || socket.writableEnded) return
  connection.isLast ||= ground.isDraining
  connection.since = performance.now()
  const bytes = Buffer.byteLength(body)
  const message = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: ${bytes}${fields}${ground.date}${endOf(ground, connection)}${body}`
  const isTaken = socket.write(message, bytes === body.length ? 'latin1' : 'utf8')
  if (connection.isLast) socket.destroySoon()
  // Who takes no answers gets no further ones to be kept.
  else if (isTaken) goOn(ground, connection)
}

/** In the order in which the general server sends them. */
const fields = '\r\nCache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\nDate: '

const endOf = ({ keepAliveSeconds }: Ground, { isLast }: SmallConnection) =>
  isLast
    ? '\r\nConnection: close\r\n\r\n'
    : `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`

function goOn(ground: Ground, connection: SmallConnection): void {
  connection.isBusy = false
  const { ahead, isServing, isLast } = connection
  if (isServing || isLast || ahead.length === 0) return
  forgetAhead(ground, connection)
  serve(ground, connection, Buffer.concat(ahead))
}

/** Once the answer is there it is the turn of these; who sends too many of them is cut off. */
function keep(ground: Ground, connection: SmallConnection, bytes: Buffer): void {
  if (connection.socket.destroyed) return
  const fits = connection.aheadBytes + bytes.length <= ground.aheadBytesMax
  if (!fits) ground.aheadBytes.noteRefusal()
  if (!fits || !ground.aheadBytes.take(bytes.length)) return void connection.socket.destroy()
  connection.aheadBytes += bytes.length
  connection.ahead.push(bytes)
}

function handOver(ground: Ground, connection: SmallConnection, bytes: Buffer): void {
  const { socket } = connection
  detach(ground, connection)
  socket.pause()
  socket.unshift(bytes)
  ground.handOver(socket)
  socket.resume()
}

function forget(ground: Ground, connection: SmallConnection): void {
  ground.open.delete(connection)
  forgetAhead(ground, connection)
}

function forgetAhead(ground: Ground, connection: SmallConnection): void {
  if (connection.aheadBytes > 0) ground.aheadBytes.giveBack(connection.aheadBytes)
  connection.aheadBytes = 0
  connection.ahead = []
}
