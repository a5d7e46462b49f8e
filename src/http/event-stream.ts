import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface EventStream {
  /** True if the client has read enough to receive another event. */
  readonly isReady: boolean
  /**
   * Sends an event that other streams may share, with the id that it has on this stream. Returns false if the
   * client has not read enough. The event is then dropped, and `onReady` is called later.
   */
  send(event: Buffer, id?: number | string): boolean
  /** Sends a comment, such as a heartbeat, if the client has read enough. */
  comment(text: string): void
  /** The reason is sent as a comment. Clients ignore comments. */
  close(reason?: string): void
  /** Ends the stream because the host stops. The client reconnects shortly and reaches another host. */
  closeForShutdown(): void
}

export interface EventStreamListeners {
  /** Called when the client has caught up after a rejected `send`. */
  readonly onReady: () => void
  /**
   * Called exactly once, when the client disconnects, the connection fails, or the host closes the stream.
   */
  readonly onClose: () => void
}

/**
 * Responds with an endless body. The caller must throw its errors before, while a status can still be sent.
 */
export function openEventStream(reply: FastifyReply, listeners: EventStreamListeners): EventStream {
  const response = reply.headers(eventStreamHeaders).hijack().raw
  // Without chunks, many clients would delay events until a buffer is full. HTTP/1.0 has no chunks.
  const isChunked = reply.request.raw.httpVersion !== '1.0'
  if (isChunked) reply.header('transfer-encoding', 'chunked')
  // Headers that are passed to writeHead are not kept in memory while the stream is open.
  response.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
  response.flushHeaders()
  // Node would write each chunk in four pieces. `writeEvent` joins them.
  response.chunkedEncoding = false
  const write = (event: Buffer, id?: number | string) => writeEvent(response, isChunked, event, id)

  let isReady = true
  let hasSkippedEvent = false
  let isClosed = false
  const finish = () => {
    if (isClosed) return
    isClosed = true
    isReady = false
    listeners.onClose()
  }
  response.on('drain', () => {
    if (isClosed) return
    isReady = true
    if (!hasSkippedEvent) return
    hasSkippedEvent = false
    listeners.onReady()
  })
  response.on('error', finish)
  response.on('close', finish)
  // The client may have disconnected earlier.
  if (response.closed || response.destroyed) queueMicrotask(finish)

  const end = (closingText?: string) => {
    if (isClosed) return
    // A client that does not read would never receive the end of the body.
    if (isReady) {
      if (closingText !== undefined) write(Buffer.from(closingText))
      response.end(isChunked ? lastChunk : undefined)
    } else response.destroy()
    finish()
  }

  return {
    get isReady() {
      return isReady
    },
    send(event, id) {
      if (!isReady) {
        hasSkippedEvent = true
        return false
      }
      isReady = write(event, id)
      return true
    },
    comment(text) {
      if (isReady) isReady = write(Buffer.from(comment(text)))
    },
    close: (reason) => end(reason === undefined ? undefined : comment(reason)),
    closeForShutdown: () => end(`${comment('The host stops.')}retry: ${reconnectMilliseconds()}\n\n`),
  }
}

/** The delay is random, so that thousands of clients do not reconnect at once. */
const reconnectMilliseconds = () => Math.round(200 + 2800 * Math.random())

/** Copying a longer event costs more than a second write. */
const joinedBytesMax = 16 * 1024

const lastChunk = '0\r\n\r\n'

function writeEvent(
  response: ServerResponse,
  isChunked: boolean,
  event: Buffer,
  id: number | string | undefined,
): boolean {
  if (event.length <= joinedBytesMax) return response.write(join(event, id, isChunked))
  const [before, after] = frameOf(event, id, isChunked)
  // Node sends everything that is written in one turn together. Corking would hide that the socket is full.
  response.write(before)
  const isReady = response.write(event)
  return after === '' ? isReady : response.write(after)
}

interface Joined {
  readonly event: Buffer
  readonly id: number | string | undefined
  readonly isChunked: boolean
  readonly bytes: Buffer
}

/** The last result of `join`. A change is usually sent to all streams of a listing with the same id. */
let lastJoined: Joined | undefined

function join(event: Buffer, id: number | string | undefined, isChunked: boolean): Buffer {
  if (lastJoined?.event !== event || lastJoined.id !== id || lastJoined.isChunked !== isChunked) {
    const [before, after] = frameOf(event, id, isChunked)
    lastJoined = {
      event,
      id,
      isChunked,
      bytes: Buffer.concat([Buffer.from(before), event, Buffer.from(after)]),
    }
  }
  return lastJoined.bytes
}

/** Returns the text before and after the event: the frame of the chunk and the id. */
function frameOf(
  event: Buffer,
  id: number | string | undefined,
  isChunked: boolean,
): readonly [before: string, after: string] {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  if (!isChunked) return [idLine, '']
  const length = Buffer.byteLength(idLine) + event.length
  return [`${length.toString(16)}\r\n${idLine}`, '\r\n']
}

const eventStreamHeaders = {
  // The connection is closed with the stream, so a client that reconnects may reach another host.
  connection: 'close',
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that compress would delay events. The value no-transform prevents this.
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
} as const

/**
 * Returns whether the client prefers a stream to JSON. A HEAD request opens no stream, because nothing would
 * end it.
 */
export const wantsEventStream = (request: FastifyRequest): boolean =>
  request.method === 'GET' && prefersOverJson(request, 'text/event-stream')

/** Returns whether the client accepts this type and prefers it to JSON. */
export function prefersOverJson({ headers: { accept } }: FastifyRequest, type: string): boolean {
  if (accept === undefined || !accept.includes(type)) return false
  const quality = qualityOf(accept, type)
  return quality > 0 && quality > qualityOf(accept, 'application/json')
}

function qualityOf(accept: string, type: string): number {
  for (const range of accept.split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}

/** Formats an event. An event without an id can be sent on every stream. */
export function formatEvent(event: {
  readonly event: string
  readonly data: string
  readonly id?: number | string
}): Buffer {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`
  const data = event.data.split(lineEnd).join('\ndata: ')
  return Buffer.from(`${id}event: ${toOneLine(event.event)}\ndata: ${data}\n\n`)
}

const comment = (text: string): string => `: ${toOneLine(text)}\n\n`

const lineEnd = /\r\n|\r|\n/

function toOneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}
