import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import {
  CommandError,
  type FollowedChange,
  openCommandClient,
} from '../../clients/typescript/src/commands.ts'
import { budgetLimits, openBudgets } from '../../src/config/budgets.ts'
import { insertRow, newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import { formatPosition, parsePosition } from '../../src/features/changes/read-feed.ts'
import { impediment } from '../../src/resources/catalogs.ts'
import { freePort } from '../support/child-host.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { type Person, startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'
import { measureRunningTime } from '../support/running-time.ts'
import { until } from '../support/until.ts'

describe('The history and the feed as commands', () => {
  const feed = fixture(startFeedUnderTest)

  test('show who changed a row, newest first, as REST shows it', async () => {
    const { host, calls, client, createNamed } = feed
    const id = await createNamed('First')
    await client.updateImpediment({ id, name: 'Second' })
    const { result } = await client.readHistory({ resource: 'impediment', id })
    assert.deepEqual(
      result?.data.map(({ action, before, after: fields }) => [action, before?.name, fields?.name]),
      [
        ['update', 'First', 'Second'],
        ['create', undefined, 'First'],
      ],
    )
    const [newest] = result?.data ?? []
    assert.deepEqual(
      [newest?.before?.updatedAt, typeof newest?.after?.updatedAt, newest?.callerId, newest?.host],
      [null, 'string', host.administrator.id, 'commands'],
    )
    assert.equal(result?.next, null)
    const page = await client.readHistory({ resource: 'impediment', id, pageSize: 1 })
    const nextPage = await client.readHistory({ resource: 'impediment', id, before: page.result?.next ?? '' })
    assert.deepEqual([...(page.result?.data ?? []), ...(nextPage.result?.data ?? [])], result?.data)
    const outsider = await host.signUp()
    const other = await calls.call(
      'ReadHistory',
      { resource: 'user', id: outsider.id },
      { token: outsider.token },
    )
    assert.equal(other.code, status.PERMISSION_DENIED)
  })

  test('report the errors of REST with their statuses', async () => {
    const { host, calls, client, token, now } = feed
    const codeOf = async (name: string, request: object) => (await calls.call(name, request, { token })).code
    assert.equal(await codeOf('ReadHistory', {}), status.INVALID_ARGUMENT)
    assert.equal(await codeOf('ReadHistory', { resource: 'none', id: 'x' }), status.INVALID_ARGUMENT)
    const missing = await client.readHistory({ projectId: host.administrator.id })
    assert.deepEqual([missing.success, missing.message], [false, 'Project was not found.'])
    const position = parsePosition(await now())
    assert.ok(position)
    const tooOld = formatPosition({ ...position, sinceAt: position.sinceAt - 86_400_000 })
    const invalidCursors = [
      { cursor: 'x', code: status.INVALID_ARGUMENT },
      { cursor: tooOld, code: status.OUT_OF_RANGE },
    ]
    for (const { cursor, code } of invalidCursors) {
      assert.equal(await codeOf('ReadChanges', { after: cursor }), code)
      assert.equal((await calls.follow('FollowChanges', { after: cursor }, { token }).ended).code, code)
    }
    const unknown = calls.follow('FollowChanges', { resource: 'none', action: 'look' }, { token })
    assert.equal((await unknown.ended).code, status.INVALID_ARGUMENT)
    assert.equal((await calls.follow('FollowChanges', {}).ended).code, status.UNAUTHENTICATED)
    const rejected = client.followChanges({ after: tooOld }).next()
    await assert.rejects(rejected, (error) => error instanceof CommandError && error.code === 'OUT_OF_RANGE')
  })

  test('return each change once, as pages and as a stream that continues after any cursor', async () => {
    const { host, calls, client, token, now, createNamed, openStreams } = feed
    const start = await now()
    const stream = calls.follow('FollowChanges', { after: start, resource: 'impediment' }, { token })
    // The first message contains only the cursor at which the stream begins.
    await stream.until(1)
    assert.equal(stream.messages[0].change, null)
    for (const name of ['one', 'two', 'three']) await createNamed(name)
    await stream.until(4)
    const changes = stream.messages.slice(1)
    assert.deepEqual(
      changes.map(({ change }) => change.after.fields.name.stringValue),
      ['one', 'two', 'three'],
    )
    stream.cancel()
    const page = await client.readChanges({ after: start, resource: 'impediment', pageSize: 2 })
    assert.deepEqual(
      [page.result?.data.map(({ after: fields }) => fields?.name), page.result?.hasMore],
      [['one', 'two'], true],
    )
    // A page may end before it is full, at the end of a transaction.
    const laterNames: unknown[] = []
    let next = { cursor: changes[0].cursor, hasMore: true }
    while (next.hasMore) {
      const { result } = await client.readChanges({ after: next.cursor, resource: 'impediment' })
      assert.ok(result)
      laterNames.push(...result.data.map(({ after: fields }) => fields?.name))
      next = result
    }
    assert.deepEqual(laterNames, ['two', 'three'])
    assert.equal((await stream.ended).code, status.CANCELLED)
    await until(() => openStreams(host.administrator) === 0, 'the stream to be closed')
  })

  test('show nothing to an outsider', async () => {
    const { host, calls, client, now } = feed
    const member = await host.signUp()
    const outsider = await host.signUp()
    const { organization } = await client.createOrganization({ name: 'Harbour' })
    const start = await now()
    const { project } = await client.createProject({ name: 'Pier', organizationId: organization?.id ?? '' })
    const { userProject } = await client.createUserProject({
      userId: member.id,
      projectId: project?.id ?? '',
    })
    const seenBy = async ({ token }: Person) => {
      const answer = await calls.call('ReadChanges', { after: start }, { token })
      return answer.result.result.data.map(({ resource }: { resource: string }) => resource)
    }
    await until(async () => (await seenBy(member)).length >= 3, 'three changes')
    assert.deepEqual(await seenBy(member), ['project', 'userProject', 'userProject'])
    assert.deepEqual(await seenBy(outsider), [])
    const streamOf = ({ token }: Person) => calls.follow('FollowChanges', { after: start }, { token })
    const memberStream = streamOf(member)
    const outsiderStream = streamOf(outsider)
    await memberStream.until(3)
    await client.createOrganization({ name: 'For all accounts' })
    await outsiderStream.until(2)
    assert.deepEqual(
      outsiderStream.messages.flatMap(({ change }) => (change ? [change.resource] : [])),
      ['organization'],
    )
    const readHistory = ({ token }: Person) =>
      calls.call('ReadHistory', { projectId: project?.id }, { token })
    assert.equal((await readHistory(outsider)).result.success, false)
    assert.equal((await readHistory(member)).result.success, true)
    await client.removeUserProject({ ids: [userProject?.id ?? ''] })
    assert.deepEqual(await seenBy(member), ['organization'])
    assert.equal((await readHistory(member)).result.success, false)
    for (const stream of [memberStream, outsiderStream]) stream.cancel()
  })

  test('are available to .NET clients', async () => {
    const { host, token, now, createNamed } = feed
    const after = await now()
    const id = await createNamed('For .NET')
    await using dotnet = openDotnetCalls(host.target)
    const history = await dotnet.call(
      'History',
      'ReadHistoryCommand',
      { Resource: 'impediment', Id: id },
      { token },
    )
    assert.deepEqual(history.result.Result.Data[0].After.name, 'For .NET')
    const changes = await dotnet.call(
      'History',
      'ReadChangesCommand',
      { After: 'now', ProjectId: null },
      { token },
    )
    assert.deepEqual([changes.result.Success, changes.result.Result.Data], [true, []])
    const stream = dotnet.follow(
      'History',
      'FollowChangesCommand',
      { After: after, Resource: 'impediment' },
      token,
    )
    stream.on('error', () => undefined)
    const followed: unknown[] = []
    // biome-ignore lint/suspicious/noExplicitAny: a message is what came over the network
    for await (const { Change: change } of stream as AsyncIterable<any>) {
      if (change) followed.push(change.After.name)
      if (followed.length === 1) break
    }
    assert.deepEqual(followed, ['For .NET'])
  })

  test('neither lose nor repeat a change in the TypeScript client while hosts stop', async () => {
    const { host, token, now, createNamed } = feed
    const events: FollowedChange[] = []
    // A port that the kernel chose could be taken by a connection of another test between the two hosts.
    const port = { COMMAND_PORT: String(await freePort()) }
    const first = await startCommandsUnderTest(port, { alongside: host })
    let target = first.target
    const reasons: unknown[] = []
    const names = Array.from({ length: 6 }, (_, index) => `Followed ${index}`)
    let follower = openCommandClient({ target, token })
    const request = { after: await now(), resource: 'impediment' }
    const following = (async () => {
      for await (const event of follower.followChanges(request, {
        onReconnect: (reason) => reasons.push(reason),
      })) {
        events.push(event)
        if (events.length === 3) return
      }
    })()
    for (const name of names.slice(0, 2)) await createNamed(name)
    await until(() => events.length === 2, 'two changes')
    await first.stop()
    await using second = await startCommandsUnderTest(port, { alongside: host })
    await createNamed(names[2] ?? '')
    await following
    assert.ok(reasons.length > 0)
    follower.close()
    target = second.target
    follower = openCommandClient({ target, token })
    for (const name of names.slice(3)) await createNamed(name)
    for await (const event of follower.followChanges({ ...request, after: events.at(-1)?.cursor ?? '' })) {
      events.push(event)
      if (events.length === 6) break
    }
    assert.deepEqual(
      events.map(({ change }) => change.after?.name),
      names,
    )
    follower.close()
  })

  test('are not available without the extensions', async () => {
    const { host, token } = feed
    await using other = await startCommandsUnderTest({ EXTENSIONS: 'off' }, { alongside: host })
    await using otherCalls = openCommandCalls(other.target)
    for (const name of ['ReadHistory', 'ReadChanges'])
      assert.equal((await otherCalls.call(name, {}, { token })).code, status.UNIMPLEMENTED)
    const { code } = await otherCalls.follow('FollowChanges', {}, { token }).ended
    assert.equal(code, status.UNIMPLEMENTED)
  })
})

describe('Streams of the feed as commands', () => {
  const feed = fixture(startFeedUnderTest)

  test('end with their deadline and with the session', async () => {
    const { host, calls, openStreams } = feed
    const reader = await host.signUp()
    const late = calls.follow(
      'FollowChanges',
      { after: 'now' },
      { token: reader.token, deadline: new Date(Date.now() + 700) },
    )
    assert.equal((await late.ended).code, status.DEADLINE_EXCEEDED)
    await until(() => openStreams(reader) === 0, 'the stream to be closed')
    // Another instance has not cached this session as active yet.
    await using other = await startCommandsUnderTest(
      { Auth__SessionValidationCacheSeconds: '1' },
      { alongside: host },
    )
    await using otherCalls = openCommandCalls(other.target)
    const stream = otherCalls.follow('FollowChanges', { after: 'now' }, { token: reader.token })
    await stream.until(1)
    await host.database.transaction((transaction) =>
      transaction.query(sql`update users set security_stamp = 'another' where id = ${reader.id}`),
    )
    const { code, details } = await stream.ended
    assert.deepEqual([code, details], [status.UNAUTHENTICATED, 'A valid access token is required.'])
  })

  test('count as live listings of the account', async () => {
    const { host, calls, openStreams } = feed
    const reader = await host.signUp()
    const max = budgetLimits.liveListingsOfAccount.max
    const streams = Array.from({ length: max }, () =>
      calls.follow('FollowChanges', { after: 'now' }, { token: reader.token }),
    )
    await Promise.all(streams.map((stream) => stream.until(1)))
    const rejected = await calls.follow('FollowChanges', {}, { token: reader.token }).ended
    assert.deepEqual(
      [rejected.code, rejected.details],
      [status.RESOURCE_EXHAUSTED, `An account may have at most ${max} live listings open. Close one first.`],
    )
    for (const stream of streams) stream.cancel()
    await until(() => openStreams(reader) === 0, 'the stream to be closed')
  })

  test('buffer little for a client that reads nothing', async () => {
    const { host, client, token, budgets, now, openStreams } = feed
    const start = await now()
    // These are more changes than the host sends to a client that reads nothing.
    const changeCount = 800
    await host.database.transaction(async (transaction) => {
      for (let index = 0; index < changeCount; index += 1)
        await insertRow(transaction, impediment, undefined, { id: newId(), name: 'Long '.repeat(40) })
    })
    await using slow = openCommandCalls(host.target, { 'grpc-node.flow_control_window': 65_535 })
    const stream = slow.follow('FollowChanges', { after: start }, { token })
    await stream.until(1)
    stream.pause()
    let bufferedBytes = 0
    await until(() => {
      bufferedBytes = Math.max(
        bufferedBytes,
        budgets.budget('liveBytesOfAccount').used(host.administrator.id),
      )
      return openStreams(host.administrator) === 0
    }, 'the stream to be closed')
    assert.ok(bufferedBytes > 0 && bufferedBytes < 1024 ** 2, `${bufferedBytes} bytes`)
    assert.equal(budgets.budget('liveBytesOfAccount').used(host.administrator.id), 0)
    stream.resume()
    const { code, details } = await stream.ended
    assert.equal(code, status.RESOURCE_EXHAUSTED)
    assert.match(details, /^The stream was not read for 1\.5 seconds\. Continue after the last cursor\.$/)
    // The client has received changes without a gap, and the others follow its last cursor.
    let { cursor } = stream.messages.at(-1)
    let count = stream.messages.filter(({ change }) => change).length
    assert.ok(count < changeCount, `${count} were sent`)
    for (let hasMore = true; hasMore; ) {
      const page = (await client.readChanges({ after: cursor })).result
      count += page?.data.length ?? 0
      cursor = page?.cursor ?? ''
      hasMore = page?.hasMore ?? false
    }
    assert.equal(count, changeCount)
  })

  test('end at once with UNAVAILABLE when the host stops', async () => {
    const { host, token } = feed
    const other = await startCommandsUnderTest({}, { alongside: host })
    await using otherCalls = openCommandCalls(other.target)
    const stream = otherCalls.follow('FollowChanges', { after: 'now' }, { token })
    await stream.until(1)
    const milliseconds = measureRunningTime()
    await other.stop()
    const { code, details } = await stream.ended
    assert.deepEqual([code, details], [status.UNAVAILABLE, 'The host stops.'])
    assert.ok(milliseconds() < 4000)
  })
})

/**
 * Starts a command host that lets a client leave a stream unread for 1.5 seconds, and opens clients for its
 * administrator.
 */
async function startFeedUnderTest() {
  const budgets = openBudgets()
  const host = await startCommandsUnderTest({}, { budgets, unreadStreamMilliseconds: 1500 })
  const { token } = host.administrator
  const calls = openCommandCalls(host.target)
  const client = openCommandClient({ target: host.target, token })
  return {
    budgets,
    host,
    token,
    calls,
    client,
    now: async () => (await client.readChanges({ after: 'now' })).result?.cursor ?? '',
    createNamed: async (name: string) => (await client.createImpediment({ name })).impediment?.id ?? '',
    openStreams: (person: Person) => budgets.budget('liveListingsOfAccount').used(person.id),
    async stop() {
      client.close()
      calls.close()
      await host.stop()
    },
  }
}
