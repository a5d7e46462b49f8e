import { equal, ok, rejects } from 'node:assert/strict'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { prepareStop } from './shutdown.ts'
import { listen, sampleHost, send } from './testing/sample-host.ts'

async function stoppableHost(t: TestContext) {
  const app = sampleHost(t)
  const stop = prepareStop(app)
  app.get('/slow', () => new Promise((resolve) => setTimeout(() => resolve('done'), 100)))
  app.get('/never', () => new Promise(() => undefined))
  return { stop, port: await listen(app) }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('a host that stops', () => {
  it('finishes the request in flight and says that the connection ends', async (t) => {
    const { stop, port } = await stoppableHost(t)
    const agent = new Agent({ keepAlive: true })
    const answer = send(port, { path: '/slow', agent })
    await pause(30)
    ok((await timeOf(() => stop(2000))) < 1000)
    equal((await answer).body, 'done')
    equal((await answer).headers.connection, 'close')
    await rejects(send(port, { path: '/echo' }))
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
