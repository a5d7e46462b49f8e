import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { openBudgets } from '../../src/config/budgets.ts'
import { manualClock } from '../../src/http/testing/manual-clock.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'
import { isDistributed } from '../support/fresh-database.ts'
import {
  callHeaders,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  manyTimes,
  openCall,
  opening,
  resetCall,
} from '../support/http2-frames.ts'
import { framed, grpcHeaders, openRawCalls, type RawAnswer } from '../support/raw-calls.ts'
import { until } from '../support/until.ts'
import {
  assertServes,
  listMessage,
  listOrganizations,
  otherAddress,
  startHostOnClock,
} from './assert-serves.ts'

describe('The limiter of the command host', () => {
  // On a distributed store, fewer than 50 lists may wait.
  test('is off by default', { skip: isDistributed }, async () => {
    await using host = await startCommandsUnderTest()
    const client = clientOf(host)
    // On a busy machine, 400 lists at once would wait for the store for too long.
    for (let batch = 0; batch < 8; batch += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => client.call()))
      assert.deepEqual([...new Set(answers.map(codeOf))], ['OK'])
    }
    client.close()
  })

  test('admits calls, then queues some in order, then rejects them with the seconds to wait', async () => {
    const { clock, advance } = manualClock()
    await using host = await startCommandsUnderTest(limitsOf(1, 2), { limiterClock: clock })
    const client = clientOf(host)
    assert.equal(codeOf(await client.call()), 'OK')
    const order: string[] = []
    const waiting = ['first', 'second'].map(async (name) => {
      const answer = await client.call()
      order.push(name)
      return answer
    })
    const rejected = await client.call()
    assert.equal(codeOf(rejected), 'RESOURCE_EXHAUSTED')
    assert.equal(rejected.headers['retry-after'], '60')
    for (const answer of waiting) {
      advance(60_000)
      assert.equal(codeOf(await answer), 'OK')
    }
    assert.deepEqual(order, ['first', 'second'])
    client.close()
  })

  test('drops a waiting call that is cancelled', async () => {
    await using host = await startCommandsUnderTest(limitsOf(1, 1))
    const client = clientOf(host)
    assert.equal(codeOf(await client.call()), 'OK')
    const stream = client.raw.session.request({ ...client.headers, ':method': 'POST' })
    stream.on('error', () => undefined)
    stream.end(framed(listMessage))
    assert.equal(codeOf(await client.call()), 'RESOURCE_EXHAUSTED')
    stream.close(constants.NGHTTP2_CANCEL)
    await new Promise((resolve) => stream.once('close', resolve))
    // A waiting call is not rejected; its own deadline ends it.
    for (let count = 0; count < 2; count += 1)
      assert.equal(codeOf(await client.call({ 'grpc-timeout': '100m' })), 'DEADLINE_EXCEEDED')
    client.close()
  })

  test('admits every waiting call when the host stops', async () => {
    await using host = await startCommandsUnderTest(limitsOf(1, 5))
    const client = clientOf(host)
    assert.equal(codeOf(await client.call()), 'OK')
    const waiting = Array.from({ length: 5 }, () => client.call())
    assert.equal(codeOf(await client.call()), 'RESOURCE_EXHAUSTED')
    await host.stopHost()
    for (const answer of await Promise.all(waiting)) assert.equal(codeOf(answer), 'OK')
    client.close()
  })

  test('counts each address separately', async () => {
    await using host = await startCommandsUnderTest(limitsOf(1, 0))
    const clients = ['127.0.0.1', '127.0.0.2'].map((localAddress) => clientOf(host, localAddress))
    for (const client of clients) {
      assert.equal(codeOf(await client.call({ 'x-forwarded-for': '10.0.0.1' })), 'OK')
      assert.equal(codeOf(await client.call({ 'x-forwarded-for': '10.0.0.2' })), 'RESOURCE_EXHAUSTED')
      client.close()
    }
  })

  test('behind a proxy counts the address that the proxy saw', async () => {
    await using host = await startCommandsUnderTest({
      ...limitsOf(1, 0),
      ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
    })
    const client = clientOf(host)
    const from = async (addresses: string) => codeOf(await client.call({ 'x-forwarded-for': addresses }))
    assert.equal(await from('10.0.0.1, 10.0.0.9'), 'OK')
    assert.equal(await from('10.0.0.2, 10.0.0.9'), 'RESOURCE_EXHAUSTED', 'A client forged its address.')
    assert.equal(await from('10.0.0.9, 10.0.0.2'), 'OK')
    assert.equal(codeOf(await client.call()), 'OK')
    assert.equal(codeOf(await client.call()), 'RESOURCE_EXHAUSTED')
    client.close()
  })
})

for (const proxies of [1, 2]) {
  test(`The limiter of commands behind ${proxies} trusted proxies ignores forged addresses`, async () => {
    await using host = await startCommandsUnderTest({
      ...limitsOf(1, 0),
      ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
      TRUSTED_PROXIES: String(proxies),
    })
    const client = clientOf(host)
    const added = proxies === 1 ? '10.0.0.9' : '10.0.0.9, 10.0.1.1'
    const from = async (forged: string) =>
      codeOf(await client.call({ 'x-forwarded-for': `${forged}, ${added}` }))
    assert.equal(await from('10.0.0.1'), 'OK')
    assert.equal(await from('10.0.0.2'), 'RESOURCE_EXHAUSTED')
    client.close()
  })
}

describe('The metadata authorization', () => {
  const host = fixture(startCommandsUnderTest)

  async function codeWith(authorization?: string): Promise<string> {
    const client = clientOf(host)
    const { authorization: _, ...otherHeaders } = client.headers
    const headers = authorization === undefined ? otherHeaders : { ...otherHeaders, authorization }
    const answer = await client.raw.send(headers, framed(listMessage))
    client.close()
    return codeOf(answer)
  }

  test('is accepted with "bearer" in any case', async () => {
    const { token } = host.administrator
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      assert.equal(await codeWith(`${scheme} ${token}`), 'OK')
    }
  })

  test('is rejected if it is repeated', async () => {
    const { token } = host.administrator
    assert.equal(await answerByHand(host, [`Bearer ${token}`]), 'result')
    assert.equal(await answerByHand(host, [`Bearer ${token}`, `Bearer ${token}`]), 'rejection')
  })

  test('is rejected when missing, empty, of another kind or too long', async () => {
    const { token } = host.administrator
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${token} x`,
      `Bearer ${token}${'x'.repeat(4096)}`,
      `Bearer ${'x'.repeat(30_000)}`,
    ]) {
      assert.equal(await codeWith(authorization), 'UNAUTHENTICATED', authorization?.slice(0, 20))
    }
  })
})

const limitsOf = (permits: number, queue: number) => ({
  RateLimit__Command__PermitLimit: String(permits),
  RateLimit__Command__QueueLimit: String(queue),
})

function clientOf({ target, administrator }: CommandsUnderTest, localAddress = '127.0.0.1') {
  const raw = openRawCalls(target, { localAddress })
  const headers = grpcHeaders(listOrganizations, administrator.token)
  return {
    raw,
    headers,
    call: (extraHeaders: Record<string, string> = {}): Promise<RawAnswer> =>
      raw.send({ ...headers, ...extraHeaders }, framed(listMessage)),
    close: () => raw.close(),
  }
}

/** Node's client sends the header only once, so the frames are written by hand. */
async function answerByHand(
  { target }: CommandsUnderTest,
  authorizations: readonly string[],
): Promise<string> {
  const [host, port] = target.split(':')
  const socket = connect(Number(port), host)
  const headers = callHeaders(listOrganizations)
  const block = headerBlock([...headers, ...authorizations.map((value) => ['authorization', value] as const)])
  socket.write(Buffer.concat([opening, frame(frameTypes.headers, endHeaders, 1, block)]))
  socket.write(frame(frameTypes.data, endStream, 1, framed(listMessage)))
  let seen = Buffer.alloc(0)
  for await (const piece of socket) {
    seen = Buffer.concat([seen, piece])
    const kind = kindOfAnswer(seen)
    if (kind) return kind
  }
  return 'closed'
}

/** A result is a data frame. An error is headers that end the stream. */
function kindOfAnswer(bytes: Buffer): 'result' | 'rejection' | undefined {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const type = bytes[at + 3]
    const flags = bytes[at + 4] ?? 0
    if (type === frameTypes.data) return 'result'
    if (type === frameTypes.headers && (flags & endStream) !== 0) return 'rejection'
  }
  return undefined
}

const codeOf = ({ status: code }: RawAnswer): string => status[code ?? -1] ?? 'no answer'

const block = headerBlock(callHeaders(listOrganizations))
const resets = (count: number, from = 0) =>
  manyTimes(count, (index) => Buffer.concat([openCall(from + index, block), resetCall(from + index)]))

test('Streams that an address resets are counted over all its connections', async (t) => {
  const { open, openServed, pass, budgets } = await startHostOnClock(t, { newcomerResetsOfAddress: 20 })
  const used = () => budgets.budget('newcomerResetsOfAddress').used('127.0.0.1')
  const first = await openServed()
  first.send(resets(15))
  await until(() => used() === 15, 'resets to be counted')
  assert.equal(first.isClosed(), false)
  first.close()
  const second = open()
  second.send(resets(15))
  await until(second.isClosed, 'the connection to end')
  assert.equal(second.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)

  const fromOtherAddress = await openServed(otherAddress)
  fromOtherAddress.send(resets(15))
  await until(() => budgets.budget('newcomerResetsOfAddress').used(otherAddress) === 15, 'another address')
  assert.equal(fromOtherAddress.isClosed(), false)

  pass(1.5)
  assert.equal(used(), 5)
  const third = await openServed()
  third.send(resets(15))
  await until(() => used() === 20, 'resets to be counted')
  assert.equal(third.isClosed(), false)
})

test('Reset streams are also limited over all addresses', async (t) => {
  const { open, host } = await startHostOnClock(t, { newcomerResets: 20 })
  open().send(resets(15))
  const second = open(otherAddress)
  second.send(resets(15))
  await until(second.isClosed, 'the connection to end')
  assert.equal(second.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  await assertServes(host)
})

test('A client whose token was accepted may reset more calls than one without a token', async (t) => {
  const { host, open } = await startHostOnClock(t, { newcomerResetsOfAddress: 5, newcomerResets: 5 })
  const trusted = open()
  const withToken = callHeaders(listOrganizations, { authorization: `Bearer ${host.administrator.token}` })
  trusted.send(openCall(0, headerBlock(withToken)), frame(frameTypes.data, endStream, 1, framed(listMessage)))
  await until(() => trusted.received().some(({ type }) => type === frameTypes.data), 'an answer')
  trusted.send(resets(50, 1))
  const answers = () => trusted.received().filter(({ type }) => type === frameTypes.data).length
  trusted.send(
    openCall(60, headerBlock(withToken)),
    frame(frameTypes.data, endStream, 121, framed(listMessage)),
  )
  await until(() => answers() === 2, 'another answer')
  assert.equal(trusted.isClosed(), false)
})

test('A call whose reset arrives with it is never started', async (t) => {
  const { host, open } = await startHostOnClock(t, {}, { METRICS: 'true' })
  const readCounts = async () => {
    const text = await (await fetch(`${host.diagnostics}/metrics`)).text()
    return [...text.matchAll(/^command_duration_seconds_count\{.*\} (\d+)/gm)].map(([, count]) => count)
  }
  const connection = open()
  connection.send(resets(50), openCall(50, block, endHeaders + endStream))
  await until(() => connection.received().some(({ type }) => type === frameTypes.headers), 'the last answer')
  assert.deepEqual(await readCounts(), ['1'])
})

test('Calls without a token are limited for each address', async (t) => {
  const { host, open, pass } = await startHostOnClock(t, {
    newcomerStreamsOfAddress: 10,
    newcomerResetsOfAddress: 5,
  })
  const codes = async (count: number, localAddress?: string) => {
    const raw = openRawCalls(host.target, { ...(localAddress && { localAddress }) })
    t.after(raw.close)
    const answers = await Promise.all(
      Array.from({ length: count }, () => raw.send(grpcHeaders(listOrganizations), framed(listMessage))),
    )
    return answers.map(({ status: code, headers }) => [code, headers['retry-after']])
  }
  const unauthenticated = [status.UNAUTHENTICATED, undefined]
  const exhausted = [status.RESOURCE_EXHAUSTED, '1']
  assert.deepEqual(await codes(8), new Array(8).fill(unauthenticated))
  assert.deepEqual(await codes(4), [unauthenticated, unauthenticated, exhausted, exhausted])
  assert.deepEqual(await codes(1, otherAddress), [unauthenticated])
  const flood = open()
  flood.send(manyTimes(50, (index) => openCall(index, block, endHeaders + endStream)))
  await until(flood.isClosed, 'the connection to end')
  assert.equal(flood.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  pass(1)
  assert.deepEqual(await codes(1), [unauthenticated])
})

test('Calls without a token are also limited over all addresses', async (t) => {
  const { host } = await startHostOnClock(t, { newcomerStreams: 3 })
  const codeFrom = async (localAddress: string) => {
    const raw = openRawCalls(host.target, { localAddress })
    t.after(raw.close)
    return (await raw.send(grpcHeaders(listOrganizations), framed(listMessage))).status
  }
  for (const address of ['127.0.0.3', '127.0.0.4', '127.0.0.5'])
    assert.equal(await codeFrom(address), status.UNAUTHENTICATED)
  assert.equal(await codeFrom('127.0.0.6'), status.RESOURCE_EXHAUSTED)
})

test('Behind a proxy, calls count for the address of the client', async (t) => {
  const { host, budgets } = await startHostOnClock(
    t,
    { newcomerResetsOfAddress: 3, newcomerConnectionsOfAddress: 1, newcomersOfAddress: 1 },
    { ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' },
  )
  const proxy = openRawCalls(host.target)
  const another = openRawCalls(host.target)
  t.after(proxy.close)
  t.after(another.close)
  await once(another.session, 'remoteSettings')
  const call = async (address: string, token?: string) => {
    const headers = { ...grpcHeaders(listOrganizations, token), 'x-forwarded-for': `10.0.0.1, ${address}` }
    return (await proxy.send(headers, framed(listMessage))).status
  }
  const { token } = host.administrator
  assert.equal(await call('10.9.9.9', token), status.OK)
  for (let count = 0; count < 3; count += 1) {
    const stream = proxy.session.request({
      ...grpcHeaders(listOrganizations),
      ':method': 'POST',
      'x-forwarded-for': '10.9.9.9',
    })
    stream.on('error', () => undefined)
    stream.close(constants.NGHTTP2_CANCEL)
  }
  await until(() => budgets.budget('newcomerResetsOfAddress').used('10.9.9.9') === 3, 'three resets')
  assert.equal(await call('10.9.9.9'), status.RESOURCE_EXHAUSTED)
  assert.equal(await call('10.9.9.9', token), status.OK)
  assert.equal(await call('10.9.9.8'), status.UNAUTHENTICATED)
  assert.equal(budgets.budget('newcomerResetsOfAddress').used('127.0.0.1'), 0)
})

test('Watches of health count for the addresses that a proxy saw', async () => {
  const budgets = openBudgets({ unauthenticatedStreamsPerAddress: 1 })
  await using host = await startCommandsUnderTest(
    { ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' },
    { budgets },
  )
  await using proxy = openRawCalls(host.target)
  const watch = (address: string) => {
    const headers = { ...grpcHeaders('/grpc.health.v1.Health/Watch'), 'x-forwarded-for': address }
    const stream = proxy.session.request({ ':method': 'POST', ...headers })
    stream.on('error', () => undefined)
    stream.end(framed(Buffer.alloc(0)))
    return once(stream, 'response').then(([answer]) => answer['grpc-status'])
  }
  assert.equal(await watch('10.0.0.1'), undefined)
  assert.equal(await watch('10.0.0.1'), String(status.RESOURCE_EXHAUSTED))
  assert.equal(await watch('10.0.0.2'), undefined)
})

describe('A connection to the commands', () => {
  const host = fixture(startCommandsUnderTest)
  const impatient = fixture(
    startCommandsUnderTest,
    {},
    { alongside: host, unauthenticatedMilliseconds: 1000 },
  )

  test('may have a hundred streams until a token is accepted on it', async () => {
    await using raw = openRawCalls(host.target)
    await once(raw.session, 'remoteSettings')
    const streamsMax = () => raw.session.remoteSettings.maxConcurrentStreams
    assert.equal(streamsMax(), 100)
    const rejected = await raw.send(grpcHeaders(listOrganizations, 'nobodys'), framed(listMessage))
    assert.deepEqual([rejected.status, streamsMax()], [status.UNAUTHENTICATED, 100])
    const answered = await raw.send(
      grpcHeaders(listOrganizations, host.administrator.token),
      framed(listMessage),
    )
    assert.deepEqual([answered.status, streamsMax()], [status.OK, 4096])
  })

  for (const { kind, path } of [
    { kind: 'a watch of health', path: '/grpc.health.v1.Health/Watch' },
    { kind: 'a call of reflection', path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo' },
  ]) {
    test(`ends ${kind} after a while without a token`, async () => {
      await using raw = openRawCalls(impatient.target)
      const ended = await raw.send(grpcHeaders(path), framed(Buffer.alloc(0)), false)
      assert.deepEqual(
        [ended.status, ended.message],
        [status.DEADLINE_EXCEEDED, 'A call on a connection without a token must end sooner. Call again.'],
      )
    })
  }

  test('returns the request id in the trailers of a success and of an error', async () => {
    await using raw = openRawCalls(host.target)
    for (const token of [host.administrator.token, undefined]) {
      const headers = { ...grpcHeaders(listOrganizations, token), 'x-request-id': 'seen-by-a-proxy' }
      const answer = await raw.send(headers, framed(listMessage))
      assert.equal(answer.headers['x-request-id'], 'seen-by-a-proxy')
    }
  })
})
