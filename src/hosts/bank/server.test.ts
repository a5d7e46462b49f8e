import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { auditLedger } from './testing/audit.ts'
import { type InProcessBank, startInProcessBank, statementOf, transact } from './testing/in-process.ts'
import { exchange, type RawAnswer, requestBytes } from './testing/raw-socket.ts'

const path = '/clientes/1/transacoes'
const body = '{"valor":1,"tipo":"c","descricao":"x"}'
const statusesOf = (answers: readonly RawAnswer[]) => answers.map(({ status }) => status)
const chunked = 'Transfer-Encoding: chunked'
const chunk = (text: string | Buffer) =>
  Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), Buffer.from(text), Buffer.from('\r\n')])
const lastChunk = Buffer.from('0\r\n\r\n')

/** The server cuts a connection after a second. A busy machine may take longer. */
const cutMilliseconds = 15_000

describe('on the wire', { concurrency: true }, () => {
  let bank: InProcessBank
  before(async () => {
    bank = await startInProcessBank()
  })
  after(async () => {
    await auditLedger(bank.url)
    assert.deepEqual(bank.failures, [])
    await bank.stop()
  })
  const send = (...parts: (string | Buffer)[]) => exchange(bank.port, parts, { expected: 1 })

  test('a chunked body is read, even one byte at a time', async () => {
    const head = requestBytes('POST', path, undefined, ['Content-Type: application/json', chunked])
    assert.deepEqual(
      statusesOf(await send(head, chunk(body.slice(0, 9)), chunk(body.slice(9)), lastChunk)),
      [200],
    )
    const bytes = [...head, ...chunk(body), ...lastChunk].map((byte) => Buffer.from([byte]))
    assert.deepEqual(
      statusesOf(await exchange(bank.port, bytes, { expected: 1, pauseMilliseconds: 1 })),
      [200],
    )
  })

  test('a target may be an absolute URL, as clients send it to a proxy', async () => {
    const answers = await send(requestBytes('GET', 'http://bank:9999/clientes/1/extrato'))
    assert.deepEqual(statusesOf(answers), [200])
  })

  test('HTTP/1.0 and Connection: close end the connection after the response', async () => {
    // Without an expected number of responses, `exchange` ends only when the server closes the connection.
    assert.deepEqual(statusesOf(await exchange(bank.port, ['GET /healthz HTTP/1.0\r\n\r\n'])), [200])
    const last = requestBytes('POST', path, body, ['Content-Type: application/json', 'Connection: close'])
    const ignored = requestBytes('POST', path, body)
    assert.deepEqual(statusesOf(await exchange(bank.port, [Buffer.concat([last, ignored])])), [200])
  })

  test('a client that waits for 100-continue receives it', async () => {
    const head = requestBytes('POST', path, undefined, [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ])
    const socket = connect(bank.port, '127.0.0.1')
    const receive = async () => String((await once(socket, 'data'))[0])
    socket.write(head)
    assert.equal(await receive(), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    assert.match(await receive(), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  for (const [name, bytes] of Object.entries({
    'a NUL': Buffer.from('{"valor":1,"tipo":"c","descricao":"a\0b"}'),
    'an escaped NUL': Buffer.from('{"valor":1,"tipo":"c","descricao":"a\\u0000b"}'),
    'a lone surrogate': Buffer.from('{"valor":1,"tipo":"c","descricao":"\\ud83d"}'),
    'a lone surrogate as bytes': Buffer.from('{"valor":1,"tipo":"c","descricao":"\xed\xa0\xbd"}', 'latin1'),
    'half a character of UTF-8': Buffer.from('{"valor":1,"tipo":"c","descricao":"\xf0\x9f"}', 'latin1'),
    'an empty body': Buffer.alloc(0),
    'deep nesting': Buffer.from('['.repeat(8000)),
    'a compressed body': Buffer.from('1f8b0800', 'hex'),
  })) {
    test(`${name} results in 422, and the other transactions of its batch are applied`, async () => {
      const others = Array.from({ length: 8 }, () =>
        transact(bank.port, { client: 1, valor: 1, tipo: 'c', descricao: 'neighbour' }),
      )
      const invalid = Array.from({ length: 8 }, () => send(requestBytes('POST', path, bytes)))
      assert.deepEqual(
        (await Promise.all(invalid)).flatMap(statusesOf),
        invalid.map(() => 422),
      )
      assert.deepEqual(
        (await Promise.all(others)).map(({ status }) => status),
        others.map(() => 200),
      )
    })
  }

  test('a body with a huge length is rejected before it arrives', async () => {
    for (const [target, status] of [
      [path, 422],
      ['/clientes/6/transacoes', 404],
    ] as const) {
      const head = requestBytes('POST', target, undefined, [
        'Content-Type: application/json',
        'Content-Length: 9999999999',
      ])
      const startedAt = performance.now()
      assert.deepEqual(statusesOf(await exchange(bank.port, [head])), [status])
      assert.ok(performance.now() - startedAt < cutMilliseconds, 'the connection was cut')
    }
  })

  test('a chunked body that grows too large results in 422', async () => {
    const head = requestBytes('POST', path, undefined, ['Content-Type: application/json', chunked])
    const endless = Array.from({ length: 10_000 }, () => chunk(Buffer.alloc(1000, 32)))
    const startedAt = performance.now()
    const answers = await exchange(bank.port, [head, ...endless], { pauseMilliseconds: 1 })
    assert.deepEqual(statusesOf(answers), [422])
    assert.ok(performance.now() - startedAt < cutMilliseconds, 'the connection was cut')
  })

  test('a rejected body of common size leaves the connection usable', async () => {
    const rejected = requestBytes('POST', '/clientes/6/transacoes', Buffer.alloc(8000, 32))
    const answers = await exchange(bank.port, [rejected, requestBytes('GET', '/healthz')], { expected: 2 })
    assert.deepEqual(statusesOf(answers), [404, 200])
  })

  test('malformed bytes are rejected after the requests before them were answered', async () => {
    const valid = requestBytes('POST', '/clientes/4/transacoes', body)
    const chunkedHead = requestBytes('POST', '/clientes/4/transacoes', undefined, [
      'Content-Type: application/json',
      chunked,
    ])
    for (const nonsense of ['hello\r\n\r\n', `${chunkedHead}zz\r\n`]) {
      const answers = await exchange(bank.port, [Buffer.concat([valid, valid, Buffer.from(nonsense)])])
      assert.deepEqual(statusesOf(answers), [200, 200, 400])
    }
    assert.equal((await statementOf(bank.port, 4)).saldo.total, 4)
  })

  test('a sender that disconnects in the middle of its body changes nothing', async () => {
    const before = await statementOf(bank.port, 3)
    const target = '/clientes/3/transacoes'
    const head = requestBytes('POST', target, undefined, [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ])
    const socket = connect(bank.port, '127.0.0.1')
    socket.write(Buffer.concat([head, Buffer.from(body.slice(0, -1))]))
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.resetAndDestroy()
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal((await statementOf(bank.port, 3)).saldo.total, before.saldo.total)
  })

  test('pipelined requests are answered in their order, each once', async () => {
    const requests = Array.from({ length: 100 }, (_, index) =>
      index % 5 === 4
        ? requestBytes('GET', '/clientes/2/extrato')
        : requestBytes(
            'POST',
            '/clientes/2/transacoes',
            `{"valor":${index + 1},"tipo":"c","descricao":"p${index}"}`,
          ),
    )
    const answers = await exchange(bank.port, [Buffer.concat(requests)], { expected: requests.length })
    assert.deepEqual(new Set(statusesOf(answers)), new Set([200]))
    let balance = 0
    for (const [index, answer] of answers.entries()) {
      if (index % 5 === 4) continue
      balance += index + 1
      assert.equal(JSON.parse(answer.body).saldo, balance, `answer ${index}`)
    }
  })

  test('a pipelined statement shows the transaction that was sent before it', async () => {
    const both = [
      requestBytes('POST', '/clientes/5/transacoes', body),
      requestBytes('GET', '/clientes/5/extrato'),
    ]
    const sent = Array.from({ length: 40 }, (_, index) => both[index % 2] ?? assert.fail())
    const answers = await exchange(bank.port, [Buffer.concat(sent)], { expected: sent.length })
    const balances = answers
      .map((answer) => JSON.parse(answer.body).saldo)
      .map((saldo) => (typeof saldo === 'number' ? saldo : saldo.total))
    assert.deepEqual(
      balances,
      sent.map((_, index) => 1 + Math.floor(index / 2)),
    )
  })

  test('a client that sends too many requests without waiting for answers is cut off', async () => {
    const flood = Buffer.concat(Array.from({ length: 3000 }, () => requestBytes('POST', path, body)))
    assert.ok((await exchange(bank.port, [flood])).length < 3000)
  })

  for (const [name, bytes, status] of [
    ['a long path', `GET /${'a'.repeat(10_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 404],
    ['a long query', `GET /healthz?${'a'.repeat(10_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 200],
    ['a path that is too long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['raw UTF-8 in the path', 'GET /clientes/１/extrato HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 404],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a line that is no request', 'hello\r\n\r\n', 400],
    ['TLS', Buffer.from('160301020001', 'hex'), 400],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a length and chunks', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n${chunked}\r\n\r\n`, 400],
    [
      'a broken chunk',
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${chunked}\r\n\r\nzz\r\n`,
      400,
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    ['huge headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417],
    ['an unknown method', 'BREW /healthz HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    [
      'an upgrade',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
    ['a NUL in the path', 'GET /clientes/1\0/extrato HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ] as const) {
    test(`${name} results in ${status}`, async () => {
      assert.deepEqual(statusesOf(await send(bytes)), [status])
    })
  }
})

/** Short, so that slow senders are cut off while the test waits. */
const timeouts = {
  headersTimeout: 600,
  requestTimeout: 1000,
  connectionsCheckingInterval: 100,
  keepAliveTimeout: 75_000,
}

test('a client that sends its headers or its body slowly, or nothing at all, gets 408', async (t) => {
  const { port, stop } = await startInProcessBank({ timeouts })
  t.after(stop)
  const slowly = (text: Buffer) =>
    exchange(
      port,
      [...text].map((byte) => Buffer.from([byte])),
      { pauseMilliseconds: 50 },
    )
  const head = requestBytes('POST', path, body).subarray(0, -body.length)
  const [headers, content, silent] = await Promise.all([
    slowly(requestBytes('GET', '/healthz')),
    exchange(port, [head, ...[...body].slice(0, -1)], { pauseMilliseconds: 50 }),
    exchange(port, []),
  ])
  assert.deepEqual([headers, content, silent].map(statusesOf), [[408], [408], [408]])
})
