import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2'
import { disposable } from './fixture.ts'

export interface RawAnswer {
  /** The status of HTTP. 0 if the stream ended without a response. */
  readonly httpStatus: number
  /** The status of gRPC. Undefined if there was none. */
  readonly status: number | undefined
  readonly message: string
  /** The error code of the reset. 0 if the stream ended normally. */
  readonly resetCode: number
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

export interface RawCalls extends AsyncDisposable {
  readonly session: ClientHttp2Session
  /**
   * Sends a POST, unless the headers name another method. With `isEnded` false, the stream stays open, and the
   * answer is complete when the server closes it.
   */
  send(headers: OutgoingHttpHeaders, bytes?: Buffer, isEnded?: boolean): Promise<RawAnswer>
  close(): void
}

/** Opens an HTTP/2 connection without a gRPC client, for requests that no such client would send. */
export function openRawCalls(
  target: string,
  options: { initialWindowSize?: number; localAddress?: string } = {},
): RawCalls {
  const { localAddress, ...settings } = options
  const session = connect(`http://${target}`, { settings, ...(localAddress && { localAddress }) })
  session.on('error', () => undefined)
  return disposable<RawCalls>({
    session,
    async send(headers, bytes = Buffer.alloc(0), isEnded = true) {
      const stream = session.request({ ':method': 'POST', ...headers }, { endStream: false })
      let responseHeaders: Record<string, unknown> = {}
      const pieces: Buffer[] = []
      stream.on('error', () => undefined)
      stream.on('response', (headers) => {
        responseHeaders = { ...responseHeaders, ...headers }
      })
      stream.on('trailers', (trailers) => {
        responseHeaders = { ...responseHeaders, ...trailers }
      })
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      if (bytes.length > 0) stream.write(bytes)
      if (isEnded) stream.end()
      await new Promise((resolve) => stream.once('close', resolve))
      const status = responseHeaders['grpc-status']
      return {
        httpStatus: Number(responseHeaders[constants.HTTP2_HEADER_STATUS] ?? 0),
        status: status === undefined ? undefined : Number(status),
        message: decodeURIComponent(String(responseHeaders['grpc-message'] ?? '')),
        resetCode: stream.rstCode,
        body: Buffer.concat(pieces),
        headers: responseHeaders,
      }
    },
    close: () => session.destroy(),
  })
}

export const grpcHeaders = (path: string, token?: string): OutgoingHttpHeaders => ({
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
})

/** Adds a prefix of five bytes: a flag for compression, and the length. */
export function framed(message: Buffer, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flag, 0)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}
