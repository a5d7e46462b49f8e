import assert from 'node:assert/strict'
import { constants } from 'node:http2'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { isDistributed } from '../support/fresh-database.ts'
import {
  callHeaders,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  opening,
} from '../support/http2-frames.ts'
import { framed, grpcHeaders, openRawCalls, type RawAnswer } from '../support/raw-calls.ts'
import { goodList, listOrganizations } from './assert-serves.ts'

describe('the limiter of the command host', () => {
  // Four hundred lists at once are more there than may wait.
  test('is off by default', { skip: isDistributed }, async () => {
    const host = await startCommandsUnderTest()
    const client = clientOf(host)
    const answers = await Promise.all(Array.from({ length: 400 }, () => client.call()))
    assert.deepEqual([...new Set(answers.map(codeOf))], ['OK'])
    client.close()
    await host.stop()
  })

  test('admits, keeps waiting in order, and rejects the rest with the seconds to wait', async () => {
    const host = await startCommandsUnderTest(limitsOf(1, 2), { windowMilliseconds: 2000 })
    const client = clientOf(host)
    assert.equal(codeOf(await client.call()), 'OK')
    const order: string[] = []
    const waiting = ['first', 'second'].map(async (name) => {
      const answer = await client.call()
      order.push(name)
      return answer
    })
    const refused = await client.call()
    assert.equal(codeOf(refused), 'RESOURCE_EXHAUSTED')
    assert.match(String(refused.headers['retry-after']), /^[12]$/)
    for (const answer of await Promise.all(waiting)) assert.equal(codeOf(answer), 'OK')
    assert.deepEqual(order, ['first', 'second'])
    client.close()
    await host.stop()
  })

  test('drops a waiting connection that hangs up, so that another may wait', async () => {
    const host = await startCommandsUnderTest(limitsOf(1, 1))
    const client = clientOf(host)
    assert.equal(codeOf(await client.call()), 'OK')
    const stream = client.raw.session.request({ ...client.headers, ':method': 'POST' })
    stream.on('error', () => undefined)
    stream.end(framed(goodList))
    assert.equal(codeOf(await client.call()), 'RESOURCE_EXHAUSTED')
    stream.close(constants.NGHTTP2_CANCEL)
    await new Promise((resolve) => stream.once('close', resolve))
    // A waiting call is not rejected; its own deadline ends it.
    for (const patience of ['100m', '100m']) {
      assert.equal(codeOf(await client.call({ 'grpc-timeout': patience })), 'DEADLINE_EXCEEDED')
    }
    client.close()
    await host.stop()
  })

  test('lets everyone who waits through when the host stops', async () => {
    const host = await startCommandsUnderTest(limitsOf(1, 5))
    const client = clientOf(host)
    assert.equal(codeOf(await client.call()), 'OK')
    const waiting = Array.from({ length: 5 }, () => client.call())
    assert.equal(codeOf(await client.call()), 'RESOURCE_EXHAUSTED')
    await host.stopHost()
    for (const answer of await Promise.all(waiting)) assert.equal(codeOf(answer), 'OK')
    client.close()
    await host.stop()
  })

  test('counts each address alone, and believes no header by default', async () => {
    const host = await startCommandsUnderTest(limitsOf(1, 0))
    const clients = ['127.0.0.1', '127.0.0.2'].map((localAddress) => clientOf(host, localAddress))
    for (const client of clients) {
      assert.equal(codeOf(await client.call({ 'x-forwarded-for': '10.0.0.1' })), 'OK')
      assert.equal(codeOf(await client.call({ 'x-forwarded-for': '10.0.0.2' })), 'RESOURCE_EXHAUSTED')
      client.close()
    }
    await host.stop()
  })

  test('behind a proxy counts the address that the proxy saw, the last one', async () => {
    const host = await startCommandsUnderTest({
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
    await host.stop()
  })
})

for (const proxies of [1, 2]) {
  test(`the limiter of commands behind ${proxies} proxies of ours is not evaded by a forged address`, async () => {
    const host = await startCommandsUnderTest({
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
    await host.stop()
  })
}

describe('the metadata authorization', () => {
  let host: CommandsUnderTest

  before(async () => {
    host = await startCommandsUnderTest()
  })
  after(() => host.stop())

  async function codeWith(authorization?: string): Promise<string> {
    const client = clientOf(host)
    const { authorization: _, ...others } = client.headers
    const given = authorization === undefined ? {} : { authorization }
    const answer = await client.raw.send({ ...others, ...given }, framed(goodList))
    client.close()
    return codeOf(answer)
  }

  test('is understood with "bearer" in any case', async () => {
    const { token } = host.administrator
    for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      assert.equal(await codeWith(`${word} ${token}`), 'OK')
    }
  })

  test('given twice belongs to no user', async () => {
    const { token } = host.administrator
    assert.equal(await answerByHand(host, [`Bearer ${token}`]), 'result')
    assert.equal(await answerByHand(host, [`Bearer ${token}`, `Bearer ${token}`]), 'refusal')
  })

  test('is rejected when missing, empty, of another kind or too long', async () => {
    const { token } = host.administrator
    const wrong = [undefined, '', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token} x`]
    for (const authorization of [
      ...wrong,
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
    call: (more: Record<string, string> = {}): Promise<RawAnswer> =>
      raw.send({ ...headers, ...more }, framed(goodList)),
    close: () => raw.close(),
  }
}

/** Node's client sends only one, so the frames are written by hand: preface, settings, headers, one message. */
async function answerByHand(
  { target }: CommandsUnderTest,
  authorizations: readonly string[],
): Promise<string> {
  const [host, port] = target.split(':')
  const socket = connect(Number(port), host)
  const headers = callHeaders(listOrganizations)
  const block = headerBlock([...headers, ...authorizations.map((value) => ['authorization', value] as const)])
  socket.write(Buffer.concat([opening, frame(frameTypes.headers, endHeaders, 1, block)]))
  socket.write(frame(frameTypes.data, endStream, 1, framed(goodList)))
  let seen = Buffer.alloc(0)
  for await (const piece of socket) {
    seen = Buffer.concat([seen, piece])
    const kind = kindOfAnswer(seen)
    if (kind) return kind
  }
  return 'closed'
}

/** A result is a data frame; an error is headers that end the stream. */
function kindOfAnswer(bytes: Buffer): 'result' | 'refusal' | undefined {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const [type, flags] = [bytes[at + 3], bytes[at + 4] ?? 0]
    if (type === 0) return 'result'
    if (type === 1 && (flags & endStream) !== 0) return 'refusal'
  }
  return undefined
}

const codeOf = ({ status: code }: RawAnswer): string => status[code ?? -1] ?? 'no answer'
