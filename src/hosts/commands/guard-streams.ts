import {
  constants,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import type { FastifyInstance } from 'fastify'
import { UnreadableMessageError } from './message.ts'
import type { Newcomers } from './newcomers.ts'

export interface StreamLimits {
  /** How long a response waits for a client that does not read it. */
  readonly unreadResponseMilliseconds: number
}

/** Closes the gaps of the gRPC library against hostile clients, before it sees any stream. */
export function guardStreams(
  http2Servers: readonly Http2Server[],
  newcomers: Newcomers,
  limits: StreamLimits,
): void {
  for (const http2Server of http2Servers) {
    const nextListener = takeStreamListener(http2Server)
    const beginCall = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      rawHeaders: readonly string[],
    ) => {
      if (!normalizeTimeout(headers)) return rejectStream(stream, invalidTimeout)
      removeUnprintableHeaders(headers)
      if (isRepeated('authorization', rawHeaders)) delete headers.authorization
      closeUnread(stream, limits)
      closeAfterResponse(stream)
      nextListener.call(http2Server, stream, headers)
      // An empty request may have ended before the library listened to its stream.
      if (stream.readableEnded) stream.emit('end')
    }
    http2Server.on('stream', (stream, headers, _flags, rawHeaders) => {
      // Without a listener, a stream that its client resets would end the process.
      stream.on('error', () => undefined)
      // The library answers some rejected streams without checking that they are still open, and would throw.
      if (isClosed(stream)) return
      const isAdmitted = newcomers.admit(stream, headers)
      // A reset often arrives in the same packet, so nothing is allocated for a call until the rest of the
      // packet has been read.
      setImmediate(() => {
        if (isClosed(stream)) return
        if (isAdmitted) beginCall(stream, headers, rawHeaders)
        else rejectStream(stream, tooManyCalls)
      })
    })
  }
}

/** Removes and returns the listener to streams: the library's, or one that passes streams on to the library. */
function takeStreamListener(http2Server: Http2Server): StreamListener {
  const [listener] = http2Server.listeners('stream')
  if (listener === undefined) throw new Error('The gRPC library listens to streams in another way now.')
  http2Server.removeAllListeners('stream')
  return listener as StreamListener
}

type StreamListener = (this: Http2Server, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void

const isClosed = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed

function rejectStream(stream: ServerHttp2Stream, trailers: OutgoingHttpHeaders): void {
  closeAfterResponse(stream)
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true })
}

const invalidTimeout = {
  'grpc-status': status.INVALID_ARGUMENT,
  'grpc-message': 'The grpc-timeout could not be read.',
}

const tooManyCalls = {
  'grpc-status': status.RESOURCE_EXHAUSTED,
  'grpc-message': 'Too many calls without a token. Please try again later.',
  'retry-after': '1',
}

/**
 * Returns false for an invalid timeout, because the library would accept it. Removes a timeout that is longer
 * than the timers of Node, because the library would make it negative.
 */
function normalizeTimeout(headers: IncomingHttpHeaders): boolean {
  const timeout = headers[timeoutHeader]
  if (timeout === undefined) return true
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(timeout)) ?? []
  if (amount === undefined) return false
  const milliseconds = Number(amount) * (unitMilliseconds[unit] ?? 0)
  if (milliseconds > timerMillisecondsMax) delete headers[timeoutHeader]
  return true
}

const timeoutHeader = 'grpc-timeout'
/** Microseconds (u) and nanoseconds (n) are left out: eight digits of them never exceed the longest timer. */
const unitMilliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1 }
/** The longest timer of Node: 24 days. */
const timerMillisecondsMax = 2 ** 31 - 1

/** The library would log headers that it cannot read, such as a token. */
function removeUnprintableHeaders(headers: IncomingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':')) continue
    if (!headerName.test(name) || ![value].flat().every(isPrintable)) delete headers[name]
  }
}

const headerName = /^[0-9a-z_.-]+$/
const isPrintable = (value: string | undefined): boolean => value === undefined || /^[ -~]*$/.test(value)

/** Node keeps the first of repeated headers, but a repeated one must count as missing. */
const isRepeated = (name: string, rawHeaders: readonly string[]): boolean =>
  rawHeaders.indexOf(name) !== rawHeaders.lastIndexOf(name)

/** Prevents a response that the client never reads from being kept forever. */
function closeUnread(stream: ServerHttp2Stream, { unreadResponseMilliseconds }: StreamLimits): void {
  stream.setTimeout(unreadResponseMilliseconds)
  stream.on('timeout', () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
    else if (!stream.destroyed) stream.setTimeout(unreadResponseMilliseconds)
  })
}

/** Prevents a client that never ends its request from keeping the stream forever after its response. */
function closeAfterResponse(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    if (stream.readableEnded) return
    const close = () => stream.close(constants.NGHTTP2_NO_ERROR)
    // The status is in the trailers, after the last message. The client must receive it before the stream
    // closes.
    if (hasSentStatus(stream)) close()
    else stream.once('wantTrailers', () => setImmediate(close))
  })
}

const hasSentStatus = ({ sentHeaders, sentTrailers }: ServerHttp2Stream): boolean =>
  sentTrailers !== undefined || sentHeaders?.['grpc-status'] !== undefined

/** Serves `GET /` like the port of the diagnostics, and rejects other protocols with an explanation. */
export function answerOtherRequests(
  http2Servers: readonly Http2Server[],
  diagnostics: FastifyInstance,
): void {
  for (const http2Server of http2Servers) {
    const nextListener = takeStreamListener(http2Server)
    http2Server.on('stream', (stream, headers) => {
      if (isRoot(headers)) respondFromDiagnostics(diagnostics, stream, headers)
      else if (!isGrpc(headers)) rejectProtocol(stream, headers)
      else nextListener.call(http2Server, stream, headers)
    })
  }
}

const isRoot = ({ ':method': method, ':path': path }: IncomingHttpHeaders): boolean =>
  path === '/' && (method === 'GET' || method === 'HEAD')

const isGrpc = ({ 'content-type': type = '' }: IncomingHttpHeaders): boolean =>
  /^application\/grpc([+;]|$)/i.test(type)

const servedProtocol =
  'This port serves gRPC over HTTP/2 with the content type application/grpc. gRPC-Web and Connect need a proxy that translates them.'

/** A gRPC-Web client reads the error from the headers, a Connect client from the body. */
function rejectProtocol(stream: ServerHttp2Stream, { 'content-type': type = '' }: IncomingHttpHeaders) {
  const isWeb = /^application\/grpc-web/i.test(type)
  stream.respond(
    isWeb
      ? {
          ':status': 200,
          'content-type': type,
          'grpc-status': String(status.UNIMPLEMENTED),
          'grpc-message': encodeURIComponent(servedProtocol),
        }
      : { ':status': 415, 'content-type': 'application/json' },
  )
  const body = isWeb ? undefined : JSON.stringify({ code: 'unimplemented', message: servedProtocol })
  // A client that never ends its request would keep the stream open.
  stream.end(body, () => stream.close(constants.NGHTTP2_NO_ERROR))
}

function respondFromDiagnostics(
  diagnostics: FastifyInstance,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
) {
  const method = headers[':method'] as 'GET' | 'HEAD'
  const remoteAddress = stream.session?.socket.remoteAddress
  diagnostics
    .inject({
      method,
      url: '/',
      headers: withoutPseudoHeaders(headers),
      ...(remoteAddress && { remoteAddress }),
    })
    .then(({ statusCode, headers: responseHeaders, rawPayload }) => {
      if (stream.destroyed || stream.closed) return
      stream.respond({ ...withoutConnectionHeaders(responseHeaders), ':status': statusCode })
      // A client that never ends its request would keep the stream open.
      stream.end(method === 'HEAD' ? undefined : rawPayload, () => stream.close(constants.NGHTTP2_NO_ERROR))
    })
    .catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
}

const withoutPseudoHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))

/** HTTP/2 rejects headers that describe a connection. */
const withoutConnectionHeaders = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)))

const connectionHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/**
 * Reads the next request of a stream only after the client has read the last response. Otherwise a client
 * that only sends would fill the memory with responses.
 */
export const paceRequests: ServerInterceptor = (method, call) => {
  if (!method.requestStream) return call as ServerInterceptingCall
  let unreadResponses = 0
  let isReadRequested = false
  const paced = new ServerInterceptingCall(call)
  const startRead = paced.startRead.bind(paced)
  const sendMessage = paced.sendMessage.bind(paced)
  const readNext = () => {
    if (!isReadRequested || unreadResponses > 0) return
    isReadRequested = false
    startRead()
  }
  paced.startRead = () => {
    isReadRequested = true
    readNext()
  }
  paced.sendMessage = (message, onSent) => {
    unreadResponses += 1
    sendMessage(message, () => {
      unreadResponses -= 1
      onSent()
      readNext()
    })
  }
  return paced
}

/** Ends calls whose request does not arrive in time, because their streams would stay open forever. */
export const requestTimeLimit =
  (milliseconds: number): ServerInterceptor =>
  (method, call) => {
    if (method.requestStream) return call as ServerInterceptingCall
    return new ServerInterceptingCall(call, {
      start(next) {
        let timer: NodeJS.Timeout | undefined
        next({
          onReceiveMetadata(metadata, forward) {
            timer = setTimeout(() => call.sendStatus(tooSlow), milliseconds)
            forward(metadata)
          },
          onReceiveHalfClose(forward) {
            clearTimeout(timer)
            forward()
          },
          onCancel: () => clearTimeout(timer),
        })
      },
    })
  }

const tooSlow = { code: status.DEADLINE_EXCEEDED, details: 'The request did not arrive in time.' }

type CallStatus = Parameters<ServerInterceptingCall['sendStatus']>[0]

/** The library responds to an unreadable message with INTERNAL, although the mistake is the client's. */
export const rejectUnreadableMessages: ServerInterceptor = (_method, call) => {
  // The library ends such a call by itself, bypassing every interceptor.
  const send = call.sendStatus.bind(call)
  call.sendStatus = (callStatus) => {
    send(
      isClientError(callStatus)
        ? { code: status.INVALID_ARGUMENT, details: new UnreadableMessageError().message }
        : callStatus,
    )
  }
  return call as ServerInterceptingCall
}

/**
 * UNIMPLEMENTED means a wrong number of messages here: a call of an unknown method reaches no interceptor.
 */
function isClientError({ code, details = '' }: CallStatus): boolean {
  if (code === status.UNIMPLEMENTED) return /^Received (no|a second) request message/.test(details)
  return code === status.INTERNAL && clientErrorDetails.has(details)
}

const clientErrorDetails: ReadonlySet<string> = new Set([
  'Failed to decompress message',
  'Error deserializing request',
])
