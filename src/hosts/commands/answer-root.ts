import type { Http2Server, IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { constants } from 'node:http2'
import type { FastifyInstance } from 'fastify'

/** The gRPC library rejects whatever is no call. `GET /` gets the answer of the diagnostics, so both ports have one policy. */
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
      // A client that never ends its request would keep the stream.
      stream.end(method === 'HEAD' ? undefined : rawPayload, () => stream.close(constants.NGHTTP2_NO_ERROR))
    })
    .catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
}

const plainHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))

/** HTTP/2 rejects those that describe a connection. */
const allowedHeaders = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnections.has(name)))

const ofConnections: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])
