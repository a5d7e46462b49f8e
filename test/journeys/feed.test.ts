import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { insertRow, newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import { formatPosition, parsePosition } from '../../src/features/changes/read-feed.ts'
import { impediment } from '../../src/resources/catalogs.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

// biome-ignore lint/suspicious/noExplicitAny: a change was received over the network
type Change = any

describe('GET /ext/changes', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const member = fixture(() => rest.signUp({ name: 'Mara' }))
  const read = (query: string, { token }: Person = rest.administrator) =>
    rest.call('GET', `/ext/changes?${query}`, { token })
  const page = async (
    query: string,
    by?: Person,
  ): Promise<{ data: Change[]; cursor: string; hasMore: boolean }> => {
    const answer = await read(query, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }
  const now = async (by?: Person) => (await page('after=now', by)).cursor
  const makeImpediment = (name: string) => workspace.make('impediment', { name })
  const namesOf = (changes: Change[]) => changes.map(({ after: fields }) => fields.name)

  test('returns every change after a cursor once, for any page size', async () => {
    const start = await now()
    for (const name of ['one', 'two', 'three', 'four', 'five']) await makeImpediment(name)
    const whole = await page(`after=${start}`)
    assert.deepEqual(namesOf(whole.data), ['one', 'two', 'three', 'four', 'five'])
    assert.equal(whole.hasMore, false)
    const paged: Change[] = []
    let cursor = start
    for (let more = true; more; ) {
      const next = await page(`after=${cursor}&pageSize=2`)
      paged.push(...next.data)
      cursor = next.cursor
      more = next.hasMore
    }
    assert.deepEqual(paged, whole.data)
    for (const after of [cursor, whole.cursor]) {
      const empty = await page(`after=${after}`)
      assert.deepEqual([empty.data, empty.hasMore], [[], false])
    }
  })

  test('begins with the oldest change in the history', async () => {
    const all: Change[] = []
    let result = await page('')
    all.push(...result.data)
    while (result.hasMore) {
      result = await page(`after=${result.cursor}`)
      all.push(...result.data)
    }
    const entries = await rest.database.query<{ id: string }>(
      sql`select sequence::text as id from history order by sequence`,
    )
    assert.deepEqual(valuesOf(all, 'id'), valuesOf(entries, 'id'))
  })

  test('does not miss a change that is committed long after later ones', async () => {
    const start = await now()
    const written = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const lateCommit = rest.database.transaction(async (transaction) => {
      await insertRow(transaction, impediment, undefined, { id: newId(), name: 'late' })
      written.resolve()
      await released.promise
    })
    await written.promise
    await makeImpediment('early')
    const first = await page(`after=${start}`)
    assert.deepEqual(namesOf(first.data), ['early'])
    // The cursor advances while the other transaction is still in flight.
    const second = await page(`after=${first.cursor}`)
    assert.deepEqual(second.data, [])
    released.resolve()
    await lateCommit
    const third = await page(`after=${second.cursor}`)
    assert.deepEqual(namesOf(third.data), ['late'])
    assert.ok(Number(third.data[0].id) < Number(first.data[0].id))
    assert.deepEqual((await page(`after=${third.cursor}`)).data, [])
  })

  test('can be filtered by resource, action and project', async () => {
    const start = await now()
    const projectId = await workspace.project('Filtered')
    const other = await workspace.project('Other')
    const id = await workspace.assignment(projectId, member.id)
    await workspace.assignment(other, member.id)
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    const kinds = async (query: string) =>
      (await page(`after=${start}&${query}`)).data.map(({ resource, action }) => `${action} ${resource}`)
    assert.deepEqual(await kinds(`projectId=${projectId}`), [
      'create project',
      'create userProject',
      'create assignment',
      'remove assignment',
    ])
    assert.deepEqual(await kinds('resource=assignment,impediment&action=remove'), ['remove assignment'])
    assert.deepEqual(await kinds('resource=userProject'), ['create userProject', 'create userProject'])
  })

  test('returns the changes that the caller can see now', async () => {
    const start = await now(member)
    const mine = await workspace.project('Mine', member)
    const hidden = await workspace.project('Hidden')
    await workspace.assignment(mine, member.id)
    await workspace.assignment(hidden, member.id)
    await workspace.make('organization', { name: 'For all' })
    await workspace.make('user', { name: 'Ann', login: 'ann@example.com', password: 'Long enough 1!' })
    const kinds = async (by: Person) =>
      (await page(`after=${start}`, by)).data.map(({ resource }: Change) => resource)
    assert.deepEqual(await kinds(member), ['project', 'userProject', 'assignment', 'organization'])
    assert.deepEqual(await kinds(await rest.signUp()), ['organization'])
    assert.equal((await kinds(rest.administrator)).length, 8)
    const membership = await member.call('GET', `/api/userProjects?projectId=${mine}`)
    await workspace.write('DELETE', '/api/userProject', { ids: [membership.body.result.data[0].id] })
    assert.deepEqual(await kinds(member), ['organization'])
  })

  test('rejects forged cursors and invalid filters', async () => {
    const forgeCursor = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    for (const after of [
      'x',
      '17',
      forgeCursor([]),
      forgeCursor(['1:1:', '5']),
      forgeCursor(['0:1:', 5]),
      forgeCursor(['5:4:', 5]),
      forgeCursor(['5:9:3', 5]),
      forgeCursor(['5:9:7,6', 5]),
      forgeCursor(['5:9:7,', 5]),
      forgeCursor([`5:${'9'.repeat(19)}:`, 5]),
      forgeCursor(['1:1:', 5, '1:1:']),
      forgeCursor(['1:1:', 5, '1:1:', 5, 'x']),
      forgeCursor(['1:1:', 5, '1:1:', 5, 5, 5]),
      'x'.repeat(9000),
    ]) {
      const answer = await read(`after=${after}`)
      assertEnvelope(answer, 400)
      assert.ok(answer.body.errors.after)
    }
    for (const [query, field] of [
      ['resource=none', 'resource'],
      ['action=look', 'action'],
      ['projectId=none', 'projectId'],
      ['pageSize=101', 'pageSize'],
      ['after=now&after=now', 'after'],
    ] as const)
      assert.ok((await read(query)).body.errors[field], query)
    assertEnvelope(await rest.call('GET', '/ext/changes'), 401)
  })

  test('returns 410 for a cursor that the history does not contain', async () => {
    const position = parsePosition(await now())
    assert.ok(position)
    const old = formatPosition({ ...position, sinceAt: position.sinceAt - 86_400_000 })
    assertEnvelope(await read(`after=${old}`), 410)
    const [xmin] = position.since.split(':')
    const ahead = formatPosition({ ...position, since: `${xmin}:${Number(xmin) + 1_000_000}:` })
    assertEnvelope(await read(`after=${ahead}`), 410)
    const stream = await openEventStream(rest.address, `/ext/changes?after=${ahead}`, rest.administrator)
    assert.equal(stream.status, 410)
  })

  test('as a stream continues after Last-Event-ID on any instance', async () => {
    await using another = await rest.startAnother()
    const start = await now()
    const first = await openEventStream(
      rest.address,
      `/ext/changes?after=${start}&resource=impediment`,
      rest.administrator,
    )
    await makeImpediment('streamed 1')
    const event = await first.next()
    assert.deepEqual([event.name, event.data.after.name], ['change', 'streamed 1'])
    first.close()
    await makeImpediment('streamed 2')
    await makeImpediment('streamed 3')
    await using second = await openEventStream(another.address, '/ext/changes?resource=impediment', {
      ...rest.administrator,
      headers: { 'last-event-id': event.id },
    })
    const names = [await second.next(), await second.next()].map(({ data }) => data.after.name)
    await makeImpediment('streamed 4')
    names.push((await second.next()).data.after.name)
    assert.deepEqual(names, ['streamed 2', 'streamed 3', 'streamed 4'])
    const plain = await page(`after=${event.id}&resource=impediment`)
    assert.deepEqual(namesOf(plain.data), names)
  })

  test('as a stream counts as a live listing of its account', async () => {
    const reader = await rest.signUp()
    const streams = await Promise.all(
      Array.from({ length: 20 }, (_, count) =>
        openEventStream(rest.address, count % 2 ? '/ext/changes?after=now' : '/api/impediments', reader),
      ),
    )
    assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200])
    const rejected = await openEventStream(rest.address, '/ext/changes', reader)
    assert.equal(rejected.status, 429)
    for (const stream of streams) stream.close()
  })

  test('as a stream is rejected after the session has ended', async () => {
    const reader = await rest.signUp()
    await using stream = await openEventStream(rest.address, '/ext/changes?after=now', reader)
    assert.equal(stream.status, 200)
    await rest.database.transaction((transaction) =>
      transaction.query(sql`update signin_sessions set ended_at = now() where user_id = ${reader.id}`),
    )
    await using other = await rest.startAnother()
    const rejected = await openEventStream(other.address, '/ext/changes', reader)
    assert.equal(rejected.status, 401)
  })
})
