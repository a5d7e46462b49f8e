import { deepStrictEqual, equal, match } from 'node:assert/strict'
import { describe, it } from 'node:test'
import { smallBodyLimits } from './server.ts'
import { exchange, listen, sampleHost } from './testing/sample-host.ts'

describe('a header that must be sent once', () => {
  for (const [name, lines] of [
    ['Host', 'Host: x\r\nHost: y\r\n'],
    ['Authorization', 'Host: x\r\nAuthorization: Bearer a\r\nAUTHORIZATION: Bearer a\r\n'],
  ] as const) {
    it(`is rejected with 400 if it is repeated: ${name}`, async (t) => {
      const port = await listen(sampleHost(t))
      const answer = await exchange(port, `GET /echo HTTP/1.1\r\nConnection: close\r\n${lines}\r\n`)
      match(answer, /^HTTP\/1.1 400 /)
      equal(
        JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).message,
        `The ${name} header must be sent once.`,
      )
    })
  }
})

describe('a body with a Content-Encoding', () => {
  for (const coding of ['gzip', 'br', 'x-unknown', 'identity, gzip']) {
    it(`is rejected with 415: ${coding}`, async (t) => {
      const app = sampleHost(t)
      const headers = { 'content-type': 'application/json', 'content-encoding': coding }
      const answer = await app.inject({ method: 'POST', url: '/echo', headers, body: '{}' })
      equal(answer.statusCode, 415)
      equal(answer.json().message, 'The content encoding of the body is not supported.')
    })
  }

  it('is accepted if the encoding is identity', async (t) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'identity' }
    const answer = await sampleHost(t).inject({ method: 'POST', url: '/echo', headers, body: '{"a":1}' })
    deepStrictEqual(answer.json(), { body: { a: 1 } })
  })
})

describe('the id of a request', () => {
  const idOf = (headers: Record<string, unknown>) => String(headers['x-request-id'])

  it('is in every response, and is the id that the client sent if that is well-formed', async (t) => {
    const app = sampleHost(t)
    equal(
      idOf((await app.inject({ url: '/echo', headers: { 'x-request-id': 'abc-12345' } })).headers),
      'abc-12345',
    )
    for (const url of ['/echo', '/nothing', '/%ZZ'])
      match(idOf((await app.inject({ url })).headers), /^[\w-]{36}$/)
  })

  it('is generated if the id that the client sent is empty, too long or malformed', async (t) => {
    const app = sampleHost(t)
    for (const sentId of ['', 'x'.repeat(129), 'white space', 'semi;colon'])
      match(
        idOf((await app.inject({ url: '/echo', headers: { 'x-request-id': sentId } })).headers),
        /^[\w-]{36}$/,
      )
  })

  it('is in the response to an invalid request, too', async (t) => {
    const port = await listen(sampleHost(t))
    match(await exchange(port, 'hello there\r\n\r\n', /request\."\}/), /x-request-id: [\w-]{36}\r\n/)
  })
})

it('a host with a small body limit rejects larger bodies and names the limit', async (t) => {
  const app = sampleHost(t, smallBodyLimits(1024))
  const headers = { 'content-type': 'application/json' }
  const answer = await app.inject({
    method: 'POST',
    url: '/echo',
    headers,
    body: `{"a":"${'x'.repeat(1024)}"}`,
  })
  equal(answer.statusCode, 413)
  equal(answer.json().message, 'The body must not be larger than 1 KiB.')
})
