import fc from 'fast-check'
import { damaged } from '../../../../test/support/fuzz.ts'

/** Generates the messages of one connection. */
export const anyExchange = (): fc.Arbitrary<readonly Buffer[]> =>
  fc.array(fc.oneof(common, odd, broken), { minLength: 1, maxLength: 4 })

/** Splits bytes at positions that are fractions of their length. */
export function splitAnywhere(bytes: Buffer, fractions: readonly number[]): Buffer[] {
  const ends = [...new Set(fractions.map((fraction) => Math.floor(fraction * bytes.length)))]
    .filter((end) => end > 0)
    .sort((first, second) => first - second)
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length))
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

const client = fc.integer({ min: 1, max: 5 })

const statement = client.map((id) => `GET /clientes/${id}/extrato HTTP/1.1\r\nHost: bank\r\n\r\n`)

const transaction = fc.tuple(client, fc.constantFrom('c', 'd')).map(([id, kind]) => {
  const body = `{"valor":${id},"tipo":"${kind}","descricao":"x"}`
  const type = 'Content-Type: application/json'
  return `POST /clientes/${id}/transacoes HTTP/1.1\r\nHost: bank\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
})

const common = fc.oneof(statement, transaction).map(latin1)

/** Generates one of the parts between bars. Repeated parts are more likely, and `||` is an empty part. */
const oneOf = (...lines: readonly string[]): fc.Arbitrary<string> =>
  fc.constantFrom(...lines.join('|').split('|'))

const methods = oneOf(
  'GET|POST|HEAD|PUT|OPTIONS|DELETE|PATCH|get|POST | GET|CONNECT|M-SEARCH|BREW||GET\0|PRI',
)

const targets = oneOf(
  '/healthz|/|*||/clientes/6/extrato|/clientes/01/extrato|/clientes/%31/extrato|/clientes/1/%65xtrato|/CLIENTES/1/extrato',
  '/clientes/1/extrato?a=1|/clientes/1/extrato#a|/clientes/1/extrato/|//clientes/1/extrato|clientes/1/extrato',
  '/clientes/2/../1/extrato|http://bank/clientes/1/extrato|HTTPS://bank:9/clientes/2/transacoes|http://bank',
  'bank:9999|/clientes/1 /extrato|/clientes/1/extrato\t|/\xe7|/a\0b|/clientes/1/extrato|/clientes/5/transacoes',
  `/${'x'.repeat(3000)}`,
)

const versions = oneOf(
  'HTTP/1.0|HTTP/1.0|HTTP/1.0||HTTP/1.2|HTTP/2.0|http/1.1| HTTP/1.1|HTTP/1.1 |HTTP/0.9|HTTP/1.10',
)

const headers = oneOf(
  'Connection: close|connection: keep-alive|CONNECTION: CLOSE|Connection: close, keep-alive|Proxy-Connection: close',
  'Connection: upgrade|Upgrade: websocket|Upgrade: h2c|HTTP2-Settings: x|Keep-Alive: timeout=1',
  'Expect: 100-continue|expect: 100-Continue|Expect: tea|Expect:|TE: trailers|Trailer: X',
  'Transfer-Encoding: chunked|transfer-encoding: CHUNKED|Transfer-Encoding: gzip, chunked|Transfer-Encoding:\tchunked',
  'Transfer-Encoding: chunked, gzip|Transfer-Encoding: identity|Transfer-Encoding: xchunked|Transfer-Encoding : chunked',
  'Content-Encoding: gzip|Content-Encoding: identity|Content-Type: text/plain|Content-Type: application/json|Content-Type:',
  'Content-Type: application/json; charset=utf-8|Content-Type: application/problem+json|Content-Length: 0|Content-Length: 38',
  'Origin: http://bank|Origin: null|Origin: http://elsewhere|Sec-Fetch-Site: cross-site|Sec-Fetch-Site: same-origin',
  'X-Request-Id: one|X-Request-Id: <b>|Authorization: a|Host: other|Host:|__proto__: x|constructor: x|toString: x',
  'X-Fold: a\r\n b|X-Fold: a\r\n\tb| X: leading|X|: y|X:|X: a\0b|X: a\rb|X: a\nb|X: \xe7\xe3o|X\xe7: a|X (y): a|X : a|"X": a',
  `X-Long: ${'x'.repeat(1500)}|X-Long: ${'x'.repeat(3000)}|X-Long: ${'x'.repeat(20_000)}`,
)

const goodBody = '{"valor":1,"tipo":"c","descricao":"odd"}'

// Valid bodies are repeated, so that they are more likely.
const bodies = fc.constantFrom(
  ...[goodBody, goodBody, goodBody, '', '{}', 'null', '[]', '{"valor":0}', 'no JSON', '\xff'],
  ...[goodBody.padEnd(8192), goodBody.padEnd(8193)],
)

/** Generates Content-Length values, right and wrong, for a body of this size. */
const lengthOf = (bytes: number): fc.Arbitrary<string> =>
  oneOf(
    `${bytes}|${bytes}|0${bytes}| ${bytes}|${bytes}\t|+${bytes}|-${bytes}|${bytes}.0|${bytes},${bytes}|${bytes}, 1|${bytes};`,
    `0||0x28|1e1|${bytes} ${bytes}|9999999999|${'9'.repeat(40)}|${bytes + 1}|${Math.max(0, bytes - 1)}`,
  )

/** Encodes the body in chunks, well-formed or malformed. */
function chunked(body: string): fc.Arbitrary<string> {
  const size = body.length.toString(16)
  return fc.constantFrom(
    ...Array<string>(5).fill(`${size}\r\n${body}\r\n0\r\n\r\n`),
    `${size.toUpperCase()};a=b\r\n${body}\r\n0\r\n\r\n`,
    `1\r\n{\r\n${Math.max(0, body.length - 1).toString(16)}\r\n${body.slice(1)}\r\n0\r\nX-Trailer: a\r\n\r\n`,
    `0${size}\r\n${body}\r\n00\r\n\r\n`,
    `${size}\n${body}\n0\n\n`,
    `${size} \r\n${body}\r\n0\r\n\r\n`,
    `-1\r\n${body}\r\n0\r\n\r\n`,
    `zz\r\n${body}`,
    `${size}\r\n${body}0\r\n\r\n`,
    `ffffffffffffffffff\r\n${body}`,
  )
}

interface Message {
  /** Sent before the request line. */
  readonly before: string
  readonly method: string
  readonly target: string
  readonly version: string
  readonly host: string
  readonly type: string
  /** The headers that declare the body's length. */
  readonly framing: readonly string[]
  readonly extraHeader: string
  /** The end of each line of the head. */
  readonly end: string
  readonly body: string
}

const framed = (framing: readonly string[], body: string) => ({ framing, body })

const framings = bodies.chain((body) =>
  fc.oneof(
    lengthOf(body.length).map((length) => framed([`Content-Length: ${length}`], body)),
    chunked(body).map((chunks) => framed(['Transfer-Encoding: chunked'], chunks)),
    fc.constant(framed([`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'], body)),
    fc.constant(framed([], body)),
  ),
)

const plain = {
  before: '',
  version: 'HTTP/1.1',
  host: 'Host: bank',
  type: 'Content-Type: application/json',
  extraHeader: 'X: y',
  end: '\r\n',
}

const plainMessages = fc.constantFrom<Message>(
  { ...plain, method: 'GET', target: '/clientes/1/extrato', ...framed([], '') },
  {
    ...plain,
    method: 'POST',
    target: '/clientes/2/transacoes',
    ...framed([`Content-Length: ${goodBody.length}`], goodBody),
  },
)

const deviation: fc.Arbitrary<Partial<Message>> = fc.oneof(
  { weight: 3, arbitrary: framings },
  { weight: 3, arbitrary: headers.map((extraHeader) => ({ extraHeader })) },
  { weight: 1, arbitrary: methods.map((method) => ({ method })) },
  { weight: 1, arbitrary: targets.map((target) => ({ target })) },
  { weight: 1, arbitrary: versions.map((version) => ({ version })) },
  {
    weight: 1,
    arbitrary: oneOf('Host: bank:9999|host:bank|X-Host: none|Host: a|Host: b c').map((host) => ({ host })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'X-Type: none' }) },
  { weight: 1, arbitrary: fc.constantFrom('\r\n', '\n', '\r\n\r\n', ' ').map((before) => ({ before })) },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\r', '\r\n ').map((end) => ({ end })) },
)

/** A common message with one to three oddities. */
const odd = fc
  .tuple(plainMessages, fc.array(deviation, { minLength: 1, maxLength: 3 }))
  .map(([message, oddities]) => bytesOf(Object.assign({}, message, ...oddities)))

const bytesOf = ({
  before,
  method,
  target,
  version,
  host,
  type,
  framing,
  extraHeader,
  end,
  body,
}: Message) => {
  const lines = [[method, target, version].join(' '), host, type, ...framing, extraHeader]
  return latin1(`${before}${lines.join(end)}${end}${end}${body}`)
}

const broken = fc
  .oneof(damaged(fc.oneof(common, odd)), fc.uint8Array({ minLength: 1, maxLength: 60 }))
  .map((bytes) => Buffer.from(bytes))
