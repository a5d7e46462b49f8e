import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { describe, test } from 'node:test'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { status } from '@grpc/grpc-js'
import { openBudgets } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { measureRunningTime } from '../support/running-time.ts'
import { until } from '../support/until.ts'
import { assertServes, createOrganization, listMessage, listOrganizations } from './assert-serves.ts'

describe('A call', () => {
  const host = fixture(startCommandsUnderTest)
  const calls = fixture(() => openCommandCalls(host.target))
  const raw = fixture(() => openRawCalls(host.target))

  const headers = (path: string) => grpcHeaders(path, host.administrator.token)
  const listWithin = (timeout: string) =>
    raw.send({ ...headers(listOrganizations), 'grpc-timeout': timeout }, framed(listMessage))
  const exists = async (id: string) =>
    (await host.database.query(sql`select 1 from organizations where id = ${id}`)).length === 1

  async function makeOrganization(): Promise<string> {
    const { result } = await calls.call(
      'CreateOrganization',
      { name: 'Before' },
      { token: host.administrator.token },
    )
    return result.organization.id
  }

  test('with a deadline ends with DEADLINE_EXCEEDED when the row is locked for longer', async () => {
    const id = await makeOrganization()
    const direct = await connectDirectly(host.database)
    await direct.query('begin')
    await direct.query('select 1 from organizations where id = $1 for update', [id])
    const update = (name: string) =>
      calls.call(
        'UpdateOrganization',
        { id, name },
        { token: host.administrator.token, deadline: new Date(Date.now() + 250) },
      )
    const milliseconds = measureRunningTime()
    // There are more calls than connections in the pool, so the later calls wait for a connection.
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => update(`Late ${index}`)))
    for (const { code } of answers) assert.equal(code, status.DEADLINE_EXCEEDED)
    assert.ok(milliseconds() < 5000)
    await assertServes(host)
    await direct.query('rollback')
    await direct.end()
    const after = await calls.call(
      'UpdateOrganization',
      { id, name: 'After' },
      { token: host.administrator.token },
    )
    assert.equal(after.result.success, true)
  })

  for (const timeout of ['0S', '0n', '100u', '999999n']) {
    test(`with a deadline of ${timeout} expires before it begins`, async () => {
      const id = randomUUID()
      const answer = await raw.send(
        { ...headers(createOrganization), 'grpc-timeout': timeout },
        framed(organizationOf(id)),
      )
      assert.equal(answer.status, status.DEADLINE_EXCEEDED)
      await assertServes(host)
      assert.equal(await exists(id), false)
    })
  }

  for (const timeout of ['99999999H', '2562047H', '99999999M', '99999999S', '99999999m', '10S']) {
    test(`with a deadline of ${timeout} is answered in time`, async () => {
      assert.equal((await listWithin(timeout)).status, status.OK)
    })
  }

  for (const timeout of [
    '',
    'S',
    '5',
    '-5S',
    '5s',
    '5 S',
    '123456789S',
    '1.5S',
    '0x5S',
    '5S, 7S',
    'x5S',
    '5S5',
  ]) {
    test(`with a deadline of "${timeout}" is rejected`, async () => {
      const { status: code, message } = await listWithin(timeout)
      assert.deepEqual([code, message], [status.INVALID_ARGUMENT, 'The grpc-timeout could not be read.'])
    })
  }

  test('that is cancelled before its message is complete writes nothing', async () => {
    const id = randomUUID()
    const message = framed(organizationOf(id))
    const stream = raw.session.request({ ...headers(createOrganization), ':method': 'POST' })
    stream.on('error', () => undefined)
    stream.write(message.subarray(0, -1))
    stream.close(constants.NGHTTP2_CANCEL)
    await assertServes(host)
    assert.equal(await exists(id), false)
  })

  test('that is cancelled while it waits for a lock releases everything', {
    skip: isDistributed,
  }, async () => {
    const id = await makeOrganization()
    const direct = await connectDirectly(host.database)
    await direct.query('begin')
    await direct.query('select 1 from organizations where id = $1 for update', [id])
    const writer = new BinaryWriter()
    writer.tag(1, WireType.LengthDelimited).string(id).tag(2, WireType.LengthDelimited).string('Cancelled')
    const path = '/tracker.commands.v1.Commands/UpdateOrganization'
    const streams = Array.from({ length: 20 }, () => {
      const stream = raw.session.request({ ...headers(path), ':method': 'POST' })
      stream.on('error', () => undefined)
      stream.end(framed(Buffer.from(writer.finish())))
      return stream
    })
    await untilWaiting(direct)
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
    await direct.query('rollback')
    await direct.end()
    await assertServes(host)
    await until(async () => {
      const busy = await host.database.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`)
      return busy.length === 0
    }, 'all connections to be idle')
  })
})

function organizationOf(id: string): Buffer {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.LengthDelimited).string(id).tag(2, WireType.LengthDelimited).string('Nobody waits')
  return Buffer.from(writer.finish())
}

const kibibyte = 1024

describe('When pending requests have used up the bytes of the process,', () => {
  const budgets = openBudgets({ commandBytes: 100 * kibibyte })
  const host = fixture(startCommandsUnderTest, {}, { budgets })

  test('the largest unfinished one is rejected in favour of a small one of another account', async (t) => {
    const hoarder = await host.signUp()
    const other = await host.signUp()
    const large = openRawCalls(host.target)
    const small = openRawCalls(host.target)
    t.after(large.close)
    t.after(small.close)
    const unfinished = framed(Buffer.alloc(100 * kibibyte - 100)).subarray(0, 100 * kibibyte - 200)
    const waiting = large.send(grpcHeaders(listOrganizations, hoarder.token), unfinished, false)
    while (budgets.budget('commandBytes').used() < unfinished.length)
      await new Promise((resolve) => setTimeout(resolve, 5))
    // An unknown field 3 with 300 bytes. The budget has fewer bytes left.
    const smallRequest = Buffer.concat([Buffer.from([0x1a, 0xac, 0x02]), Buffer.alloc(300, 'x')])
    const answered = await small.send(grpcHeaders(listOrganizations, other.token), framed(smallRequest))
    assert.notEqual(answered.status, status.RESOURCE_EXHAUSTED)
    const rejected = await waiting
    assert.equal(rejected.status, status.RESOURCE_EXHAUSTED)
    assert.equal(rejected.message, 'Too many bytes of requests wait here. Try again later.')
  })

  test('a request that is larger than all others is itself rejected', async () => {
    await using raw = openRawCalls(host.target)
    const { token } = host.administrator
    const rejected = await raw.send(
      grpcHeaders(listOrganizations, token),
      framed(Buffer.alloc(200 * kibibyte)),
    )
    assert.equal(rejected.status, status.RESOURCE_EXHAUSTED)
    assert.equal(
      (await raw.send(grpcHeaders(listOrganizations, token), framed(listMessage))).status,
      status.OK,
    )
    while (budgets.budget('commandBytes').used() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  })
})

/** Gets an organization that does not exist. Such a call is quick and, unlike a list, never queues. */
const getOrganization = '/tracker.commands.v1.Commands/GetOrganizationById'
const id = Buffer.from('0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58')
const request = framed(Buffer.concat([Buffer.from([0x0a, id.length]), id]))

/** Node's HTTP/2 lets a connection cancel a thousand streams at once, and then 33 a second. */
const cancelledCount = 900

describe('A client that cancels and repeats calls before the host has released them', () => {
  const host = fixture(startCommandsUnderTest)

  const open = (session: ClientHttp2Session) => {
    const headers = grpcHeaders(getOrganization, host.administrator.token)
    const stream = session.request({ ':method': 'POST', ...headers }, { endStream: false })
    stream.on('error', () => undefined)
    return stream
  }
  /** Sends the request, and returns the status of the call and the code of a reset. */
  const finish = async (stream: ClientHttp2Stream) => {
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

  test('gets no ENHANCE_YOUR_CALM', async () => {
    // With the default limit of Node, the client would reset its own streams.
    const session = connect(`http://${host.target}`, { maxSessionMemory: 1000 })
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    assert.equal(await finish(open(session)), '0/0')
    const cancelledStreams = Array.from({ length: cancelledCount }, () => {
      const stream = open(session)
      stream.write(request.subarray(0, 3))
      return stream
    })
    // This call comes after them, so when it is answered, the host has received them all.
    assert.equal(await finish(open(session)), '0/0')
    for (const stream of cancelledStreams) stream.close(constants.NGHTTP2_CANCEL)
    const answers = await Promise.all(Array.from({ length: cancelledCount }, () => finish(open(session))))
    // On a busy machine, the store may be too slow for so many calls.
    const allowed = ['0/0', `${status.UNAVAILABLE}/0`]
    assert.deepEqual(
      [...new Set(answers)].filter((answer) => !allowed.includes(answer)),
      [],
    )
    assert.equal(session.destroyed, false)
    session.destroy()
  })
})

test('Concurrent calls of one account are limited, over all its connections', async () => {
  const budgets = openBudgets({ commandStreamsOfAccount: 3 })
  const host = await startCommandsUnderTest({}, { budgets })
  const first = openRawCalls(host.target)
  const second = openRawCalls(host.target)
  try {
    const headers = grpcHeaders(listOrganizations, host.administrator.token)
    const held = [first, first, second].map(({ session }) => {
      const stream = session.request({ ':method': 'POST', ...headers }, { endStream: false })
      stream.on('error', () => undefined)
      return stream
    })
    const used = () => budgets.budget('commandStreamsOfAccount').used(host.administrator.id)
    await until(() => used() === 3, 'three streams')
    const rejected = await second.send(headers, framed(listMessage))
    assert.deepEqual([rejected.status, rejected.headers['retry-after']], [status.RESOURCE_EXHAUSTED, '1'])
    for (const stream of held) stream.close(constants.NGHTTP2_CANCEL)
    await until(() => used() === 0, 'no stream')
    assert.equal((await second.send(headers, framed(listMessage))).status, status.OK)
  } finally {
    first.close()
    second.close()
    await host.stop()
  }
})
