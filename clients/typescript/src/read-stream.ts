import type { Send } from './send.ts'
import { unreachableError } from './tracker-error.ts'

export interface StreamEvent {
  /** Empty for an event without an id. */
  readonly id: string
  /** Undefined for a heartbeat, with or without an id. */
  readonly data: string | undefined
}

/** Yields the events of a `text/event-stream` body, including heartbeats. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of readChunks(body)) {
    text = (text + decoder.decode(chunk, { stream: true })).replaceAll('\r\n', '\n')
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) yield parseEvent(block)
  }
}

/** Reads with a reader, because not every browser supports `for await` on streams. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // If the stream has failed, this rejects with the same error, which is being thrown already.
    await reader.cancel().catch(() => undefined)
  }
}

function parseEvent(block: string): StreamEvent {
  let id = ''
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? []
    if (field === 'id') id = value
    if (field === 'data') data.push(value)
  }
  return { id, data: data.length > 0 ? data.join('\n') : undefined }
}

/** Yields a record for each line. Throws if the response is interrupted, because the rows are incomplete. */
export async function* readLines<Row>(
  send: Send,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Row, void> {
  const request = {
    method: 'GET',
    path,
    withinMilliseconds: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
  }
  const response = await send(request, async (opened) => opened)
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of readChunks(response.body as ReadableStream<Uint8Array>)) {
      const lines = (text + decoder.decode(chunk, { stream: true })).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line) as Row
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw unreachableError(error)
  }
}
