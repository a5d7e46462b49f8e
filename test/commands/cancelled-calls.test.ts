import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { openBudgets } from '../../src/config/budgets.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { until } from '../support/until.ts'
import { goodList, listOrganizations } from './assert-serves.ts'

/** Of an organization that is not there: quick, and no list that others wait for. */
const getOrganization = '/tracker.commands.v1.Commands/GetOrganizationById'
const id = Buffer.from('0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58')
const request = framed(Buffer.concat([Buffer.from([0x0a, id.length]), id]))

/** A thousand at once, then 33 a second, are what HTTP/2 itself lets a connection cancel. */
const cancelled = 900

describe('A client that cancels and repeats calls before the host has released them', () => {
  let host: CommandsUnderTest
  before(async () => {
    host = await startCommandsUnderTest()
  })
  after(() => host.stop())

  const open = (session: ClientHttp2Session) => {
    const headers = grpcHeaders(getOrganization, host.administrator.token)
    const stream = session.request({ ':method': 'POST', ...headers }, { endStream: false })
    stream.on('error', () => undefined)
    return stream
  }
  const ended = async (stream: ClientHttp2Stream) => {
    let code: unknown
    stream.on('response', (headers) => {
      code = headers['grpc-status'] ?? code
    })
    stream.on('trailers', (trailers) => {
      code = trailers['grpc-status']
    })
    stream.resume()
    stream.end(request)
    await new Promise((resolve) => stream.once('close', resolve))
    return `${code}/${stream.rstCode}`
  }

  test('is told ENHANCE_YOUR_CALM for none of them, and keeps its connection', async () => {
    // What is not sent yet counts, and with Node's default the client would reset its own streams.
    const session = connect(`http://${host.target}`, { maxSessionMemory: 1000 })
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    assert.equal(await ended(open(session)), '0/0')
    const given = Array.from({ length: cancelled }, () => {
      const stream = open(session)
      stream.write(request.subarray(0, 3))
      return stream
    })
    // An answer to a call that came after them: by then the host has seen them all.
    assert.equal(await ended(open(session)), '0/0')
    for (const stream of given) stream.close(constants.NGHTTP2_CANCEL)
    const answers = await Promise.all(Array.from({ length: cancelled }, () => ended(open(session))))
    assert.deepEqual([...new Set(answers)], ['0/0'])
    assert.equal(session.destroyed, false)
    session.destroy()
  })
})

test('Concurrent calls of one account are limited, over all its connections', async () => {
  const budgets = openBudgets({ commandStreamsOfAccount: 3 })
  const host = await startCommandsUnderTest({}, { budgets })
  const [one, other] = [openRawCalls(host.target), openRawCalls(host.target)]
  try {
    const headers = grpcHeaders(listOrganizations, host.administrator.token)
    const held = [one, one, other].map(({ session }) => {
      const stream = session.request({ ':method': 'POST', ...headers }, { endStream: false })
      stream.on('error', () => undefined)
      return stream
    })
    const used = () => budgets.budget('commandStreamsOfAccount').used(host.administrator.id)
    await until(() => used() === 3, 'three streams')
    const refused = await other.send(headers, framed(goodList))
    assert.deepEqual([refused.status, refused.headers['retry-after']], [status.RESOURCE_EXHAUSTED, '1'])
    for (const stream of held) stream.close(constants.NGHTTP2_CANCEL)
    await until(() => used() === 0, 'no stream')
    assert.equal((await other.send(headers, framed(goodList))).status, status.OK)
  } finally {
    one.close()
    other.close()
    await host.stop()
  }
})
