import { equal, ok, rejects } from 'node:assert/strict'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { until } from '../../test/support/until.ts'
import { addHealthRoutes } from './health.ts'
import { prepareStop } from './listen.ts'
import { listen, sampleHost, send } from './testing/sample-host.ts'

async function stoppableHost(t: TestContext, options: { linger?: number } = {}) {
  const app = sampleHost(t)
  const stopping = prepareStop(app, options)
  const arrived = Promise.withResolvers<void>()
  app.get('/slow', async (_request, reply) => {
    arrived.resolve()
    await until(() => reply.getHeader('connection') === 'close', 'the host to stop')
    return 'done'
  })
  app.get('/never', () => new Promise(() => undefined))
  addHealthRoutes(app, [stopping.readiness])
  return { ...stopping, arrived: arrived.promise, port: await listen(app) }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** Resolves with the first line of the response to a request that is sent as soon as the connection is open. */
function firstLine(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /echo HTTP/1.1\r\nHost: x\r\n\r\n')
    socket.on('error', reject)
    socket.once('data', (chunk) => resolve(String(chunk).split('\r\n', 1)[0] ?? ''))
  })
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('a host that stops', () => {
  it('finishes the request in flight and says that the connection ends', async (t) => {
    const { stop, port, arrived } = await stoppableHost(t)
    const agent = new Agent({ keepAlive: true })
    const answer = send(port, { path: '/slow', agent })
    await arrived
    ok((await timeOf(() => stop(2000))) < 1000)
    equal((await answer).body, 'done')
    equal((await answer).headers.connection, 'close')
    await rejects(send(port, { path: '/echo' }))
  })

  it('goes on serving while it leaves, and is ready no more', async (t) => {
    const { leave, port } = await stoppableHost(t)
    const agent = new Agent({ keepAlive: true })
    equal((await send(port, { path: '/readyz', agent })).status, 200)
    leave()
    equal((await send(port, { path: '/readyz', agent })).status, 503)
    const answer = await send(port, { path: '/echo', agent })
    equal(answer.status, 200)
    // A proxy that ignores readiness would reconnect, until one connection is reset.
    equal(answer.headers.connection, 'keep-alive')
    agent.destroy()
  })

  it('that has left answers once more on a connection that is kept, as its last answer', async (t) => {
    const { leave, stop, port } = await stoppableHost(t)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await send(port, { path: '/echo', agent })
    leave()
    const stopped = timeOf(() => stop())
    await pause(100)
    await rejects(send(port, { path: '/echo' }), 'It listens no more.')
    const answer = await send(port, { path: '/echo', agent })
    equal(answer.status, 200)
    equal(answer.headers.connection, 'close')
    ok((await stopped) < 2000, 'It waits for no time, but for connections.')
  })

  it('that has left waits for an unused connection, but not forever', async (t) => {
    const { leave, stop, port } = await stoppableHost(t, { linger: 300 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await send(port, { path: '/echo', agent })
    leave()
    const milliseconds = await timeOf(() => stop())
    ok(milliseconds >= 299 && milliseconds < 2000)
    agent.destroy()
  })

  it('answers on every connection that was there when it stopped to listen', async (t) => {
    const { stop, port } = await stoppableHost(t)
    const answers = Array.from({ length: 50 }, () => firstLine(port))
    const stopped = stop(2000)
    equal((await Promise.all(answers)).filter((line) => line !== 'HTTP/1.1 200 OK').length, 0)
    await stopped
  })

  it('does not wait for connections on which nothing was asked', async (t) => {
    const { stop, port } = await stoppableHost(t)
    const spare = connect(port, '127.0.0.1')
    await new Promise((resolve) => spare.once('connect', resolve))
    ok((await timeOf(() => stop(2000))) < 1000)
  })

  it('cuts what does not end within the limit', async (t) => {
    const { stop, port } = await stoppableHost(t)
    const cut = rejects(send(port, { path: '/never' }))
    await pause(30)
    const milliseconds = await timeOf(() => stop(100))
    ok(milliseconds >= 95 && milliseconds < 1000)
    await cut
  })
})
