import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { disposable } from './fixture.ts'
import { openEventStream } from './live-events.ts'

async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return disposable<{ address: string } & AsyncDisposable>({ address, close: () => server.close() } as never)
}

describe('A reader of an event stream', () => {
  test('has ended if the stream was rejected', async () => {
    await using server = await startServer((_, response) => response.writeHead(403).end('No access.'))
    await using reader = await openEventStream(server.address, '/')
    assert.deepEqual([reader.status, reader.rejection, reader.isEnded], [403, 'No access.', true])
    await reader.ended
    await assert.rejects(reader.next(), /The stream ended/)
  })

  test('knows the data, the comment and the retry time of one block', async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('retry: 250\n: hello\nid: 7\nevent: listing\ndata: {"a":\ndata: 1}\n\n')
    })
    await using reader = await openEventStream(server.address, '/')
    const { id, name, data } = await reader.next()
    assert.deepEqual([id, name, data], ['7', 'listing', { a: 1 }])
    assert.deepEqual([reader.comments, reader.retryMilliseconds], [['hello'], 250])
    await assert.rejects(reader.next(0.01), /No event arrived within 0.01 s/)
  })
})
