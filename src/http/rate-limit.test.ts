import { deepStrictEqual, equal } from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { until } from '../../test/support/until.ts'
import { manualClock } from './testing/manual-clock.ts'
import { listen, sampleHost, send } from './testing/sample-host.ts'

const limits = { permitLimit: 3, queueLimit: 1, windowMilliseconds: 250 }

/** Waits until the limiter has seen this many requests. It reads the clock once for each, so the reads are counted. */
const untilSeen = (count: number, { readCount }: Pick<ReturnType<typeof manualClock>, 'readCount'>) =>
  until(() => readCount() === count, `request ${count} to reach the limiter`)

describe('a client that sends too many requests', () => {
  it('waits for the next window, or gets a 429 with Retry-After', async (t) => {
    const { clock, advance } = manualClock()
    const app = sampleHost(t, { rateLimit: { ...limits, clock }, cors: { origins: ['http://app'] } })
    const port = await listen(app)
    let answerCount = 0
    const requests = Array.from({ length: 5 }, async () => {
      const answer = await send(port, { path: '/echo', headers: { origin: 'http://app' } })
      answerCount += 1
      return answer
    })
    await until(() => answerCount === 4, 'three responses and a rejection')
    advance(limits.windowMilliseconds)
    const answers = await Promise.all(requests)
    const rejected = answers.filter(({ status }) => status === 429)
    equal(rejected.length, 1)
    deepStrictEqual(JSON.parse(rejected[0]!.body), {
      statusCode: 429,
      message: 'Too many requests. Please try again later.',
    })
    equal(rejected[0]!.headers['retry-after'], '1')
    equal(rejected[0]!.headers['access-control-allow-origin'], 'http://app')
    equal(rejected[0]!.headers['x-content-type-options'], 'nosniff')
    equal(answers.filter(({ status }) => status === 200).length, 4)
  })

  it('may always check health, but nothing else', async (t) => {
    const app = sampleHost(t, { rateLimit: { permitLimit: 1, queueLimit: 0 } })
    app.get('/healthz', () => 'Healthy')
    const statusOf = async (url: string) => (await app.inject({ url })).statusCode
    deepStrictEqual(
      [await statusOf('/echo'), await statusOf('/nothing'), await statusOf('/echo')],
      [200, 429, 429],
    )
    for (const url of ['/healthz?x=1', '/HEALTHZ', '/healthz/', '/%68ealthz'])
      equal(await statusOf(url), 200, url)
    for (const url of ['/healthz/x', '//healthz', '/healthz%2F', '/nothing?/healthz'])
      equal(await statusOf(url), 429, url)
  })

  it('is identified by the address that its proxy saw', async (t) => {
    const app = sampleHost(t, { trustedHops: 1, rateLimit: { permitLimit: 1, queueLimit: 0 } })
    const statusFor = async (address: string) =>
      (await app.inject({ url: '/echo', headers: { 'x-forwarded-for': address } })).statusCode
    deepStrictEqual(
      [await statusFor('1.1.1.1'), await statusFor('2.2.2.2'), await statusFor('6.6.6.6, 1.1.1.1')],
      [200, 200, 429],
    )
  })

  it('releases its place in the queue when it disconnects', async (t) => {
    const { clock, advance, readCount } = manualClock()
    const app = sampleHost(t, { rateLimit: { ...limits, permitLimit: 1, clock } })
    let isClosed = false
    const port = await listen(app)
    await send(port, { path: '/echo' })
    app.server.once('connection', (socket) => socket.once('close', () => (isClosed = true)))
    const leaving = connect(port, '127.0.0.1', () => leaving.write('GET /echo HTTP/1.1\r\nHost: x\r\n\r\n'))
    await untilSeen(2, { readCount })
    equal((await send(port, { path: '/echo' })).status, 429)
    leaving.destroy()
    await until(() => isClosed, 'the host to notice')
    const next = send(port, { path: '/echo' })
    await untilSeen(4, { readCount })
    advance(limits.windowMilliseconds)
    equal((await next).status, 200)
  })

  it('gets a response to a waiting request when the host closes', async (t) => {
    const { clock, readCount } = manualClock()
    const app = sampleHost(t, { rateLimit: { permitLimit: 1, queueLimit: 1, clock } })
    const port = await listen(app)
    await send(port, { path: '/echo', agent: false })
    const waiting = send(port, { path: '/echo', agent: false })
    await untilSeen(2, { readCount })
    await app.close()
    equal((await waiting).status, 200)
  })
})
