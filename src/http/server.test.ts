import { deepStrictEqual, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { openBudgets } from '../config/budgets.ts'
import { exemptBodyFromTimeout } from './broken-requests.ts'
import { exchange, listen, sampleHost, send } from './testing/sample-host.ts'

const hello = 'GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

function envelopeIn(answer: string): { statusCode: number; message: string } {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
}

function assertRejection(answer: string, status: number) {
  match(answer, new RegExp(`^HTTP/1.1 ${status} `))
  match(answer, /content-type: application\/json; charset=utf-8/i)
  match(answer, /x-content-type-options: nosniff/i)
  match(answer, /strict-transport-security/i)
  equal(envelopeIn(answer).statusCode, status)
}

describe('invalid, incomplete and slow requests', () => {
  it('garbage is answered with 400', async (t) => {
    const port = await listen(sampleHost(t))
    assertRejection(await exchange(port, 'hello there\r\n\r\n', /request\."\}/), 400)
  })

  it('oversized headers are answered with 431', async (t) => {
    const port = await listen(sampleHost(t))
    const bytes = `GET /echo HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`
    assertRejection(await exchange(port, bytes, /\."\}/), 431)
  })

  it('a request with both a length and a chunked body is answered with 400', async (t) => {
    const port = await listen(sampleHost(t))
    const bytes =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    assertRejection(await exchange(port, bytes, /\."\}/), 400)
  })

  it('an unknown method is answered with 400', async (t) => {
    const port = await listen(sampleHost(t))
    assertRejection(await exchange(port, 'BREW /echo HTTP/1.1\r\nHost: x\r\n\r\n', /\."\}/), 400)
  })

  it('a missing Host header is answered with 400', async (t) => {
    const port = await listen(sampleHost(t))
    assertRejection(await exchange(port, 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n'), 400)
  })

  it('HTTP/1.0 needs no Host header', async (t) => {
    const port = await listen(sampleHost(t))
    match(await exchange(port, 'GET /echo HTTP/1.0\r\n\r\n'), /^HTTP\/1.1 200 /)
  })

  it('an unknown expectation is answered with 417', async (t) => {
    const port = await listen(sampleHost(t))
    assertRejection(await exchange(port, 'GET /echo HTTP/1.1\r\nHost: x\r\nExpect: a-pony\r\n\r\n'), 417)
  })

  it('an address that cannot be decoded is answered with 400', async (t) => {
    const port = await listen(sampleHost(t))
    assertRejection(await exchange(port, hello.replace('/echo', '/api/%zz')), 400)
  })

  it('a sender that is too slow is answered with 408', async (t) => {
    const timeouts = { headersMilliseconds: 100, requestMilliseconds: 100, checkEveryMilliseconds: 20 }
    const port = await listen(sampleHost(t, { timeouts }))
    assertRejection(await exchange(port, 'GET /echo HTTP/1.1\r\nHo', /\."\}/), 408)
  })

  it('a body that stops arriving is answered with 408', async (t) => {
    const timeouts = { headersMilliseconds: 100, requestMilliseconds: 100, checkEveryMilliseconds: 20 }
    const port = await listen(sampleHost(t, { timeouts }))
    const bytes =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'
    assertRejection(await exchange(port, bytes, /\."\}/), 408)
  })

  it('a body may be slow if its route limits the time itself', async (t) => {
    // A busy machine may need a while to pass the request on to its route, which lifts the limit.
    const timeouts = { headersMilliseconds: 1000, requestMilliseconds: 1000, checkEveryMilliseconds: 20 }
    const app = sampleHost(t, { timeouts })
    app.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', async (_request: unknown, body: unknown) => body)
      scope.post('/slow', async (request, reply) => {
        exemptBodyFromTimeout(request, reply)
        return { body: await text(request.body as Readable) }
      })
      done()
    })
    const port = await listen(app)
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    const post = (path: string, body: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${body}`
    socket.write(post('/slow', '{'))
    // The time limit of the server has passed.
    const [error] = await once(app.server, 'clientError')
    equal(error.code, 'ERR_HTTP_REQUEST_TIMEOUT')
    socket.write(`}${post('/echo', '{')}`)
    await once(socket, 'close')
    match(received, /^HTTP\/1.1 200 .*{"body":"{}"}HTTP\/1.1 408 /s)
  })

  it('garbage after a request does not spoil the answer in progress', async (t) => {
    const app = sampleHost(t)
    app.get('/slow', (_request, reply) => {
      reply.hijack().raw.writeHead(200, { 'content-type': 'text/plain' }).write('half')
    })
    const port = await listen(app)
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
        if (text.includes('half')) socket.write('garbage\r\n\r\n')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(text))
    })
    equal(answer.split('HTTP/1.1').length, 2)
  })

  it('a connection without traffic is closed', async (t) => {
    const app = sampleHost(t, { timeouts: { stalledMilliseconds: 80 } })
    app.get('/never', (_request, reply) => void reply.hijack())
    const port = await listen(app)
    equal(await exchange(port, hello.replace('/echo', '/never')), '')
  })
})

describe('routes', () => {
  it('an unknown path is answered with 404', async (t) => {
    const app = sampleHost(t)
    const answers = await Promise.all([
      app.inject({ url: '/nothing' }),
      app.inject({
        method: 'POST',
        url: '/nothing',
        payload: '{broken',
        headers: { 'content-type': 'application/json' },
      }),
      app.inject({
        method: 'POST',
        url: '/nothing',
        payload: '<a/>',
        headers: { 'content-type': 'text/xml' },
      }),
      app.inject({ method: 'OPTIONS', url: '/nothing' }),
    ])
    for (const answer of answers) {
      equal(answer.statusCode, 404)
      equal(answer.json().statusCode, 404)
      equal(answer.headers['x-frame-options'], 'DENY')
    }
  })

  it('an unsupported method of a known path is answered with 405 and the supported methods', async (t) => {
    const answer = await sampleHost(t).inject({ method: 'PUT', url: '/echo?a=1', payload: {} })
    equal(answer.statusCode, 405)
    equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS')
    deepStrictEqual(answer.json(), { statusCode: 405, message: 'PUT is not supported here.' })
  })

  it('a route is found regardless of case', async (t) => {
    const app = sampleHost(t)
    for (const url of ['/ECHO', '/Echo/', '/echo/?a=1', '/%45cho', 'http://any.example/Echo/']) {
      equal((await app.inject({ url })).statusCode, 200, url)
      const answer = await app.inject({ method: 'PUT', url, payload: {} })
      deepStrictEqual([answer.statusCode, answer.headers.allow], [405, 'GET, HEAD, POST, OPTIONS'], url)
    }
    for (const url of ['/echo//x', '/ech', '/echo/x']) equal((await app.inject({ url })).statusCode, 404, url)
  })

  it('the 405 of a route with a parameter has its supported methods, too', async (t) => {
    const app = sampleHost(t)
    app.get('/files/:name', () => 'file')
    equal((await app.inject({ method: 'DELETE', url: '/files/a%20b' })).headers.allow, 'GET, HEAD, OPTIONS')
  })

  it('OPTIONS of a known path is answered with 204 and the supported methods', async (t) => {
    const answer = await sampleHost(t).inject({ method: 'OPTIONS', url: '/echo' })
    equal(answer.statusCode, 204)
    equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS')
  })

  it('HEAD answers like GET without a body', async (t) => {
    const answer = await sampleHost(t).inject({ method: 'HEAD', url: '/echo' })
    equal(answer.statusCode, 200)
    equal(answer.body, '')
  })

  it('a GET with a body is answered', async (t) => {
    const port = await listen(sampleHost(t))
    const first =
      'GET /echo?a=1 HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello'
    const answer = await exchange(port, first + hello.replace('/echo', '/echo?a=2'))
    equal(answer.match(/HTTP\/1.1 200/g)?.length, 2)
  })
})

describe('the client address', () => {
  const addressOf = async (t: TestContext, trustedHops: number) => {
    const app = sampleHost(t, { trustedHops })
    const headers = { 'x-forwarded-for': '9.9.9.9, 1.2.3.4, 5.6.7.8' }
    return (await app.inject({ url: '/echo', headers })).json().address
  }

  it('is the address of the connection if no proxy is trusted', async (t) => {
    equal(await addressOf(t, 0), '127.0.0.1')
  })

  it('is the address that the outermost trusted proxy saw', async (t) => {
    equal(await addressOf(t, 1), '5.6.7.8')
    equal(await addressOf(t, 2), '1.2.3.4')
  })
})

it('a rejected upload still gets its answer while the client is sending', async (t) => {
  const port = await listen(sampleHost(t))
  const upload = Buffer.alloc(8 * 1024 ** 2, 'a')
  const headers = { 'content-type': 'application/json' }
  for (const requestHeaders of [{ ...headers, 'content-length': upload.length }, headers]) {
    const answer = await send(port, { method: 'POST', path: '/echo', headers: requestHeaders }, upload)
    equal(answer.status, 413)
    equal(JSON.parse(answer.body).message, 'The body must not be larger than 1 MiB.')
  }
  const answer = await send(
    port,
    { method: 'POST', path: '/echo', headers: { 'content-type': 'text/csv' } },
    upload,
  )
  equal(answer.status, 415)
  ok(answer.headers['content-security-policy'])
})

describe('connections', () => {
  it('beyond the budget are closed at once and counted, until another connection closes', async (t) => {
    const budgets = openBudgets({ httpConnections: 2 })
    const connections = budgets.budget('httpConnections')
    const app = sampleHost(t, { budgets })
    const port = await listen(app)
    const open = async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    }
    const held = [await open(), await open()]
    await once(await open(), 'close')
    // Each server has a budget of its own.
    equal(connections.used(app.server), 2)
    equal(budgets.states().find(({ name }) => name === 'httpConnections')?.rejected, 1)
    for (const socket of held) socket.destroy()
    while (connections.used(app.server) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    match(await exchange(port, hello), /^HTTP\/1.1 200 /)
  })

  for (const [trustedHops, expected] of [
    [0, /^$/],
    [1, /^HTTP\/1.1 200 /],
  ] as const) {
    it(`from one address are limited, unless a proxy is trusted: ${trustedHops} trusted`, async (t) => {
      const budgets = openBudgets({ httpConnectionsOfAddress: 1 })
      const port = await listen(sampleHost(t, { budgets, trustedHops }))
      const held = connect(port, '127.0.0.1')
      t.after(() => held.destroy())
      await once(held, 'connect')
      match(await exchange(port, hello), expected)
    })
  }
})

describe('Pipelined requests', () => {
  const answersTo = async (t: TestContext, count: number) => {
    const port = await listen(sampleHost(t, { budgets: openBudgets({ pipelinedRequests: 4 }) }))
    const get = 'GET /echo HTTP/1.1\r\nhost: t\r\n'
    const last = `${get}connection: close\r\n\r\n`
    const answers = await exchange(port, `${get}\r\n`.repeat(count - 1) + last)
    return answers.match(/HTTP\/1.1 200 /g)?.length ?? 0
  }

  it('are answered up to their limit', async (t) => equal(await answersTo(t, 4), 4))

  it('beyond their limit end the connection', async (t) => ok((await answersTo(t, 1000)) <= 4))
})

describe('A body that arrives after the response', () => {
  const head = (length: number) =>
    `POST /nowhere HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  const openTo = async (t: TestContext, bytesMax: number) => {
    const budgets = openBudgets({ unreadBodyBytesOfAddress: bytesMax })
    const socket = connect(await listen(sampleHost(t, { budgets })), '127.0.0.1').setEncoding('latin1')
    t.after(() => socket.destroy())
    const state = { received: '', isClosed: false }
    socket.on('data', (text: string) => {
      state.received += text
    })
    socket
      .on('error', () => undefined)
      .on('close', () => {
        state.isClosed = true
      })
    return { socket, state }
  }
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  it('is read until its budget is used up', async (t) => {
    const { socket, state } = await openTo(t, 100_000)
    socket.write(head(1e9))
    await until(() => state.received.startsWith('HTTP/1.1 413 '))
    let sent = 0
    await until(() => {
      socket.write('x'.repeat(50_000))
      sent += 50_000
      return state.isClosed || sent > 1_500_000
    })
    ok(state.isClosed, `${sent} bytes were read`)
  })

  it('does not disturb a client that writes all of it before it reads', async (t) => {
    const { socket, state } = await openTo(t, 100_000)
    socket.write(head(50_000) + 'x'.repeat(50_000) + hello)
    await until(() => state.received.includes('HTTP/1.1 200 '))
    match(state.received, /^HTTP\/1.1 404 /)
  })
})
