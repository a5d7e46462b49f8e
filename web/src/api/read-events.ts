export interface StreamEvent {
  readonly id: string
  readonly data: string
}

/**
 * The events of a `text/event-stream` body; an EventSource cannot send a token. `onBytes` hears of everything that
 * arrives, heartbeats too.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: () => void,
): AsyncGenerator<StreamEvent> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    onBytes()
    text = (text + chunk).replaceAll('\r\n', '\n')
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventIn(block)
      if (event !== undefined) yield event
    }
  }
}

function eventIn(block: string): StreamEvent | undefined {
  let id = ''
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? []
    if (field === 'id') id = value
    if (field === 'data') data.push(value)
  }
  return data.length > 0 ? { id, data: data.join('\n') } : undefined
}
