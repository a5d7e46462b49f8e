import { deepStrictEqual, equal } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { exchange, listen, sampleHost } from './testing/sample-host.ts'

function post(
  t: TestContext,
  payload: string | Buffer | undefined,
  type: string | undefined = 'application/json',
) {
  const headers = type === '' ? {} : { 'content-type': type }
  const app = sampleHost(t, { bodies: ['json', 'form'] })
  return app.inject({ method: 'POST', url: '/echo', headers, ...(payload === undefined ? {} : { payload }) })
}

const form = 'application/x-www-form-urlencoded'
const samples = [
  ['application/json', '{"a":"ü"}'],
  [form, 'a=%C3%BC'],
] as const

describe('a body', () => {
  it('counts as {} if it is absent or empty', async (t) => {
    for (const type of ['application/json', 'text/csv', '']) {
      deepStrictEqual((await post(t, undefined, type)).json(), { body: {} })
      deepStrictEqual((await post(t, '', type)).json(), { body: {} })
    }
    deepStrictEqual((await post(t, '\uFEFF')).json(), { body: {} })
  })

  it('counts as {} when it is chunked and empty', async (t) => {
    const port = await listen(sampleHost(t))
    const bytes =
      'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    equal((await exchange(port, bytes)).split('\r\n\r\n')[1], '{"body":{}}')
  })

  it('may begin with a byte order mark', async (t) => {
    deepStrictEqual((await post(t, '\uFEFF{"a":"ü"}')).json(), { body: { a: 'ü' } })
  })

  it('that is not JSON is rejected with 400 under generalErrors', async (t) => {
    for (const text of ['{', '{"a":}', 'nonsense', "{'a':1}", ' ', '\u0000', '['.repeat(30_000)]) {
      const answer = await post(t, text)
      equal(answer.statusCode, 400, text)
      deepStrictEqual(answer.json().errors, { generalErrors: ['The body is not valid JSON.'] })
    }
  })

  it('that is not an object is rejected with 400 under generalErrors', async (t) => {
    for (const text of ['null', '[]', '"text"', '5', 'true', `${'['.repeat(30_000)}${']'.repeat(30_000)}`]) {
      const answer = await post(t, text)
      equal(answer.statusCode, 400, text)
      deepStrictEqual(answer.json().errors, { generalErrors: ['The body must be a JSON object.'] })
    }
  })

  it('cannot reach a prototype', async (t) => {
    const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"a":1}'
    deepStrictEqual((await post(t, text)).json(), { body: { a: 1 } })
  })

  it('is rejected with 415 if it has another type or no type', async (t) => {
    for (const type of ['text/plain', 'application/xml', 'application/merge-patch+json', 'nonsense']) {
      const answer = await post(t, '{"a":1}', type)
      equal(answer.statusCode, 415, type)
      equal(answer.json().message, 'The content type of the body is not supported.')
    }
    const port = await listen(sampleHost(t))
    const bytes = 'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 7\r\n\r\n{"a":1}'
    equal((await exchange(port, bytes)).slice(9, 12), '415')
  })

  it('may name its character set if that is UTF-8, in any case, quoted or not', async (t) => {
    for (const charset of ['utf-8', 'UTF-8', '"Utf-8"', 'utf8', 'utf-8; version=1'])
      for (const [type, text] of samples) {
        const answer = await post(t, text, `${type}; Charset=${charset}`)
        deepStrictEqual([answer.statusCode, answer.json()], [200, { body: { a: 'ü' } }], charset)
      }
  })

  it('is rejected with 415 if it is in another character set', async (t) => {
    for (const charset of [
      'iso-8859-1',
      'ISO-8859-1',
      '"iso-8859-1"',
      'utf-16',
      'us-ascii',
      'utf-8; charset=latin1',
    ])
      for (const [type, text] of samples) {
        const answer = await post(t, text, `${type};charset=${charset}`)
        equal(answer.statusCode, 415, charset)
        deepStrictEqual(answer.json(), {
          statusCode: 415,
          message: 'The character set of the body must be UTF-8.',
        })
        equal((await post(t, '', `${type};charset=${charset}`)).statusCode, 200)
      }
  })

  it('whose bytes are not UTF-8 is rejected with 400 under generalErrors', async (t) => {
    const broken: readonly (readonly [string, string | Buffer])[] = [
      ['application/json', Buffer.from('{"a":"ü"}', 'latin1')],
      ['application/json; charset=utf-8', Buffer.from('{"a":"\xc3"}', 'latin1')],
      ['application/json', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
      ['application/json', Buffer.from([0xff, 0xfe, 0x7b, 0x7d])],
      [form, Buffer.from('a=ü', 'latin1')],
      [form, 'a=%FC'],
      [form, 'a=1&%ff=2'],
      [form, 'a=%C3%41'],
      [form, 'a=%ED%A0%80'],
    ]
    for (const [type, payload] of broken) {
      const answer = await post(t, payload, type)
      equal(answer.statusCode, 400, String(payload))
      deepStrictEqual(answer.json().errors, { generalErrors: ['The body is not valid UTF-8.'] })
    }
  })

  it('may contain a replacement character', async (t) => {
    deepStrictEqual((await post(t, '{"a":"\uFFFD"}')).json(), { body: { a: '\uFFFD' } })
    deepStrictEqual((await post(t, 'a=%EF%BF%BD&b=100%&c=%zz', form)).json(), {
      body: { a: '\uFFFD', b: '100%', c: '%zz' },
    })
  })

  it('may be a form if the host accepts forms', async (t) => {
    deepStrictEqual((await post(t, 'a=1&b=x+y%2Bz&a=2', form)).json(), {
      body: { a: ['1', '2'], b: 'x y+z' },
    })
    equal((await post(t, 'a=1&'.repeat(101), form)).statusCode, 400)
    const withoutForms = sampleHost(t)
    const headers = { 'content-type': form }
    const answer = await withoutForms.inject({ method: 'POST', url: '/echo', headers, payload: 'a=1' })
    equal(answer.statusCode, 415)
  })
})
