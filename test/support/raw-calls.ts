import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2'
import { disposable } from './fixture.ts'

export interface RawAnswer {
  /** 0 when the stream ended without one. */
  readonly httpStatus: number
  /** Of gRPC; undefined when there was none. */
  readonly status: number | undefined
  readonly message: string
  /** With what the stream was reset; 0 is an ordinary end. */
  readonly resetCode: number
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

export interface RawCalls extends AsyncDisposable {
  readonly session: ClientHttp2Session
  /** One stream with the headers and bytes as they are given. */
  send(headers: OutgoingHttpHeaders, bytes?: Buffer, isEnded?: boolean): Promise<RawAnswer>
  close(): void
}

/** HTTP/2 without a gRPC client around it, for requests that no such client would send. */
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
      let answered: Record<string, unknown> = {}
      const pieces: Buffer[] = []
      stream.on('error', () => undefined)
      stream.on('response', (given) => {
        answered = { ...answered, ...given }
      })
      stream.on('trailers', (given) => {
        answered = { ...answered, ...given }
      })
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      if (bytes.length > 0) stream.write(bytes)
      if (isEnded) stream.end()
      await new Promise((resolve) => stream.once('close', resolve))
      const status = answered['grpc-status']
      return {
        httpStatus: Number(answered[constants.HTTP2_HEADER_STATUS] ?? 0),
        status: status === undefined ? undefined : Number(status),
        message: decodeURIComponent(String(answered['grpc-message'] ?? '')),
        resetCode: stream.rstCode,
        body: Buffer.concat(pieces),
        headers: answered,
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

/** Five bytes precede a message: whether it is compressed, and its length. */
export function framed(message: Buffer, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flag, 0)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}
