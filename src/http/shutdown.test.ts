import { equal, ok, rejects } from 'node:assert/strict'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { isListening } from '../../bench/child-process.ts'
import { measureRunningTime } from '../../test/support/running-time.ts'
import { until } from '../../test/support/until.ts'
import { addHealthRoutes, prepareShutdown } from './listen.ts'
import { listen, sampleHost, send } from './testing/sample-host.ts'

async function startStoppableHost(t: TestContext, options: { linger?: number } = {}) {
  const app = sampleHost(t)
  const shutdown = prepareShutdown(app, options)
  const arrived = Promise.withResolvers<void>()
  app.get('/slow', async (_request, reply) => {
    arrived.resolve()
    await until(() => reply.getHeader('connection') === 'close', 'the host to stop')
    return 'done'
  })
  app.get('/never', () => {
    arrived.resolve()
    return new Promise(() => undefined)
  })
  addHealthRoutes(app, [shutdown.readiness])
  return { ...shutdown, arrived: arrived.promise, port: await listen(app) }
}

async function measureMilliseconds(run: () => Promise<unknown>): Promise<number> {
  const milliseconds = measureRunningTime()
  await run()
  return milliseconds()
}

/** Resolves with the first line of the response to a request that is sent when the connection opens. */
function firstLine(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /echo HTTP/1.1\r\nHost: x\r\n\r\n')
    socket.on('error', reject)
    socket.once('data', (chunk) => resolve(String(chunk).split('\r\n', 1)[0] ?? ''))
  })
}

describe('a host that stops', () => {
  it('finishes the request in flight and announces the end of the connection', async (t) => {
    const { stop, port, arrived } = await startStoppableHost(t)
    const agent = new Agent({ keepAlive: true })
    const answer = send(port, { path: '/slow', agent })
    await arrived
    ok((await measureMilliseconds(() => stop(20_000))) < 1000)
    equal((await answer).body, 'done')
    equal((await answer).headers.connection, 'close')
    await rejects(send(port, { path: '/echo' }))
  })

  it('keeps serving after it announced its stop', async (t) => {
    const { announceStop, port } = await startStoppableHost(t)
    const agent = new Agent({ keepAlive: true })
    equal((await send(port, { path: '/readyz', agent })).status, 200)
    announceStop()
    equal((await send(port, { path: '/readyz', agent })).status, 503)
    const answer = await send(port, { path: '/echo', agent })
    equal(answer.status, 200)
    // After a `close`, a proxy that ignores readiness would reconnect until a connection is reset.
    equal(answer.headers.connection, 'keep-alive')
    agent.destroy()
  })

  it('answers once more on a kept-alive connection after it announced its stop', async (t) => {
    const { announceStop, stop, port } = await startStoppableHost(t)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await send(port, { path: '/echo', agent })
    announceStop()
    const stopped = measureMilliseconds(() => stop())
    await until(async () => !(await isListening(port)), 'the host to stop listening')
    const answer = await send(port, { path: '/echo', agent })
    equal(answer.status, 200)
    equal(answer.headers.connection, 'close')
    ok((await stopped) < 2000, 'It waits for connections, not for a fixed time.')
  })

  it('waits for an unused connection after it announced its stop', async (t) => {
    const { announceStop, stop, port } = await startStoppableHost(t, { linger: 300 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await send(port, { path: '/echo', agent })
    announceStop()
    const startedAt = performance.now()
    ok((await measureMilliseconds(() => stop())) < 2000)
    ok(performance.now() - startedAt >= 290)
    agent.destroy()
  })

  it('answers on every connection that was open when it stopped listening', async (t) => {
    const { stop, port } = await startStoppableHost(t)
    const answers = Array.from({ length: 50 }, () => firstLine(port))
    const stopped = stop(20_000)
    equal((await Promise.all(answers)).filter((line) => line !== 'HTTP/1.1 200 OK').length, 0)
    await stopped
  })

  it('does not wait for connections without a request', async (t) => {
    const { stop, port } = await startStoppableHost(t)
    const spare = connect(port, '127.0.0.1')
    await new Promise((resolve) => spare.once('connect', resolve))
    ok((await measureMilliseconds(() => stop(2000))) < 1000)
  })

  it('cuts requests that do not end within the limit', async (t) => {
    const { stop, port, arrived } = await startStoppableHost(t)
    const cut = rejects(send(port, { path: '/never' }))
    await arrived
    const startedAt = performance.now()
    ok((await measureMilliseconds(() => stop(100))) < 1000)
    ok(performance.now() - startedAt >= 90)
    await cut
  })
})
