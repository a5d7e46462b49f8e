import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { CommandError, type Followed, openCommandClient } from '../../clients/typescript/src/commands.ts'
import { readPosition, writePosition } from '../../src/features/changes/position.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { type Person, startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { type FeedUnderTest, startFeedUnderTest } from '../support/feed-under-test.ts'
import { until } from '../support/until.ts'

describe('The history and the feed as commands', () => {
  let feed: FeedUnderTest
  before(async () => {
    feed = await startFeedUnderTest()
  })
  after(() => feed.stop())

  test('show who changed a row, newest first, as REST shows it', async () => {
    const { host, calls, client, named } = feed
    const id = await named('First')
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
    const rest = await client.readHistory({ resource: 'impediment', id, before: page.result?.next ?? '' })
    assert.deepEqual([...(page.result?.data ?? []), ...(rest.result?.data ?? [])], result?.data)
    const outsider = await host.signUp()
    const other = await calls.call(
      'ReadHistory',
      { resource: 'user', id: outsider.id },
      { token: outsider.token },
    )
    assert.equal(other.code, status.PERMISSION_DENIED)
  })

  test('reject as REST rejects, each with its status', async () => {
    const { host, calls, client, token, now } = feed
    const codeOf = async (name: string, request: object) => (await calls.call(name, request, { token })).code
    assert.equal(await codeOf('ReadHistory', {}), status.INVALID_ARGUMENT)
    assert.equal(await codeOf('ReadHistory', { resource: 'none', id: 'x' }), status.INVALID_ARGUMENT)
    const missing = await client.readHistory({ projectId: host.administrator.id })
    assert.deepEqual([missing.success, missing.message], [false, 'Project was not found.'])
    const position = readPosition(await now())
    assert.ok(position)
    const tooOld = writePosition({ ...position, sinceAt: position.sinceAt - 86_400_000 })
    const given = [
      ['x', status.INVALID_ARGUMENT],
      [tooOld, status.OUT_OF_RANGE],
    ] as const
    for (const [cursor, code] of given) {
      assert.equal(await codeOf('ReadChanges', { after: cursor }), code)
      assert.equal((await calls.follow('FollowChanges', { after: cursor }, { token }).ended).code, code)
    }
    const unknown = calls.follow('FollowChanges', { resource: 'none', action: 'look' }, { token })
    assert.equal((await unknown.ended).code, status.INVALID_ARGUMENT)
    assert.equal((await calls.follow('FollowChanges', {}).ended).code, status.UNAUTHENTICATED)
    const refused = client.followChanges({ after: tooOld }).next()
    await assert.rejects(refused, (error) => error instanceof CommandError && error.code === 'OUT_OF_RANGE')
  })

  test('return each change once, as pages and as a stream that continues after any cursor', async () => {
    const { host, calls, client, token, now, named, openStreams } = feed
    const start = await now()
    const stream = calls.follow('FollowChanges', { after: start, resource: 'impediment' }, { token })
    // The first message says where the stream begins.
    await stream.until(1)
    assert.equal(stream.messages[0].change, null)
    for (const name of ['one', 'two', 'three']) await named(name)
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
    // A page may end before it is full, where what was committed together ends.
    const rest: unknown[] = []
    let next = { cursor: changes[0].cursor, hasMore: true }
    while (next.hasMore) {
      const { result } = await client.readChanges({ after: next.cursor, resource: 'impediment' })
      assert.ok(result)
      rest.push(...result.data.map(({ after: fields }) => fields?.name))
      next = result
    }
    assert.deepEqual(rest, ['two', 'three'])
    assert.equal((await stream.ended).code, status.CANCELLED)
    await until(() => openStreams(host.administrator) === 0, 'the stream to be closed')
  })

  test('show nothing to an outsider, and nothing any more to a former member', async () => {
    const { host, calls, client, now } = feed
    const [member, outsider] = [await host.signUp(), await host.signUp()]
    const { organization } = await client.createOrganization({ name: 'Harbour' })
    const start = await now()
    const { project } = await client.createProject({
      name: 'Pier',
      organizationId: organization?.id ?? '',
    })
    const { userProject } = await client.createUserProject({
      userId: member.id,
      projectId: project?.id ?? '',
    })
    const seen = async (by: Person) => {
      const answer = await calls.call('ReadChanges', { after: start }, { token: by.token })
      return answer.result.result.data.map(({ resource }: { resource: string }) => resource)
    }
    assert.deepEqual(await seen(member), ['project', 'userProject', 'userProject'])
    assert.deepEqual(await seen(outsider), [])
    const [mine, theirs] = [member, outsider].map((by) =>
      calls.follow('FollowChanges', { after: start }, { token: by.token }),
    )
    await mine?.until(3)
    await client.createOrganization({ name: 'For everybody' })
    await theirs?.until(2)
    assert.deepEqual(
      theirs?.messages.flatMap(({ change }) => (change ? [change.resource] : [])),
      ['organization'],
    )
    const history = (by: Person) => calls.call('ReadHistory', { projectId: project?.id }, { token: by.token })
    assert.equal((await history(outsider)).result.success, false)
    assert.equal((await history(member)).result.success, true)
    await client.removeUserProject({ ids: [userProject?.id ?? ''] })
    assert.deepEqual(await seen(member), ['organization'])
    assert.equal((await history(member)).result.success, false)
    for (const stream of [mine, theirs]) stream?.cancel()
  })

  test('are there for .NET clients, with the fields of a change as a map', async () => {
    const { host, token, now, named } = feed
    const after = await now()
    const id = await named('For .NET')
    const dotnet = openDotnetCalls(host.target)
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
    dotnet.close()
  })

  test('in the TypeScript client lose and repeat nothing while hosts stop', async () => {
    const { host, token, now, named } = feed
    const taken: Followed[] = []
    const first = await startCommandsUnderTest({}, { beside: host })
    let target = first.target
    const reasons: unknown[] = []
    const names = Array.from({ length: 6 }, (_, index) => `Followed ${index}`)
    let follower = openCommandClient({ target, token })
    const request = { after: await now(), resource: 'impediment' }
    const following = (async () => {
      for await (const event of follower.followChanges(request, {
        onReconnect: (reason) => reasons.push(reason),
      })) {
        taken.push(event)
        if (taken.length === 3) return
      }
    })()
    for (const name of names.slice(0, 2)) await named(name)
    await until(() => taken.length === 2, 'two changes')
    const port = Number(target.split(':')[1])
    await first.stop()
    const second = await startCommandsUnderTest({ COMMAND_PORT: String(port) }, { beside: host })
    await named(names[2] ?? '')
    await following
    assert.ok(reasons.length > 0)
    follower.close()
    target = second.target
    follower = openCommandClient({ target, token })
    for (const name of names.slice(3)) await named(name)
    for await (const event of follower.followChanges({ ...request, after: taken.at(-1)?.cursor ?? '' })) {
      taken.push(event)
      if (taken.length === 6) break
    }
    assert.deepEqual(
      taken.map(({ change }) => change.after?.name),
      names,
    )
    follower.close()
    await second.stop()
  })

  test('are not there without the extensions', async () => {
    const { host, token } = feed
    const beside = await startCommandsUnderTest({ EXTENSIONS: 'off' }, { beside: host })
    const others = openCommandCalls(beside.target)
    for (const name of ['ReadHistory', 'ReadChanges'])
      assert.equal((await others.call(name, {}, { token })).code, status.UNIMPLEMENTED)
    assert.equal((await others.follow('FollowChanges', {}, { token }).ended).code, status.UNIMPLEMENTED)
    others.close()
    await beside.stop()
  })
})
