import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { budgetLimits } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'
import {
  callHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  manyTimes,
  openCall,
} from '../support/http2-frames.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { until } from '../support/until.ts'
import {
  assertServes,
  createOrganization,
  listMessage,
  listOrganizations,
  otherAddress,
  startHostOnClock,
} from './assert-serves.ts'

/** Short enough for a test, long enough for every ordinary call in it. */
const limits = {
  requestMilliseconds: 1500,
  unreadResponseMilliseconds: 600,
  keepaliveMilliseconds: 3000,
  stopMilliseconds: 1000,
}

describe('A client that', () => {
  const host = fixture(startCommandsUnderTest, {}, limits)

  const listHeaders = () => grpcHeaders(listOrganizations, host.administrator.token)

  const garbage: Readonly<Record<string, string>> = {
    'sends garbage': '\u0000\u0001\u0002 garbage \r\n\r\n'.repeat(100),
    'speaks HTTP/1.1': 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'posts over HTTP/1.1': `POST ${listOrganizations} HTTP/1.1\r\nHost: x\r\nContent-Type: application/grpc\r\n\r\n`,
    'begins TLS': '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003',
    'sends garbage after the preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage garbage garbage',
    'sends a frame of 16 MiB': `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\u00ff'.repeat(64)}`,
  }
  for (const [name, bytes] of Object.entries(garbage)) {
    test(`${name} is disconnected`, async () => {
      const socket = openSocket(host)
      socket.write(bytes, 'latin1')
      await closed(socket)
      await assertServes(host)
    })
  }

  test('sends another content type gets 415', async () => {
    await using raw = openRawCalls(host.target)
    for (const type of ['application/json', 'text/plain', '']) {
      const answer = await raw.send({ ...listHeaders(), 'content-type': type }, framed(listMessage))
      assert.equal(answer.httpStatus, 415, type)
    }
    const { te: _, ...withoutTe } = listHeaders()
    assert.equal((await raw.send(withoutTe, framed(listMessage))).status, status.OK)
  })

  test('speaks gRPC-Web or Connect learns which protocol is served', async () => {
    await using raw = openRawCalls(host.target)
    const sentence = /^This port serves gRPC over HTTP\/2 .* gRPC-Web and Connect need a proxy/
    for (const type of ['application/grpc-web', 'application/grpc-web+proto', 'application/grpc-web-text']) {
      const answer = await raw.send({ ...listHeaders(), 'content-type': type }, framed(listMessage))
      assert.deepEqual([answer.httpStatus, answer.status], [200, status.UNIMPLEMENTED], type)
      assert.match(answer.message, sentence)
    }
    for (const type of ['application/json', 'application/proto', 'application/connect+proto']) {
      const { httpStatus, body } = await raw.send(
        { ...listHeaders(), 'content-type': type },
        Buffer.from('{}'),
      )
      assert.equal(httpStatus, 415, type)
      const { code, message } = JSON.parse(String(body))
      assert.equal(code, 'unimplemented')
      assert.match(message, sentence)
    }
  })

  test('calls an unknown path gets UNIMPLEMENTED', async () => {
    await using raw = openRawCalls(host.target)
    const paths = [
      '/',
      '/x/y',
      '/tracker.commands.v1.Commands/',
      `/${'a'.repeat(8000)}`,
      '/%00%0d%0a',
      '/ä€',
      '*',
    ]
    for (const path of paths) {
      const answer = await raw.send(grpcHeaders(path), framed(listMessage))
      assert.ok(answer.status === status.UNIMPLEMENTED || answer.resetCode !== 0, path)
      await assertServes(host)
    }
  })

  test('sends too many or odd headers causes no INTERNAL error and no output on the console', async (t) => {
    const printed = t.mock.method(console, 'error', () => undefined)
    for (const headers of [manyHeaders(), { huge: 'x'.repeat(100_000) }]) {
      const raw = openRawCalls(host.target)
      const answer = await raw.send({ ...listHeaders(), ...headers }, framed(listMessage))
      assert.notEqual(answer.status, status.OK)
      assert.notEqual(answer.status, status.INTERNAL)
      raw.close()
      await assertServes(host)
    }
    const raw = openRawCalls(host.target)
    const authorization = `Bearer ${host.administrator.token}\u00e9`
    const answer = await raw.send({ ...listHeaders(), authorization }, framed(listMessage))
    assert.equal(answer.status, status.UNAUTHENTICATED)
    const odd = await raw.send(
      { ...listHeaders(), 'x~y': 'secret', 'x-bin': 'not base64!' },
      framed(listMessage),
    )
    assert.equal(odd.status, status.OK)
    raw.close()
    assert.equal(printed.mock.callCount(), 0)
  })

  for (const path of [createOrganization, '/no/such', '/grpc.health.v1.Health/Watch']) {
    for (const contentType of ['application/grpc', 'text/plain']) {
      test(`resets 1500 streams at once harms no other client: ${contentType} for ${path}`, async () => {
        const session = connectHttp2(`http://${host.target}`)
        session.on('error', () => undefined)
        const headers = { ...grpcHeaders(path, host.administrator.token), ':method': 'POST' }
        for (let opened = 0; opened < 1500 && !session.closed; opened += 1) {
          const stream = session.request({ ...headers, 'content-type': contentType })
          stream.on('error', () => undefined)
          stream.close(constants.NGHTTP2_CANCEL)
          if (opened % 100 === 99) await new Promise((resolve) => setImmediate(resolve))
        }
        session.destroy()
        await assertServes(host)
        const made = await host.database.query(sql`select id from organizations`)
        assert.equal(made.length, 0)
      })
    }
  }

  // Each test waits for a limit of its own connection.
  describe('is slow and', { concurrency: true }, () => {
    test('sends nothing is disconnected after a while', async () => {
      const silent = openSocket(host)
      const halfPreface = openSocket(host)
      halfPreface.write('PRI * HTTP/2.0\r\n')
      await Promise.all([closed(silent), closed(halfPreface)])
    })

    test('opens a call and never sends its message gets DEADLINE_EXCEEDED', async () => {
      await using raw = openRawCalls(host.target)
      const calls = Array.from({ length: 50 }, () =>
        raw.send(listHeaders(), framed(listMessage).subarray(0, 4), false),
      )
      for (const { status: code, message } of await Promise.all(calls)) {
        assert.deepEqual([code, message], [status.DEADLINE_EXCEEDED, 'The request did not arrive in time.'])
      }
      assert.equal((await raw.send(listHeaders(), framed(listMessage))).status, status.OK)
    })

    test('never reads the responses loses the streams that wait for it', async () => {
      const { database, administrator } = host
      await insertOrganizations(database, 100)
      const raw = openRawCalls(host.target, { initialWindowSize: 0 })
      const pageOf100 = Buffer.from([0x0a, 0x02, 0x10, 100])
      const headers = grpcHeaders(listOrganizations, administrator.token)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => raw.send(headers, framed(pageOf100))),
      )
      for (const { resetCode } of answers) assert.equal(resetCode, constants.NGHTTP2_CANCEL)
      raw.close()
      await assertServes(host)
    })

    test('sends questions to reflection without reading the answers loses the stream', async () => {
      const raw = openRawCalls(host.target, { initialWindowSize: 0 })
      const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
      const stream = raw.session.request({ ...grpcHeaders(path), ':method': 'POST' })
      stream.on('error', () => undefined)
      const name = 'tracker/commands/v1/commands.proto'
      const question = framed(Buffer.concat([Buffer.from([0x1a, name.length]), Buffer.from(name)]))
      const questions = Buffer.concat(Array.from({ length: 10_000 }, () => question))
      let isReadToItsEnd = false
      stream.write(questions, () => {
        isReadToItsEnd = !stream.destroyed
      })
      // The host drops the stream, because the first response is not read.
      await new Promise((resolve) => stream.once('close', resolve))
      assert.equal(isReadToItsEnd, false)
      raw.close()
      await assertServes(host)
    })

    test('only watches health stays connected', async () => {
      await using raw = openRawCalls(host.target)
      const watch = raw.session.request({ ...grpcHeaders('/grpc.health.v1.Health/Watch'), ':method': 'POST' })
      watch.on('error', () => undefined)
      watch.end(framed(Buffer.alloc(0)))
      const [first] = await once(watch, 'data')
      assert.equal(first.length > 5, true)
      const stays = new Promise((resolve) => setTimeout(resolve, limits.unreadResponseMilliseconds * 4))
      await Promise.race([stays, once(watch, 'close').then(() => assert.fail('The watch was closed.'))])
    })
  })
})

function openSocket({ target }: CommandsUnderTest): Socket {
  const [host, port] = target.split(':')
  const socket = connect(Number(port), host)
  socket.on('error', () => undefined)
  socket.resume()
  return socket
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close', { signal: AbortSignal.timeout(10_000) })
}

const manyHeaders = (): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x-${index}`, 'y']))

function insertOrganizations(database: CommandsUnderTest['database'], count: number): Promise<unknown[]> {
  return database.query(sql`
    insert into organizations (id, name, description)
    select gen_random_uuid(), 'Organization ' || number, ${'x'.repeat(2000)}
    from generate_series(1, ${count}) as number`)
}

/**
 * Collects the sockets that the host accepts from now on, but not connections that are closed without a
 * socket.
 */
function collectSockets(t: TestContext): readonly Socket[] {
  const sockets: Socket[] = []
  const add = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', add)
  t.after(() => unsubscribe('net.server.socket', add))
  return sockets
}

test('New connections of an address wait unread while those of another address are admitted', async (t) => {
  const { open, openServed, isServed, pass, budgets } = await startHostOnClock(t, {
    newcomerConnectionsOfAddress: 2,
  })
  const sockets = collectSockets(t)
  const waiting = () => budgets.budget('newcomersWaitingOfAddress').used('127.0.0.1')
  await Promise.all([openServed(), openServed()])
  const third = open()
  const fourth = open()
  await until(() => waiting() === 2, 'two to wait')
  await openServed(otherAddress)
  await sleep(150)
  assert.deepEqual([isServed(third), isServed(fourth)], [false, false])
  assert.equal(sockets.filter(({ bytesRead }) => bytesRead === 0).length, 2)
  pass(0.1)
  await until(() => waiting() === 1, 'one to be admitted')
  pass(0.1)
  await until(() => isServed(third) && isServed(fourth), 'both to be admitted')
})

test('The connections of all addresses together have a limited rate', async (t) => {
  const { open, openServed, isServed, pass, budgets } = await startHostOnClock(t, { newcomerConnections: 1 })
  const waiting = () => budgets.budget('newcomersWaiting').used()
  await openServed()
  const flood = Array.from({ length: 10 }, () => open())
  await until(() => waiting() === 10, 'ten to wait')
  const lone = open(otherAddress)
  await until(() => waiting() === 11, 'eleven to wait')
  pass(0.02)
  await until(() => waiting() === 10, 'one to be admitted')
  pass(0.02)
  await until(() => isServed(lone), 'the other address to be admitted')
  assert.equal(flood.filter(isServed).length, 1)
})

test('The number of waiting connections is limited, for each address and for all together', async (t) => {
  const { open, budgets } = await startHostOnClock(t, {
    newcomerConnections: 1,
    newcomersWaitingOfAddress: 2,
    newcomersWaiting: 3,
  })
  const waiting = (address?: string) =>
    address === undefined
      ? budgets.budget('newcomersWaiting').used()
      : budgets.budget('newcomersWaitingOfAddress').used(address)
  open()
  await until(() => budgets.budget('newcomerConnections').used() === 1, 'the first')
  const sockets = collectSockets(t)
  const second = open()
  const third = open()
  await until(() => waiting() === 2, 'two to wait')
  await until(open().isClosed, 'the next one to be closed')
  open('127.0.0.3')
  await until(() => waiting() === 3, 'three to wait')
  await until(open('127.0.0.3').isClosed, 'the second one of this address to be closed')
  assert.deepEqual([second.isClosed(), third.isClosed(), sockets.length], [false, false, 3])
  open('127.0.0.4')
  await until(() => waiting('127.0.0.4') === 1, 'a third address to wait')
  assert.deepEqual([waiting(), waiting('127.0.0.1'), waiting('127.0.0.3')], [3, 1, 1])
})

test('If too many connections have no token, the address with the most loses its oldest', async (t) => {
  const { host, openServed } = await startHostOnClock(t, { newcomersOfAddress: 3, newcomers: 4 })
  const lone = await openServed(otherAddress)
  const first = await openServed()
  const second = await openServed()
  const third = await openServed()
  const fourth = await openServed()
  await until(first.isClosed, 'the connection to end')
  assert.equal(first.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  await openServed('127.0.0.3')
  await until(second.isClosed, 'the connection to end')
  assert.deepEqual([third.isClosed(), fourth.isClosed(), lone.isClosed()], [false, false, false])
  await assertServes(host)
})

test('An accepted token releases the budget shares of its connection and its calls', async (t) => {
  const { host } = await startHostOnClock(t, {
    newcomerConnectionsOfAddress: 2,
    newcomerStreamsOfAddress: 2,
    newcomersOfAddress: 2,
    newcomersWaitingOfAddress: 1,
  })
  for (let count = 0; count < 5; count += 1) await assertServes(host)
  for (let kept = 0; kept < 5; kept += 1) {
    await using raw = openRawCalls(host.target)
    const answer = await raw.send(
      grpcHeaders(listOrganizations, host.administrator.token),
      framed(listMessage),
    )
    assert.equal(answer.status, status.OK)
  }
})

test('Every connection that an address may open at once has time to present its token', async (t) => {
  const { host, openServed, budgets } = await startHostOnClock(t, {})
  const { newcomerConnectionsOfAddress, newcomerConnections, newcomers } = budgetLimits
  const connections = await Promise.all(
    Array.from({ length: newcomerConnectionsOfAddress.max }, () => openServed()),
  )
  const withToken = callHeaders(listOrganizations, { authorization: `Bearer ${host.administrator.token}` })
  const call = openCall(0, headerBlock(withToken))
  for (const { send } of connections) send(call, frame(frameTypes.data, endStream, 1, framed(listMessage)))
  await until(() => budgets.budget('newcomers').used() === 0, 'the tokens to be accepted')
  assert.ok(connections.every((connection) => !connection.isClosed()))
  assert.equal(budgets.budget('newcomerConnectionsOfAddress').used('127.0.0.1'), 0)
  assert.ok(newcomerConnections.max < newcomers.max)
})

for (const name of ['newcomerBytesOfAddress', 'newcomerBytes'] as const)
  test(`Headers without a token count with their decompressed size: ${name}`, async (t) => {
    const { host, budgets } = await startHostOnClock(t, { [name]: 64 * 1024 })
    const session = connectHttp2(`http://${host.target}`)
    session.on('error', () => undefined)
    t.after(() => session.destroy())
    const headers = { ...grpcHeaders(listOrganizations), ':method': 'POST', 'x-large': 'x'.repeat(2000) }
    let calls = 0
    while (calls < 64 && !session.closed && !session.destroyed) {
      const stream = session.request(headers)
      stream.on('error', () => undefined)
      stream.end()
      await new Promise((resolve) => stream.once('close', resolve))
      calls += 1
    }
    assert.ok(calls < 64, `${calls} calls`)
    assert.ok(budgets.budget('newcomerBytesOfAddress').used('127.0.0.1') > 0)
  })

const floods: Readonly<Record<string, Buffer>> = {
  'window updates': frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])),
  pings: frame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
  settings: frame(frameTypes.settings, 0, 0),
  priorities: frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 1])),
  'frames of an unknown type': frame(0x77, 0, 0),
}
for (const [name, each] of Object.entries(floods)) {
  test(`An address that floods with ${name} is disconnected`, async (t) => {
    const { open, openServed, isServed, pass, budgets } = await startHostOnClock(t, {
      newcomerBytesOfAddress: 32 * 1024,
    })
    const flood = await openServed()
    const piece = manyTimes(200, () => each)
    await until(() => {
      flood.send(piece)
      return flood.isClosed()
    }, 'the flood to end')
    const next = open()
    await until(() => budgets.budget('newcomersWaiting').used() === 1, 'the next connection to wait')
    await openServed(otherAddress)
    assert.equal(isServed(next), false)
    pass(0.13)
    await until(() => isServed(next), 'the next connection to be admitted')
  })
}
