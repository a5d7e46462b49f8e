import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { status } from '@grpc/grpc-js'
import { sql } from '../../src/db/sql.ts'
import { type CommandCalls, openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { connectOutside } from '../support/outside-connection.ts'
import { framed, grpcHeaders, openRawCalls, type RawCalls } from '../support/raw-calls.ts'
import { assertServes, createOrganization, goodList, listOrganizations } from './assert-serves.ts'

describe('a call with a deadline', () => {
  let host: CommandsUnderTest
  let calls: CommandCalls
  let raw: RawCalls

  before(async () => {
    host = await startCommandsUnderTest()
    calls = openCommandCalls(host.target)
    raw = openRawCalls(host.target)
  })
  after(async () => {
    calls.close()
    raw.close()
    await host.stop()
  })

  const headers = (path: string) => grpcHeaders(path, host.administrator.token)
  const listWithin = (timeout: string) =>
    raw.send({ ...headers(listOrganizations), 'grpc-timeout': timeout }, framed(goodList))
  const isThere = async (id: string) =>
    (await host.database.query(sql`select 1 from organizations where id = ${id}`)).length === 1

  async function organization(): Promise<string> {
    const { result } = await calls.call(
      'CreateOrganization',
      { name: 'Before' },
      { token: host.administrator.token },
    )
    return result.organization.id
  }

  test('ends with DEADLINE_EXCEEDED when the row is locked for longer, and nothing hangs', async () => {
    const id = await organization()
    const outside = await connectOutside(host.database)
    await outside.query('begin')
    await outside.query('select 1 from organizations where id = $1 for update', [id])
    const update = (name: string) =>
      calls.call(
        'UpdateOrganization',
        { id, name },
        { token: host.administrator.token, deadline: new Date(Date.now() + 250) },
      )
    const startedAt = performance.now()
    // More than the pool has connections: the later ones wait for one.
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => update(`Late ${index}`)))
    for (const { code } of answers) assert.equal(code, status.DEADLINE_EXCEEDED)
    assert.ok(performance.now() - startedAt < 5000)
    await assertServes(host)
    await outside.query('rollback')
    await outside.end()
    const after = await calls.call(
      'UpdateOrganization',
      { id, name: 'After' },
      { token: host.administrator.token },
    )
    assert.equal(after.result.success, true)
  })

  for (const timeout of ['0S', '0n', '100u', '999999n']) {
    test(`of ${timeout} expires before it begins, and nothing is written`, async () => {
      const id = randomUUID()
      const answer = await raw.send(
        { ...headers(createOrganization), 'grpc-timeout': timeout },
        framed(organizationOf(id)),
      )
      assert.equal(answer.status, status.DEADLINE_EXCEEDED)
      await assertServes(host)
      assert.equal(await isThere(id), false)
    })
  }

  for (const timeout of ['99999999H', '2562047H', '99999999M', '99999999S', '99999999m', '10S']) {
    test(`of ${timeout} is answered in time`, async () => {
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
    test(`of "${timeout}" is rejected, because no client writes it so`, async () => {
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
    assert.equal(await isThere(id), false)
  })

  test('that is cancelled while a lock holds it lets go of everything when the lock does', {
    skip: isDistributed,
  }, async () => {
    const id = await organization()
    const outside = await connectOutside(host.database)
    await outside.query('begin')
    await outside.query('select 1 from organizations where id = $1 for update', [id])
    const writer = new BinaryWriter()
    writer.tag(1, WireType.LengthDelimited).string(id).tag(2, WireType.LengthDelimited).string('Cancelled')
    const path = '/tracker.commands.v1.Commands/UpdateOrganization'
    const streams = Array.from({ length: 20 }, () => {
      const stream = raw.session.request({ ...headers(path), ':method': 'POST' })
      stream.on('error', () => undefined)
      stream.end(framed(Buffer.from(writer.finish())))
      return stream
    })
    const [row] = await waitFor(() =>
      outside.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'").then(({ rows }) => rows),
    )
    assert.ok(row)
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
    await outside.query('rollback')
    await outside.end()
    await assertServes(host)
    const [state] = await waitFor(async () => {
      const busy = await host.database.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`)
      return busy.length === 0 ? ['idle'] : []
    })
    assert.equal(state, 'idle')
  })
})

function organizationOf(id: string): Buffer {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.LengthDelimited).string(id).tag(2, WireType.LengthDelimited).string('Nobody waits')
  return Buffer.from(writer.finish())
}

/** Asks until there is something; what is asked about happens elsewhere, where nothing can be awaited. */
async function waitFor<T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await find()
    if (found.length > 0) return found
    await sleep(20)
  }
  return []
}
