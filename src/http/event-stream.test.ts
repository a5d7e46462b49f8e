import { deepStrictEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { until } from '../../test/support/until.ts'
import { type EventStream, formatEvent, openEventStream, wantsEventStream } from './event-stream.ts'
import { listen, sampleHost, send } from './testing/sample-host.ts'

interface HostState {
  stream?: EventStream
  closeCount: number
  readyCount: number
}

async function streamHost(t: TestContext) {
  const app = sampleHost(t, { cors: { origins: ['http://app'] } })
  const state: HostState = { closeCount: 0, readyCount: 0 }
  const slow = Promise.withResolvers<object>()
  app.get('/slow', () => slow.promise)
  app.get('/list', (request, reply) => {
    if (!wantsEventStream(request)) return { plain: true }
    state.stream = openEventStream(reply, {
      onReady: () => {
        state.readyCount += 1
      },
      onClose: () => {
        state.closeCount += 1
      },
    })
    return reply
  })
  return { app, state, slow, port: await listen(app) }
}

const streamRequest =
  'GET /list HTTP/1.1\r\nHost: x\r\nOrigin: http://app\r\nAccept: text/event-stream\r\n\r\n'

/** Connects a client and requests the stream. `text` returns everything that the client has received. */
async function requestStream(
  t: TestContext,
  port: number,
  state: HostState,
  request = streamRequest,
): Promise<{ socket: Socket; stream: EventStream; text: () => string }> {
  delete state.stream
  let text = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    text += chunk
  })
  t.after(() => socket.destroy())
  await until(() => state.stream !== undefined, 'the stream')
  return { socket, stream: streamOf(state), text: () => text }
}

function streamOf({ stream }: HostState): EventStream {
  ok(stream)
  return stream
}

const bodyOf = (answer: string): string => chunksOf(answer).join('')

/** Parses the chunks of a response. The test fails if the length of a chunk is wrong. */
function chunksOf(answer: string): string[] {
  const chunks: string[] = []
  let at = answer.indexOf('\r\n\r\n') + 4
  while (at < answer.length) {
    const lineEnd = answer.indexOf('\r\n', at)
    const length = Number.parseInt(answer.slice(at, lineEnd), 16)
    const end = lineEnd + 2 + length
    equal(answer.slice(end, end + 2), '\r\n')
    chunks.push(answer.slice(lineEnd + 2, end))
    at = end + 2
  }
  return chunks
}

describe('an event stream', () => {
  it('has CORS, security and stream headers', async (t) => {
    const { state, port } = await streamHost(t)
    const { text } = await requestStream(t, port, state)
    await until(() => text().includes('\r\n\r\n'), 'the headers')
    match(text(), /^HTTP\/1.1 200 /)
    match(text(), /content-type: text\/event-stream; charset=utf-8/i)
    match(text(), /cache-control: no-cache, no-store, no-transform/i)
    match(text(), /x-accel-buffering: no/i)
    match(text(), /access-control-allow-origin: http:\/\/app/i)
    match(text(), /x-content-type-options: nosniff/i)
    match(text(), /connection: close/i)
    match(text(), /transfer-encoding: chunked/i)
    doesNotMatch(text(), /content-length/i)
  })

  it('sends events with their ids', async (t) => {
    const { state, port } = await streamHost(t)
    const { text } = await requestStream(t, port, state)
    const event = formatEvent({ event: 'listing', data: '{"a":1}' })
    equal(state.stream?.send(event, 1), true)
    equal(state.stream?.send(event, 2), true)
    state.stream?.comment('still\nhere')
    await until(() => text().includes('still'), 'the heartbeat')
    deepStrictEqual(chunksOf(text()), [
      'id: 1\nevent: listing\ndata: {"a":1}\n\n',
      'id: 2\nevent: listing\ndata: {"a":1}\n\n',
      ': still here\n\n',
    ])
  })

  it('sends one event to several streams with different ids', async (t) => {
    const { state, port } = await streamHost(t)
    const first = await requestStream(t, port, state)
    const second = await requestStream(t, port, state)
    const short = formatEvent({ event: 'listing', data: 'short' })
    const long = formatEvent({ event: 'listing', data: 'x'.repeat(20_000) })
    const next = formatEvent({ event: 'listing', data: 'next' })
    for (const event of [short, long, next]) {
      first.stream.send(event, 1)
      second.stream.send(event, 'two')
      first.stream.send(event, 3)
    }
    const texts = [first.text, second.text]
    await until(() => texts.every((text) => text().endsWith('next\n\n\r\n')), 'all events')
    const expectedBody = (ids: readonly unknown[]) =>
      [short, long, next].flatMap((event) => ids.map((id) => `id: ${id}\n${event}`)).join('')
    deepStrictEqual(
      texts.map((text) => bodyOf(text())),
      [expectedBody([1, 3]), expectedBody(['two'])],
    )
  })

  it('is not chunked for HTTP/1.0', async (t) => {
    const { state, port } = await streamHost(t)
    const request = 'GET /list HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n'
    const { socket, stream, text } = await requestStream(t, port, state, request)
    equal(stream.send(formatEvent({ event: 'listing', data: '{"a":1}' }), 1), true)
    await until(() => text().endsWith('\n\n'), 'the event')
    match(text(), /connection: close\r\n(.+\r\n)*\r\nid: 1\nevent: listing\ndata: \{"a":1\}\n\n$/i)
    doesNotMatch(text(), /transfer-encoding/i)
    stream.close()
    await until(() => socket.destroyed, 'the end of the connection')
  })

  it('begins after the response to an earlier request on the connection', async (t) => {
    const { state, slow, port } = await streamHost(t)
    const requests = `GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${streamRequest}`
    const { socket, stream, text } = await requestStream(t, port, state, requests)
    equal(stream.send(formatEvent({ event: 'listing', data: '{"a":1}' }), 1), true)
    slow.resolve({ slow: true })
    await until(() => text().endsWith('\n\n\r\n'), 'the event')
    match(text(), /\{"slow":true\}HTTP\/1\.1 200 /)
    match(text(), /\r\n\r\n24\r\nid: 1\nevent: listing\ndata: \{"a":1\}\n\n\r\n$/)
    stream.close()
    await until(() => socket.destroyed, 'the end of the connection')
  })

  it('calls onClose once when the client disconnects', async (t) => {
    const { state, port } = await streamHost(t)
    const { socket } = await requestStream(t, port, state)
    socket.destroy()
    await until(() => state.closeCount === 1, 'onClose')
    equal(state.stream?.isReady, false)
    equal(state.stream?.send(Buffer.from('x')), false)
    state.stream?.comment('x')
    state.stream?.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    equal(state.closeCount, 1)
  })

  it('calls onClose once when the host closes it', async (t) => {
    const { state, port } = await streamHost(t)
    const { socket, text } = await requestStream(t, port, state)
    state.stream?.close('That is all.')
    equal(state.closeCount, 1)
    await once(socket, 'end')
    deepStrictEqual(chunksOf(text()), [': That is all.\n\n', ''])
    state.stream?.close()
    equal(state.closeCount, 1)
  })

  it('accepts no events while the client does not read', async (t) => {
    const { state, port } = await streamHost(t)
    const { socket } = await requestStream(t, port, state)
    socket.pause()
    const event = formatEvent({ event: 'listing', data: 'x'.repeat(50_000) })
    let accepted = 0
    let stalledAttempts = 0
    // The kernel may take more after a moment, so the stream counts as full after it was full for a while.
    for (let attempt = 0; attempt < 2000 && stalledAttempts < 50; attempt += 1) {
      if (state.stream?.send(event)) accepted += 1
      stalledAttempts = state.stream?.isReady ? 0 : stalledAttempts + 1
      await new Promise((resolve) => setTimeout(resolve, stalledAttempts > 0 ? 5 : 0))
    }
    ok(accepted < 1000, `${accepted} events were accepted`)
    for (let attempt = 0; attempt < 100; attempt += 1) equal(state.stream?.send(event), false)
    state.stream?.comment('left out')
    const { readyCount } = state
    socket.resume()
    await until(() => state.readyCount > readyCount, 'onReady')
    equal(state.stream?.isReady, true)
    equal(state.stream?.send(event), true)
  })

  it('disconnects a stalled client when the host closes it', async (t) => {
    const { state, port } = await streamHost(t)
    const { socket } = await requestStream(t, port, state)
    socket.pause()
    const event = Buffer.alloc(8 * 1024 ** 2, 'x')
    state.stream?.send(event)
    equal(state.stream?.isReady, false)
    state.stream?.close()
    equal(state.closeCount, 1)
    // The client notices the closed connection only when it reads.
    socket.resume()
    await until(() => socket.destroyed, 'the end of the connection')
  })

  it('calls onClose if the client disconnects before the stream is opened', async (t) => {
    const app = sampleHost(t)
    let closed = 0
    app.get('/late', async (_request, reply) => {
      const disconnected = once(reply.raw, 'close')
      socket.destroy()
      await disconnected
      const onClose = () => {
        closed += 1
      }
      openEventStream(reply, { onReady: () => undefined, onClose })
    })
    const port = await listen(app)
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n'))
    await until(() => closed === 1, 'onClose')
  })
})

describe('wantsEventStream', () => {
  it('is true for a GET request that prefers an event stream to JSON', async (t) => {
    const { app, port } = await streamHost(t)
    const headersForJson = [
      'application/json',
      '*/*',
      'text/*',
      'text/event-stream;q=0',
      'application/json, text/event-stream;q=0.5',
    ]
    for (const accept of headersForJson)
      equal((await app.inject({ url: '/list', headers: { accept } })).body, '{"plain":true}')
    const headers = { accept: 'text/event-stream' }
    equal((await send(port, { method: 'HEAD', path: '/list', headers })).status, 200)
    const wantsStream = (accept: string) => wantsEventStream({ method: 'GET', headers: { accept } } as never)
    equal(wantsStream('text/event-stream'), true)
    equal(wantsStream('Text/Event-Stream; q=0.9, */*'), false)
    equal(wantsStream('application/json;q=0.5,text/event-stream'), true)
    equal(wantsStream('text/event-stream, application/json'), false)
  })
})

it('a host that stops sends each client a delay for its reconnection, once', async (t) => {
  const { state, port } = await streamHost(t)
  const { socket, text } = await requestStream(t, port, state)
  state.stream?.closeForShutdown()
  state.stream?.closeForShutdown()
  await new Promise((resolve) => socket.once('end', resolve))
  equal(text().match(/: The host stops\.\n\nretry: \d+\n\n/g)?.length, 1)
  equal(state.closeCount, 1)
})

it('formatEvent writes one data field per line', () => {
  equal(
    formatEvent({ id: 7, event: 'listing', data: 'a\nb\r\nc\rd' }).toString(),
    'id: 7\nevent: listing\ndata: a\ndata: b\ndata: c\ndata: d\n\n',
  )
})
