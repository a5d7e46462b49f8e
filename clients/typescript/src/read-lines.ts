import { readChunks } from './read-events.ts'
import type { Send } from './send.ts'
import { unreachableError } from './tracker-error.ts'

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
