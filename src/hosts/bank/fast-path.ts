import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { answerBrokenConnection } from '../../http/broken-requests.ts'
import { parseRequestId, requestIdHeader } from '../../http/log.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import type { Budget } from '../../model/budget.ts'
import { repeat } from '../../model/repeat.ts'
import type { Reply } from './client-handlers.ts'

export interface FastPathOptions
  extends Pick<FastPathState, 'parseHead' | 'pipelinedBytes' | 'pipelinedBytesMax'> {
  // The timeouts of the general server, in milliseconds.
  readonly headersTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  /** The time for which both sides may be silent while a request is in progress. */
  readonly inactivityTimeout: number
}

export interface FastPath {
  /** Closes each connection after its next response. */
  drain(): void
  /** Closes the connections that wait for a request. */
  closeIdle(): void
  closeAll(): void
}

/**
 * Handles simple requests on the socket itself, so that a write costs a fifth less (`docs/benchmarks.md`). When
 * another request arrives, its connection passes to the general server, beginning with the first byte of the
 * request.
 */
export function installFastPath(general: Server, options: FastPathOptions): FastPath {
  const [generalListener, ...otherListeners] = general.listeners('connection')
  if (generalListener === undefined || otherListeners.length > 0)
    throw new Error('The server has unexpected connection listeners.')
  const open = new Set<FastConnection>()
  const state: FastPathState = {
    ...options,
    open,
    date: dateHeaderNow(),
    isDraining: false,
    handOver: (socket) => void generalListener.call(general, socket),
    keepAliveSeconds: Math.floor(options.keepAliveTimeout / 1000),
  }
  general.removeAllListeners('connection')
  general.on('connection', (socket: Socket) => beginConnection(state, socket))
  const jobs = [
    repeat({ everyMilliseconds: dateHeaderMilliseconds }, () => {
      state.date = dateHeaderNow()
    }),
    repeat({ everyMilliseconds: options.connectionsCheckingInterval }, () => closeInactive(state, options)),
  ]
  general.once('close', () => {
    for (const repetition of jobs) void repetition.stop()
  })
  return {
    drain() {
      state.isDraining = true
    },
    closeIdle() {
      for (const { socket, isBusy } of open) if (!isBusy) socket.destroy()
    },
    closeAll() {
      for (const { socket } of open) socket.destroy()
    },
  }
}

function closeInactive(state: FastPathState, options: FastPathOptions): void {
  const now = performance.now()
  for (const connection of state.open) {
    const { socket, isBusy, isNew, lastActiveAt } = connection
    const inactiveMilliseconds = now - lastActiveAt
    // No request has arrived yet, so the client gets a timeout response.
    if (isNew && inactiveMilliseconds > options.headersTimeout) {
      detach(state, connection)
      socket.on('error', () => socket.destroy())
      answerBrokenConnection(requestTimeoutError, socket)
    } else if (
      !isNew &&
      inactiveMilliseconds > (isBusy ? options.inactivityTimeout : options.keepAliveTimeout)
    ) {
      // The client was silent between two requests or during a request.
      socket.destroy()
    }
  }
}

/** The general server reports this error in the same case. */
const requestTimeoutError = Object.assign(new Error('No request came.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** The Date header is cached, because it has a resolution of one second. */
const dateHeaderMilliseconds = 1000

const dateHeaderNow = () => new Date().toUTCString()

/** The state that the connections of one server share. */
export interface FastPathState {
  readonly parseHead: (head: string) => ParsedHead<Reply> | undefined
  readonly handOver: (socket: Socket) => void
  readonly keepAliveSeconds: number
  /** Limits of the bytes that arrive before earlier responses were sent. */
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
  /** True from the arrival of a request until its response was flushed. */
  isBusy: boolean
  /**
   * True while the loop of `serve` is running. A response that is sent then must not start the next request.
   */
  isServing: boolean
  /** True if the connection is closed after the current response. */
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
      // A client that has closed its side gets no more responses, as from the general server.
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

/** Removes the listeners, so that the general server can use the socket. */
export function detach(state: FastPathState, connection: FastConnection): void {
  for (const [event, listener] of connection.listeners) connection.socket.off(event, listener)
  discard(state, connection)
}

function receive(state: FastPathState, connection: FastConnection, bytes: Buffer): void {
  connection.lastActiveAt = performance.now()
  if (connection.isBusy) bufferPipelined(state, connection, bytes)
  else serve(state, connection, bytes)
}

/** Processes requests in sequence. Each request must see the effects of earlier requests. */
function serve(state: FastPathState, connection: FastConnection, bytes: Buffer): void {
  let unserved = bytes
  connection.isServing = true
  while (unserved.length > 0 && !connection.isBusy && !connection.isLast) {
    const bytesServed = serveFirst(state, connection, unserved)
    if (bytesServed === 0) {
      handOver(state, connection, unserved)
      return
    }
    unserved = unserved.subarray(bytesServed)
  }
  connection.isServing = false
  if (unserved.length > 0 && !connection.isLast) bufferPipelined(state, connection, unserved)
}

/**
 * Handles the first request and returns its length in bytes. Returns 0 if the request is incomplete or not
 * for this path.
 */
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
  // If the client does not read, no further responses are buffered.
  else if (isFlushed) serveNext(state, connection)
}

/** The general server sends the fields in the same order. */
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

/** Buffers bytes until the current response was sent. A client that sends too many bytes is disconnected. */
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

/** Handles a request with the bytes of its body. */
export type ServeBody<Reply> = (body: Buffer, reply: Reply) => void

export interface FastRoute<Reply> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly serve: ServeBody<Reply>
}

/** The parts of a head that the fast path needs. */
export interface ParsedHead<Reply> {
  readonly serve: ServeBody<Reply>
  readonly bodyBytes: number
  /** True if the client asks to close the connection after the response. */
  readonly isLast: boolean
  /** The request id of the client or a proxy. The response repeats it. */
  readonly requestId: string | undefined
}

/** A browser sends a third of this. */
export const headBytesMax = 2048

/** Enough for many clients, because the heads of a client differ only in path and body length. */
const cachedHeadsMax = 1024

/**
 * Creates a parser for heads without the closing empty line. It returns undefined if only the general server
 * can interpret the head. Results are cached, because clients repeat their heads.
 */
export function createHeadParser<Reply>(
  fastRoutes: readonly FastRoute<Reply>[],
  bodyBytesMax: number,
): (head: string) => ParsedHead<Reply> | undefined {
  const routes = new Map(fastRoutes.map((route) => [`${route.method} ${route.path} HTTP/1.1`, route]))
  const cache = new Map<string, ParsedHead<Reply>>()
  return (head) => {
    const cached = cache.get(head)
    if (cached !== undefined) return cached
    const parsed = parseUncached(head, routes, bodyBytesMax)
    if (parsed === undefined) return undefined
    // If a client fills the cache, other heads are parsed again.
    if (cache.size === cachedHeadsMax) cache.clear()
    cache.set(head, parsed)
    return parsed
  }
}

function parseUncached<Reply>(
  head: string,
  routes: ReadonlyMap<string, FastRoute<Reply>>,
  bodyBytesMax: number,
): ParsedHead<Reply> | undefined {
  const [requestLine = '', ...fields] = head.split('\r\n')
  const route = routes.get(requestLine)
  const values = route && parseFields(fields)
  if (route === undefined || values === undefined || !values.has('host')) return undefined
  const length = values.get('content-length')
  const bodyBytes = length === undefined ? 0 : Number(length)
  const hasExpectedBody =
    route.method === 'GET'
      ? bodyBytes === 0
      : length !== undefined && bodyBytes <= bodyBytesMax && values.has('content-type')
  if (!hasExpectedBody) return undefined
  const requestId = parseRequestId(values.get(requestIdHeader))
  return { serve: route.serve, bodyBytes, isLast: values.get('connection') === 'close', requestId }
}

/** Returns the fields by lower-case name, or undefined if the general server must interpret a field. */
function parseFields(fields: readonly string[]): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>()
  for (const field of fields) {
    const [, rawName, value = ''] = plainField.exec(field) ?? []
    const name = rawName?.toLowerCase()
    if (name === undefined || values.has(name) || unsupportedFields.has(name)) return undefined
    if (allowedValues.get(name)?.test(value) === false) return undefined
    values.set(name, name === 'connection' ? value.toLowerCase() : value)
  }
  return values
}

/** Matches a token, a colon and visible ASCII characters. */
const plainField = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)[ \t]*$/

/** Fields that change the meaning of a request or may cause an error. */
const unsupportedFields: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'expect',
  'origin',
  'proxy-connection',
  'sec-fetch-site',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

// A field may be called `constructor`, so this is a Map.
const allowedValues: ReadonlyMap<string, RegExp> = new Map([
  ['connection', /^(close|keep-alive)$/i],
  ['content-length', /^\d{1,5}$/],
  ['content-type', /^application\/json(; ?charset=utf-8)?$/i],
  ['host', /^[\w.:[\]-]+$/],
])
