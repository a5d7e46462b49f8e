import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { describe, test } from 'node:test'
import { assertEnvelope, assertSecurityHeaders, valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { type Answer, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { until, within } from '../support/until.ts'

const origin = 'https://app.example.com'

/** Each test uses its own client address, so that all can share one host. */
function clientAt(localAddress: string, rest: () => RestUnderTest) {
  const agent = new Agent({ keepAlive: false })
  function get(path = '/', headers: Record<string, string> = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(`${rest().address}${path}`, { localAddress, agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece
        })
        response.on('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json')
          const found = new Headers(response.headers as Record<string, string>)
          resolve({
            status: response.statusCode ?? 0,
            headers: found,
            body: isJson ? JSON.parse(text) : text,
          })
        })
      })
      sent.on('error', reject).end()
    })
  }
  return {
    get,
    status: async (path?: string, headers?: Record<string, string>) => (await get(path, headers)).status,
    /**
     * Sends as many requests as may wait, until `giveUp` is called, and one more. Resolves when that one is
     * rejected, because the queue is full then.
     */
    async fillQueue(count: number) {
      let answered = 0
      const waiting = Array.from({ length: count + 1 }, () => {
        const sent = request(rest().address, { localAddress, agent: false }, (response) => {
          answered += 1
          response.resume()
        })
        sent.on('error', () => undefined).end()
        return sent
      })
      await until(() => answered > 0, 'the rejection of a request')
      return {
        areWaiting: () => answered === 1,
        giveUp() {
          for (const sent of waiting) sent.destroy()
        },
      }
    },
  }
}

const limits = (permits: number, queue: number) => ({
  Cors__AllowedOrigins__0: origin,
  RateLimit__Rest__PermitLimit: String(permits),
  RateLimit__Rest__QueueLimit: String(queue),
})

describe('The rate limit', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, limits(4, 2))
  const clientFrom = (address: string) => clientAt(address, () => rest)

  test('is by default 300 requests a minute', async () => {
    const separateHost = await startRestUnderTest({
      RateLimit__Rest__PermitLimit: undefined,
      RateLimit__Rest__QueueLimit: undefined,
    })
    const client = clientAt('127.0.0.1', () => separateHost)
    const statuses = await Promise.all(Array.from({ length: 300 }, () => client.status()))
    assert.ok(statuses.every((status) => status === 200))
    const queue = await client.fillQueue(20)
    assertEnvelope(await client.get(), 429)
    assert.ok(queue.areWaiting())
    await within(3000, separateHost.stop(), 'to stop while clients wait for the next minute')
    queue.giveUp()
  })

  test('rejects with a Retry-After that browsers may read', async () => {
    const client = clientFrom('127.0.0.11')
    for (const path of ['/', '/nothing', '/api/me', '/swagger']) await client.get(path)
    const queue = await client.fillQueue(2)
    for (const headers of [{}, { authorization: `Bearer ${rest.administrator.token}` }, { origin }]) {
      const answer = await client.get('/api/me', headers)
      assertEnvelope(answer, 429)
      const seconds = Number(answer.headers.get('retry-after'))
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`)
    }
    const rejected = await client.get('/', { origin })
    assert.equal(rejected.headers.get('access-control-allow-origin'), origin)
    assert.match(rejected.headers.get('access-control-expose-headers') ?? '', /retry-after/i)
    for (const path of ['/healthz', '/readyz']) assert.equal(await client.status(path), 200)
    assert.ok(queue.areWaiting())
    queue.giveUp()
  })

  test('gives the place of a waiting client that disconnects to the next one', async () => {
    const client = clientFrom('127.0.0.12')
    for (let count = 0; count < 4; count += 1) assert.equal(await client.status(), 200)
    const queue = await client.fillQueue(2)
    assert.equal(await client.status(), 429)
    queue.giveUp()
    // A later connection has got a response, so the host has noticed that the others are closed.
    assert.equal(await client.status('/healthz'), 200)
    const next = await client.fillQueue(2)
    assert.equal(await client.status(), 429)
    assert.ok(next.areWaiting())
    next.giveUp()
  })

  test('counts each address separately', async () => {
    const client = clientFrom('127.0.0.13')
    for (let count = 0; count < 4; count += 1)
      assert.equal(await client.status('/', { 'x-forwarded-for': `203.0.113.${count}` }), 200)
    const queue = await client.fillQueue(2)
    assert.equal(await client.status('/', { 'x-forwarded-for': '203.0.113.9' }), 429)
    assert.equal(await clientFrom('127.0.0.14').status(), 200)
    queue.giveUp()
  })

  test('finds the address of a client behind two proxies', async () => {
    await using separateHost = await startRestUnderTest({
      ...limits(1, 0),
      ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
    })
    const client = clientAt('127.0.0.1', () => separateHost)
    const via = (chain: string) => client.status('/', { 'x-forwarded-for': chain })
    assert.equal(await via('203.0.113.1, 10.0.0.1'), 200)
    assert.equal(await via('203.0.113.1, 10.0.0.1'), 429)
    assert.equal(await via('203.0.113.2, 10.0.0.1'), 200)
    // Entries before the two trusted entries were written by the client.
    assert.equal(await via('198.51.100.7, 203.0.113.1, 10.0.0.1'), 429)
    assert.equal(await via('198.51.100.8, 203.0.113.2, 10.0.0.1'), 429)
    assert.equal(await via('203.0.113.3'), 200)
    assert.equal(await via('203.0.113.3'), 429)
  })
})

describe('A page in a browser', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Cors__AllowedOrigins__0: origin })

  const preflight = (from: string, method: string) =>
    rest.call('OPTIONS', '/api/workflow', {
      headers: {
        origin: from,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,if-none-match,last-event-id',
      },
    })

  test('of a configured origin gets its preflight answered', async () => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const { status, headers } = await preflight(origin, method)
      const header = (name: string) => headers.get(`access-control-${name}`) ?? ''
      assert.ok(status === 200 || status === 204)
      assert.equal(header('allow-origin'), origin)
      assert.match(header('allow-methods'), new RegExp(`\\b${method}\\b`))
      for (const name of ['authorization', 'content-type', 'if-none-match', 'last-event-id'])
        assert.match(header('allow-headers'), new RegExp(name, 'i'))
      assertSecurityHeaders(headers)
    }
  })

  test('of another origin never gets permission to read anything', async () => {
    for (const other of [
      'https://evil.example.com',
      `${origin}.evil.com`,
      'http://app.example.com',
      'null',
    ]) {
      const plain = await rest.call('GET', '/api/me', { headers: { origin: other } })
      for (const { headers } of [plain, await preflight(other, 'GET')]) {
        assert.equal(headers.get('access-control-allow-origin'), null)
        assert.match(headers.get('vary') ?? '', /origin/i)
      }
    }
  })

  test('of a configured origin may read responses and errors', async () => {
    const { token } = rest.administrator
    const answers = [
      await rest.call('GET', '/api/workflows', { token, headers: { origin } }),
      await rest.call('GET', '/api/workflows', { headers: { origin } }),
      await rest.call('GET', '/nothing', { headers: { origin } }),
      await rest.call('PUT', '/api/workflow', { headers: { origin } }),
    ]
    assert.deepEqual(valuesOf(answers, 'status'), [200, 401, 404, 405])
    for (const { headers } of answers) {
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.match(headers.get('access-control-expose-headers') ?? '', /etag/i)
    }
  })
})
