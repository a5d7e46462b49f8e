import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Budgets } from '../config/budgets.ts'
import { takeAll } from '../model/budget.ts'
import { addressKey } from './addresses.ts'
import {
  type Envelope,
  headersTooLarge,
  rawEnvelope,
  rawHttpResponse,
  requestTooSlow,
  sendEnvelope,
} from './errors.ts'
import { rejectTooManyKeys } from './url.ts'

/** Rejects invalid requests before they reach a route, with the envelope instead of the empty body of Node. */
export function answerBrokenRequests(app: FastifyInstance): void {
  answerUnknownExpectations(app.server)
  app.addHook('onRequest', (request, reply, done) => {
    // An HTTP/1.1 request without Host is invalid (RFC 9112, 3.2).
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      sendEnvelope(reply, { statusCode: 400, message: 'The Host header is required.' })
      return
    }
    const repeated = repeatedHeader(request.raw.rawHeaders)
    if (repeated !== undefined) {
      sendEnvelope(reply, { statusCode: 400, message: `The ${repeated} header must be sent once.` })
      return
    }
    // Compressed bodies are rejected, because their size is known only after decompression.
    if (!/^(identity)?$/i.test((request.headers['content-encoding'] ?? '').trim())) {
      sendEnvelope(reply, { statusCode: 415, message: 'The content encoding of the body is not supported.' })
      return
    }
    rejectTooManyKeys(request.query)
    done()
  })
}

/** Node would use the first of two hosts or tokens. */
const singleHeaders: ReadonlyMap<string, string> = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
])

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = singleHeaders.get(rawHeaders[index]?.toLowerCase() ?? '')
    if (name === undefined) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

/**
 * Limits the rate of bodies that arrive after their request was answered. Node reads and drops these bytes at
 * the speed of the network. Above the limit, the connection is destroyed.
 */
export function limitUnreadBodies(app: FastifyInstance, budgets: Budgets): void {
  app.addHook('onSend', ({ raw, ip }, _reply, payload, done) => {
    const { 'transfer-encoding': encoding, 'content-length': length = 0 } = raw.headers
    if (!raw.complete && (encoding !== undefined || Number(length) > 0)) {
      const parts = [
        { budget: budgets.budget('unreadBodyBytesOfAddress'), holder: addressKey(ip) },
        { budget: budgets.budget('unreadBodyBytes') },
      ]
      raw.on('data', ({ length }: Buffer) => {
        if (!takeAll(parts, length)) raw.socket.destroy()
      })
      raw.resume()
    }
    done(null, payload)
  })
}

/** After an early rejection, the client has this long to read the response before the connection is closed. */
export const closeDelayMilliseconds = 1000

/** Answers invalid or incomplete requests: garbage, oversized headers, or data that arrives too slowly. */
export function answerBrokenConnection(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.isBodyExempt) return
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  // Node reports an error for every further piece of data.
  if (socket.isBroken) return
  socket.isBroken = true
  rejectInOrder(connectionErrors[error.code ?? ''] ?? notHttp, socket)
}

interface HttpSocket extends Socket {
  /** The response that Node is writing. Later responses wait for it. */
  _httpMessage?: ServerResponse | null
  isBroken?: boolean
  /** True if the body of the request in progress has no timeout. */
  isBodyExempt?: boolean
}

/**
 * Exempts a request from the timeout of the server, which is too short for large bodies. The handler must
 * limit the time itself.
 */
export function exemptBodyFromTimeout({ raw }: FastifyRequest, reply: FastifyReply): void {
  const socket: HttpSocket = raw.socket
  socket.isBodyExempt = true
  reply.raw.once('close', () => {
    socket.isBodyExempt = false
  })
}

function rejectInOrder(rejection: Envelope, socket: HttpSocket): void {
  const response = socket._httpMessage
  if (!socket.writable) return
  if (response?.req.complete && (response.writableEnded || !response.headersSent)) {
    // An earlier request still waits for its response. An error in its place would claim that nothing was
    // done.
    response.once('finish', () => rejectInOrder(rejection, socket))
  } else if (response?.headersSent) {
    // A response is in progress and must not get a second status line.
    if (response.writableEnded) socket.destroySoon()
    else socket.destroy()
  } else {
    socket.end(rawHttpResponse(rejection))
    // Closing at once would reset the connection before the response has arrived.
    setTimeout(() => socket.destroy(), closeDelayMilliseconds).unref()
  }
}

const notHttp: Envelope = { statusCode: 400, message: 'This is not a valid HTTP request.' }

const connectionErrors: Readonly<Record<string, Envelope>> = {
  ERR_HTTP_REQUEST_TIMEOUT: requestTooSlow,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { statusCode: 413, message: 'The body has too many chunk extensions.' },
  HPE_HEADER_OVERFLOW: headersTooLarge,
}

function answerUnknownExpectations(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const envelope = { statusCode: 417, message: 'The only expectation supported is 100-continue.' }
    const { headers, body } = rawEnvelope(envelope)
    response.writeHead(envelope.statusCode, headers).end(body)
  })
}
