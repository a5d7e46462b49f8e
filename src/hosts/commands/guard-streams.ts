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
  readonly answerMilliseconds: number
}

/** Closes the gaps of the gRPC library against hostile clients, before it sees any stream. */
export function guardStreams(
  http2Servers: readonly Http2Server[],
  newcomers: Newcomers,
  limits: StreamLimits,
): void {
  for (const http2Server of http2Servers) {
    const [pass] = http2Server.listeners('stream')
    if (pass === undefined) throw new Error('The gRPC library listens to streams in another way now.')
    http2Server.removeAllListeners('stream')
    const build = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      rawHeaders: readonly string[],
    ) => {
      if (!parseTimeout(headers)) return reject(stream, unreadableTimeout)
      removeUnreadable(headers)
      if (isGivenTwice('authorization', rawHeaders)) delete headers.authorization
      dropUntaken(stream, limits)
      closeAnswered(stream)
      pass.call(http2Server, stream, headers)
      // An empty request has ended meanwhile, and the library only waits for this event.
      if (stream.readableEnded) stream.emit('end')
    }
    http2Server.on('stream', (stream, headers, _flags, rawHeaders) => {
      stream.on('error', () => undefined)
      // The library answers some rejected streams without checking that they are still open, and would throw.
      if (isClosed(stream)) return
      const isAdmitted = newcomers.admit(stream, headers)
      // A reset often arrives in the same packet, so nothing is allocated for a call before a reset could
      // have been read.
      setImmediate(() => {
        if (isClosed(stream)) return
        if (isAdmitted) build(stream, headers, rawHeaders)
        else reject(stream, tooManyCalls)
      })
    })
  }
}

const isClosed = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed

function reject(stream: ServerHttp2Stream, ending: OutgoingHttpHeaders): void {
  closeAnswered(stream)
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...ending }, { endStream: true })
}

const unreadableTimeout = {
  'grpc-status': status.INVALID_ARGUMENT,
  'grpc-message': 'The grpc-timeout could not be read.',
}

const tooManyCalls = {
  'grpc-status': status.RESOURCE_EXHAUSTED,
  'grpc-message': 'Too many calls without a token. Please try again later.',
  'retry-after': '1',
}

/**
 * Returns false when the header is not in the format of the protocol. The library would accept a part of it, and count huge ones
 * as negative.
 */
function parseTimeout(headers: IncomingHttpHeaders): boolean {
  const given = headers[timeoutHeader]
  if (given === undefined) return true
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(given)) ?? []
  if (amount === undefined) return false
  const milliseconds = Number(amount) * (unitMilliseconds[unit] ?? 0)
  if (milliseconds > timerMillisecondsMax) delete headers[timeoutHeader]
  return true
}

const timeoutHeader = 'grpc-timeout'
const unitMilliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1 }
/** 24 days is the longest timer of Node; no client waits longer for a response. */
const timerMillisecondsMax = 2 ** 31 - 1

/** The library would log them, and one of them may be a token. */
function removeUnreadable(headers: IncomingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':')) continue
    if (!readableName.test(name) || ![value].flat().every(isReadable)) delete headers[name]
  }
}

const readableName = /^[0-9a-z_.-]+$/
const isReadable = (value: string | undefined): boolean => value === undefined || /^[ -~]*$/.test(value)

/** Node keeps only the first one, but a repeated header must count as missing. */
const isGivenTwice = (name: string, rawHeaders: readonly string[]): boolean =>
  rawHeaders.indexOf(name) !== rawHeaders.lastIndexOf(name)

/** Prevents a response that the client never reads from being kept forever. */
function dropUntaken(stream: ServerHttp2Stream, { answerMilliseconds }: StreamLimits): void {
  stream.setTimeout(answerMilliseconds)
  stream.on('timeout', () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
    else if (!stream.destroyed) stream.setTimeout(answerMilliseconds)
  })
}

/** Prevents a client that never ends its request from keeping the stream forever after its response. */
function closeAnswered(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    if (stream.readableEnded) return
    const close = () => stream.close(constants.NGHTTP2_NO_ERROR)
    // The status is in the trailers, which follow the last message; if the stream closed earlier, the client would never see it.
    if (hasSentStatus(stream)) close()
    else stream.once('wantTrailers', () => setImmediate(close))
  })
}

const hasSentStatus = ({ sentHeaders, sentTrailers }: ServerHttp2Stream): boolean =>
  sentTrailers !== undefined || sentHeaders?.['grpc-status'] !== undefined

/**
 * The gRPC library rejects every request that is not a call. `GET /` gets the response of the diagnostics, so both ports have one
 * policy.
 */
export function answerRoot(http2Servers: readonly Http2Server[], diagnostics: FastifyInstance): void {
  for (const http2Server of http2Servers) {
    const [pass] = http2Server.listeners('stream')
    if (pass === undefined) throw new Error('The gRPC library listens to streams in another way now.')
    http2Server.removeAllListeners('stream')
    http2Server.on('stream', (stream, headers) => {
      if (isRoot(headers)) answerLike(diagnostics, stream, headers)
      else pass.call(http2Server, stream, headers)
    })
  }
}

const isRoot = ({ ':method': method, ':path': path }: IncomingHttpHeaders): boolean =>
  path === '/' && (method === 'GET' || method === 'HEAD')

function answerLike(diagnostics: FastifyInstance, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
  const method = headers[':method'] as 'GET' | 'HEAD'
  const remoteAddress = stream.session?.socket.remoteAddress
  diagnostics
    .inject({ method, url: '/', headers: plainHeaders(headers), ...(remoteAddress && { remoteAddress }) })
    .then(({ statusCode, headers: answered, rawPayload }) => {
      if (stream.destroyed || stream.closed) return
      stream.respond({ ...allowedHeaders(answered), ':status': statusCode })
      // A client that never ends its request would keep the stream open.
      stream.end(method === 'HEAD' ? undefined : rawPayload, () => stream.close(constants.NGHTTP2_NO_ERROR))
    })
    .catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
}

const plainHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))

/** HTTP/2 rejects headers that describe a connection. */
const allowedHeaders = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnections.has(name)))

const ofConnections: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/**
 * The next request of a stream is read when the last response has been read: a client that only sends would fill the memory with
 * responses.
 */
export const paceRequests: ServerInterceptor = (method, call) => {
  if (!method.requestStream) return call as ServerInterceptingCall
  let answersWaiting = 0
  let isReadWanted = false
  const paced = new ServerInterceptingCall(call)
  const startRead = paced.startRead.bind(paced)
  const sendMessage = paced.sendMessage.bind(paced)
  const readNext = () => {
    if (!isReadWanted || answersWaiting > 0) return
    isReadWanted = false
    startRead()
  }
  paced.startRead = () => {
    isReadWanted = true
    readNext()
  }
  paced.sendMessage = (message, taken) => {
    answersWaiting += 1
    sendMessage(message, () => {
      answersWaiting -= 1
      taken()
      readNext()
    })
  }
  return paced
}

/** Ends calls whose request does not arrive: an open stream without a message would be kept for ever. */
export const requestTimeLimit =
  (milliseconds: number): ServerInterceptor =>
  (method, call) => {
    if (method.requestStream) return call as ServerInterceptingCall
    return new ServerInterceptingCall(call, {
      start(next) {
        let timer: NodeJS.Timeout | undefined
        next({
          onReceiveMetadata(metadata, received) {
            timer = setTimeout(() => call.sendStatus(tooSlow), milliseconds)
            received(metadata)
          },
          onReceiveHalfClose(received) {
            clearTimeout(timer)
            received()
          },
          onCancel: () => clearTimeout(timer),
        })
      },
    })
  }

const tooSlow = { code: status.DEADLINE_EXCEEDED, details: 'The request did not arrive in time.' }

type Ending = Parameters<ServerInterceptingCall['sendStatus']>[0]

/** An unreadable message is the client's mistake; the library responds with INTERNAL, which would blame the server. */
export const answerUnreadable: ServerInterceptor = (_method, call) => {
  // The library ends such a call by itself, bypassing every interceptor.
  const send = call.sendStatus.bind(call)
  call.sendStatus = (ending) => {
    send(
      isClientsFault(ending)
        ? { code: status.INVALID_ARGUMENT, details: new UnreadableMessageError().message }
        : ending,
    )
  }
  return call as ServerInterceptingCall
}

/** A call of an unknown method never gets here. */
function isClientsFault({ code, details = '' }: Ending): boolean {
  if (code === status.UNIMPLEMENTED) return /^Received (no|a second) request message/.test(details)
  return code === status.INTERNAL && clientFaults.has(details)
}

const clientFaults: ReadonlySet<string> = new Set([
  'Failed to decompress message',
  'Error deserializing request',
])
