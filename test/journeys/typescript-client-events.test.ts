import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readEvents, type StreamEvent } from '../../clients/typescript/src/read-stream.ts'

async function eventsOf(chunks: readonly string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Uint8Array.from(Buffer.from(chunk, 'latin1')))
      controller.close()
    },
  })
  const events: StreamEvent[] = []
  for await (const event of readEvents(body)) events.push(event)
  return events
}

const latin = (text: string) => Buffer.from(text).toString('latin1')

describe('Events of a stream in the TypeScript client', () => {
  test('are the same however the network splits them', async () => {
    const text = latin('event: listing\nid: 7\ndata: {"name":"Übung"}\n\n')
    for (let cut = 1; cut < text.length; cut += 1) {
      const events = await eventsOf([text.slice(0, cut), text.slice(cut)])
      assert.deepEqual(events, [{ id: '7', data: '{"name":"Übung"}' }], `cut at ${cut}`)
    }
  })

  test('may have line ends of Windows', async () => {
    const events = await eventsOf(['id: 1\r\ndata: a\r', '\ndata: b\r\n\r\nid: 2\r\ndata: c\r\n\r\n'])
    assert.deepEqual(events, [
      { id: '1', data: 'a\nb' },
      { id: '2', data: 'c' },
    ])
  })

  test('have no data if they are heartbeats', async () => {
    const events = await eventsOf([': still here\n\n', 'id: 3\n\n'])
    assert.deepEqual(events, [
      { id: '', data: undefined },
      { id: '3', data: undefined },
    ])
  })

  test('are dropped if they are incomplete', async () => {
    assert.deepEqual(await eventsOf(['id: 1\ndata: a\n\nid: 2\ndata: b']), [{ id: '1', data: 'a' }])
  })
})
