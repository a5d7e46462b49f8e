import { connect } from 'node:net'
import { grpcHeaders } from './raw-calls.ts'

/** Encodes an HTTP/2 frame, for requests that no client library sends. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const endStream = 1
export const endHeaders = 4

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
/** The connection preface and an empty SETTINGS frame. */
export const opening = Buffer.concat([preface, frame(frameTypes.settings, 0, 0)])

type Header = readonly [name: string, value: string]

/** Encodes headers with HPACK, without its table and without compression. */
export const headerBlock = (headers: readonly Header[]): Buffer =>
  Buffer.concat(
    headers.map(([name, value]) => Buffer.concat([Buffer.from([0]), hpackText(name), hpackText(value)])),
  )

/** The length is an integer with a prefix of seven bits (RFC 7541, 5.1). */
function hpackText(text: string): Buffer {
  if (text.length < 127) return Buffer.concat([Buffer.of(text.length), Buffer.from(text)])
  const length = [127]
  let remaining = text.length - 127
  for (; remaining > 127; remaining >>= 7) length.push((remaining & 127) | 128)
  return Buffer.concat([Buffer.from([...length, remaining]), Buffer.from(text)])
}

export function callHeaders(path: string, added: Readonly<Record<string, string>> = {}): readonly Header[] {
  const pseudo = { ':method': 'POST', ':scheme': 'http', ':authority': 'x' }
  return Object.entries({ ...pseudo, ...grpcHeaders(path), ...added }).map(
    ([name, value]) => [name, String(value)] as const,
  )
}

export const openCall = (index: number, block: Buffer, flags: number = endHeaders): Buffer =>
  frame(frameTypes.headers, flags, 2 * index + 1, block)

export function resetCall(index: number): Buffer {
  const cancel = Buffer.from([0, 0, 0, 8])
  return frame(frameTypes.resetStream, 0, 2 * index + 1, cancel)
}

export const manyTimes = (count: number, each: (index: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => each(index)))

export interface ReceivedFrame {
  readonly type: number
  readonly payload: Buffer
}

export interface FrameConnection {
  send(...frames: readonly Buffer[]): void
  received(): readonly ReceivedFrame[]
  /** Returns the error code of the GOAWAY, if one has arrived. */
  goAwayCode(): number | undefined
  isClosed(): boolean
  close(): void
}

/** Connects without sending anything. The caller sends `opening` first. */
export function openFrames(target: string, localAddress = '127.0.0.1'): FrameConnection {
  const [host, port] = target.split(':')
  const socket = connect({ host, port: Number(port), localAddress, noDelay: true })
  socket.on('error', () => undefined)
  let bytes = Buffer.alloc(0)
  socket.on('data', (piece) => {
    bytes = Buffer.concat([bytes, piece])
  })
  return {
    send: (...frames) => void socket.write(Buffer.concat(frames)),
    received: () => framesOf(bytes),
    goAwayCode: () =>
      framesOf(bytes)
        .find(({ type }) => type === frameTypes.goAway)
        ?.payload.readUInt32BE(4),
    isClosed: () => socket.destroyed,
    close: () => socket.destroy(),
  }
}

function framesOf(bytes: Buffer): readonly ReceivedFrame[] {
  const frames: ReceivedFrame[] = []
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    frames.push({ type: bytes.readUInt8(at + 3), payload: bytes.subarray(at + 9, end) })
    at = end
  }
  return frames
}
