import { deepStrictEqual, equal, match } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { sampleHost } from './testing/sample-host.ts'

const cors = { origins: ['http://localhost:5400', 'https://app.example'] }

function corsHeaders(headers: Record<string, unknown>) {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}

function preflight(t: TestContext, origin: string, url = '/echo') {
  const headers = {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-type',
  }
  return sampleHost(t, { cors }).inject({ method: 'OPTIONS', url, headers })
}

describe('a page of an allowed origin', () => {
  it('may read the answer and the headers it needs', async (t) => {
    for (const url of ['/echo', '/nothing']) {
      const { headers } = await sampleHost(t, { cors }).inject({
        url,
        headers: { origin: 'https://app.example' },
      })
      equal(headers['access-control-allow-origin'], 'https://app.example')
      match(String(headers['access-control-expose-headers']), /ETag.*Retry-After/)
      equal(headers['access-control-allow-credentials'], undefined)
      equal(headers.vary, 'Origin')
    }
  })

  it('may use every method and header of the contract', async (t) => {
    const { statusCode, headers } = await preflight(t, 'https://app.example')
    equal(statusCode, 204)
    match(String(headers['access-control-allow-methods']), /GET.*POST.*PATCH.*DELETE/)
    equal(headers['access-control-allow-headers'], 'authorization,content-type')
    equal(headers['access-control-max-age'], '7200')
    equal(headers['x-content-type-options'], 'nosniff')
  })

  it('may send cookies only if its origin is listed for them', async (t) => {
    const originsWithCookies = new Set(['https://cookies.example'])
    for (const closedPaths of [[], ['/closed']]) {
      const app = sampleHost(t, { cors: { ...cors, originsWithCookies, closedPaths } })
      for (const [origin, allowed] of [
        ['https://cookies.example', 'true'],
        ['https://app.example', undefined],
      ]) {
        const { headers } = await app.inject({ url: '/echo', headers: { origin } })
        equal(headers['access-control-allow-origin'], origin)
        equal(headers['access-control-allow-credentials'], allowed)
      }
    }
  })

  it('gets no CORS header for a closed path, not even in a preflight', async (t) => {
    const app = sampleHost(t, { cors: { ...cors, closedPaths: ['/echo'] } })
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    for (const url of ['/%65cho', '/ech%6F?x=1', '/%65%63%68%6f', '/ECHO', '/Echo/', '/%45cho/?x=1'])
      for (const method of ['GET', 'OPTIONS'] as const)
        deepStrictEqual(corsHeaders((await app.inject({ method, url, headers })).headers), [], url)
    for (const method of ['GET', 'OPTIONS'] as const) {
      const closed = await app.inject({ method, url: '/echo?x=1', headers })
      deepStrictEqual(corsHeaders(closed.headers), [], method)
      const open = await app.inject({ method, url: '/nothing', headers })
      equal(open.headers['access-control-allow-origin'], 'https://app.example')
    }
  })
})

describe('a page of any other origin', () => {
  it('gets no CORS header at all', async (t) => {
    const app = sampleHost(t, { cors })
    for (const origin of [
      'http://evil',
      'null',
      'https://app.example.evil',
      'https://app.example/',
      'HTTPS://APP.EXAMPLE',
    ]) {
      const answer = await app.inject({ url: '/echo', headers: { origin } })
      equal(answer.statusCode, 200)
      deepStrictEqual(corsHeaders(answer.headers), [], origin)
    }
  })

  it('gets no CORS header in a preflight, either', async (t) => {
    const answer = await preflight(t, 'http://evil')
    equal(answer.statusCode, 204)
    equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS')
    deepStrictEqual(corsHeaders(answer.headers), [])
    equal((await preflight(t, 'http://evil', '/nothing')).statusCode, 404)
  })
})

it('OPTIONS without an origin names the methods', async (t) => {
  const answer = await sampleHost(t, { cors }).inject({ method: 'OPTIONS', url: '/echo' })
  equal(answer.statusCode, 204)
  equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS')
})
