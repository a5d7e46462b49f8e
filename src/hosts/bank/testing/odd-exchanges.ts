import { requestBytes } from './raw-socket.ts'

export interface OddExchange {
  readonly name: string
  readonly parts: readonly Buffer[]
  readonly pauseMilliseconds?: number
}

const jsonType = 'Content-Type: application/json'
const body = '{"valor":1,"tipo":"c","descricao":"odd"}'
const path = '/clientes/1/transacoes'
const post = (...headers: string[]) => requestBytes('POST', path, body, [jsonType, ...headers])
const statement = requestBytes('GET', '/clientes/1/extrato', undefined, [])
const head = (line: string, ...headers: string[]) =>
  Buffer.from(`${[line, 'Host: bank', ...headers].join('\r\n')}\r\n\r\n`)
const raw = (text: string) => Buffer.from(text, 'latin1')
const bytesOf = (bytes: Buffer) => [...bytes].map((byte) => Buffer.from([byte]))
const withBody = (text: string | Buffer, ...headers: string[]) =>
  requestBytes('POST', path, text, [jsonType, ...headers])
const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const postHead = (...headers: string[]) => head(`POST ${path} HTTP/1.1`, jsonType, ...headers)
const length = `Content-Length: ${body.length}`

/** Two common exchanges first, then unusual ones keyed by their oddity. */
export const oddExchanges = (): OddExchange[] => [
  ...Object.entries(sentAtOnce).map(([name, bytes]) => ({ name, parts: [bytes] })),
  { name: 'a transaction split at every byte', parts: bytesOf(post()), pauseMilliseconds: 1 },
  { name: 'a statement split at every byte', parts: bytesOf(statement), pauseMilliseconds: 1 },
  {
    name: 'a head and a body that are sent separately',
    parts: [postHead(length), raw(body)],
    pauseMilliseconds: 50,
  },
  { name: 'a body that never ends', parts: [postHead(length), raw(body.slice(1))] },
  { name: 'a head that never ends', parts: [post().subarray(0, 40)] },
  { name: 'nothing at all', parts: [] },
  { name: 'a reused connection', parts: [post(), statement, post()], pauseMilliseconds: 100 },
  {
    name: 'HEAD between two common requests',
    parts: [post(), sentAtOnce.HEAD, post()],
    pauseMilliseconds: 100,
  },
  {
    name: 'a second request that arrives in parts',
    parts: [post(), ...splitAt(post(), 60), statement],
    pauseMilliseconds: 60,
  },
]

function splitAt(bytes: Buffer, at: number): Buffer[] {
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

const sentAtOnce = {
  'a transaction': post(),
  'a statement': statement,
  HEAD: head('HEAD /clientes/1/extrato HTTP/1.1'),
  health: head('GET /healthz HTTP/1.1'),
  'Connection: close': post('Connection: close'),
  'Connection: close in capitals, before another request': Buffer.concat([post('CONNECTION: CLOSE'), post()]),
  'Connection: keep-alive': post('Connection: keep-alive'),
  'a request with an id': post('X-Request-Id: a-request.of:ours'),
  'a request with an id, and one without': Buffer.concat([post('X-Request-ID: first'), post()]),
  'an invalid id': post('X-Request-Id: <b>'),
  'two ids': post('X-Request-Id: one\r\nX-Request-Id: two'),
  'another connection option': post('Connection: upgrade'),
  'HTTP/1.0': raw(`POST ${path} HTTP/1.0\r\nHost: bank\r\n${jsonType}\r\n${length}\r\n\r\n${body}`),
  'another version': head('GET /clientes/1/extrato HTTP/1.2'),
  'pipelined transactions and statements': Buffer.concat([post(), statement, post(), post(), statement]),
  'pipelined requests that end with invalid bytes': Buffer.concat([post(), post(), raw('hello\r\n\r\n')]),
  'pipelined requests of which some are rejected': Buffer.concat([
    post(),
    withBody('{}'),
    withBody('no'),
    post(),
  ]),
  'an empty line before the request': Buffer.concat([raw('\r\n'), post()]),
  'lines that end without a carriage return': raw('GET /clientes/1/extrato HTTP/1.1\nHost: bank\n\n'),
  'two spaces in the line': head('GET  /clientes/1/extrato HTTP/1.1'),
  'a tab in the line': head('GET /clientes/1/extrato\tHTTP/1.1'),
  'a query': head('GET /clientes/1/extrato?a=1 HTTP/1.1'),
  'the absolute form': head('GET http://bank/clientes/1/extrato HTTP/1.1'),
  'client 6': head('GET /clientes/6/extrato HTTP/1.1'),
  'client 01': head('GET /clientes/01/extrato HTTP/1.1'),
  'a method that the path does not have': head('PUT /clientes/1/extrato HTTP/1.1'),
  'a method in lower case': head('get /clientes/1/extrato HTTP/1.1'),
  'no Host': raw('GET /clientes/1/extrato HTTP/1.1\r\n\r\n'),
  'an empty Host': raw('GET /clientes/1/extrato HTTP/1.1\r\nHost:\r\n\r\n'),
  'two Hosts': head('GET /clientes/1/extrato HTTP/1.1', 'Host: other'),
  'two Authorizations': head('GET /clientes/1/extrato HTTP/1.1', 'Authorization: a', 'authorization: b'),
  'an Authorization': head('GET /clientes/1/extrato HTTP/1.1', 'Authorization: a'),
  'two lengths that agree': Buffer.concat([postHead(length, length), raw(body)]),
  'two lengths that differ': Buffer.concat([postHead(length, 'Content-Length: 1'), raw(body)]),
  'a list of lengths': Buffer.concat([postHead(`${length}, ${body.length}`), raw(body)]),
  'a length with a sign': Buffer.concat([postHead(`Content-Length: +${body.length}`), raw(body)]),
  'a length with a leading zero': Buffer.concat([postHead(`Content-Length: 0${body.length}`), raw(body)]),
  'a length in hexadecimal': Buffer.concat([postHead('Content-Length: 0x28'), raw(body)]),
  'a length that is negative': Buffer.concat([postHead('Content-Length: -1'), raw(body)]),
  'no length': postHead(),
  'a length of zero': postHead('Content-Length: 0'),
  'a length and a chunked body': Buffer.concat([postHead(length, 'Transfer-Encoding: chunked'), raw(chunk)]),
  'a chunked body': Buffer.concat([postHead('Transfer-Encoding: chunked'), raw(chunk)]),
  'an unknown transfer coding': Buffer.concat([postHead('Transfer-Encoding: xchunked'), raw(chunk)]),
  'a broken chunk': Buffer.concat([postHead('Transfer-Encoding: chunked'), raw('zz\r\n')]),
  'a space before the colon': Buffer.concat([postHead(`Content-Length : ${body.length}`), raw(body)]),
  'a folded header': head('GET /clientes/1/extrato HTTP/1.1', 'X-Fold: a\r\n b'),
  'a header without a colon': head('GET /clientes/1/extrato HTTP/1.1', 'nonsense'),
  'a header without a name': head('GET /clientes/1/extrato HTTP/1.1', ': nonsense'),
  'a header with a NUL': head('GET /clientes/1/extrato HTTP/1.1', 'X: a\0b'),
  'a header with a lone carriage return': head('GET /clientes/1/extrato HTTP/1.1', 'X: a\rb'),
  'a header that is empty': head('GET /clientes/1/extrato HTTP/1.1', 'X:'),
  'a header called constructor': head('GET /clientes/1/extrato HTTP/1.1', 'constructor: x'),
  'a header of UTF-8': head('GET /clientes/1/extrato HTTP/1.1', 'X: ação'),
  'an expectation': Buffer.concat([postHead(length, 'Expect: 100-continue'), raw(body)]),
  'an unknown expectation': Buffer.concat([postHead(length, 'Expect: tea'), raw(body)]),
  'an upgrade': head('GET /clientes/1/extrato HTTP/1.1', 'Connection: upgrade', 'Upgrade: websocket'),
  'a statement with a body': Buffer.concat([
    head('GET /clientes/1/extrato HTTP/1.1', length),
    raw(body),
    statement,
  ]),
  'no type': Buffer.concat([head(`POST ${path} HTTP/1.1`, length), raw(body)]),
  'the type text/plain': requestBytes('POST', path, body, ['Content-Type: text/plain']),
  'a type with a charset': requestBytes('POST', path, body, [
    'Content-Type: application/json; charset=utf-8',
  ]),
  'a type with an unknown parameter': requestBytes('POST', path, body, [
    'Content-Type: application/json; x=y',
  ]),
  'two types': post('Content-Type: text/plain'),
  'a compressed body': post('Content-Encoding: gzip'),
  'the content encoding identity': post('Content-Encoding: identity'),
  'a page of another site': post('Origin: http://elsewhere.example', 'Sec-Fetch-Site: cross-site'),
  'a page with the origin null': post('Origin: null'),
  'a page of the same origin': post('Origin: http://bank', 'Sec-Fetch-Site: same-origin'),
  'a page of the same site': post('Sec-Fetch-Site: same-site'),
  'a head of 3 KB': post(`X: ${'x'.repeat(3000)}`),
  'a head of 20 KB': post(`X: ${'x'.repeat(20_000)}`),
  'a hundred headers': post(...Array.from({ length: 100 }, (_, index) => `X-${index}: ${index}`)),
  'a body of 8 KB': withBody(body.padEnd(8192)),
  'a body of 8 KB and a byte': withBody(body.padEnd(8193)),
  'a huge length': postHead('Content-Length: 9999999999'),
  'a length beyond the range of numbers': postHead(`Content-Length: ${'9'.repeat(40)}`),
  'a body that is not JSON': withBody('hello'),
  'an incomplete UTF-8 character': withBody(
    Buffer.from('{"valor":1,"tipo":"c","descricao":"\xf0\x9f"}', 'latin1'),
  ),
  'a description of two words in UTF-8': withBody('{"valor":1,"tipo":"c","descricao":"ação 日本"}'),
  'a line that is no request': raw('hello\r\n\r\n'),
  TLS: Buffer.from('160301020001', 'hex'),
} satisfies Record<string, Buffer>
