import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type ListenOptions, type LiveEvent, listen } from '../support/live-events.ts'
import { connectOutside, insertNamed } from '../support/outside-connection.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { testChangesElsewhere } from './live-listings-elsewhere.ts'
import { testStreamEnds } from './live-listings-end.ts'

// Each test looks at its own rows only, so that all of them can wait at the same time.
describe('A live listing', { concurrency: true }, () => {
  let rest: RestUnderTest
  let workspace: Workspace

  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
    workspace = await furnish(rest)
  })
  after(() => rest.stop())

  const follow = (path: string, options: ListenOptions = {}) =>
    listen(rest.address, path, { token: rest.administrator.token, ...options })
  const names = ({ data }: LiveEvent): string[] => data.result.data.map((row: { name: string }) => row.name)
  const rename = (id: string, name: string) => workspace.write('PATCH', '/api/organization', { id, name })

  testStreamEnds(
    () => rest,
    () => workspace,
  )
  testChangesElsewhere()

  test('shows a change of this instance within a second, under the next id', async () => {
    const live = await follow('/api/organizations?search=near')
    await live.next()
    await sleep(1000)
    const writtenAt = Date.now()
    await workspace.make('organization', { name: 'Near' })
    const event = await live.next()
    const plain = await rest.call('GET', '/api/organizations?search=near', {
      token: rest.administrator.token,
    })
    live.close()
    assert.deepEqual([event.id, event.name, event.data], ['2', 'listing', plain.body])
    assert.deepEqual(names(event), ['Near'])
    assert.ok(event.at - writtenAt < 2000, `It took ${event.at - writtenAt} ms.`)
  })

  test('counts on after the Last-Event-ID of a client that comes back', async () => {
    const live = await follow('/api/organizations?search=counted', { headers: { 'last-event-id': '41' } })
    assert.equal((await live.next()).id, '42')
    await workspace.make('organization', { name: 'Counted' })
    assert.equal((await live.next()).id, '43')
    live.close()
  })

  test('shows updates, removals and restored rows', async () => {
    const { id } = await workspace.make('organization', { name: 'Turning' })
    const live = await follow(`/api/organizations?ids=${id}`)
    assert.deepEqual(names(await live.next()), ['Turning'])
    await rename(id, 'Turned')
    assert.deepEqual(names(await live.next()), ['Turned'])
    await workspace.write('DELETE', '/api/organization', { ids: [id] })
    assert.equal((await live.next()).data.result.totalCount, 0)
    await workspace.write('POST', '/api/organization/restore', { ids: [id] })
    assert.deepEqual(names(await live.next()), ['Turned'])
    live.close()
  })

  test('comes at most once per second under constant writes, and ends with the newest', async () => {
    const { id } = await workspace.make('organization', { name: 'Busy 0' })
    const live = await follow(`/api/organizations?ids=${id}`)
    const endAt = Date.now() + 3500
    let written = 0
    // Several nodes on a busy machine take longer for so many.
    while (Date.now() < endAt || written <= 10) await rename(id, `Busy ${++written}`)
    await live.nextWhere((event) => names(event)[0] === `Busy ${written}`)
    live.close()
    const { events } = live
    assert.ok(events.length >= 3, `${events.length} events.`)
    const gaps = events.slice(1).map((event, index) => event.at - (events[index]?.at ?? 0))
    // On a busy machine one event may be read late and the next one in time, so their sum is compared.
    assert.ok(Math.min(...gaps) >= 800, `Gaps: ${gaps}`)
    const [first, last] = [events[0], events.at(-1)]
    assert.ok(((last?.at ?? 0) - (first?.at ?? 0)) / gaps.length >= 950, `Gaps: ${gaps}`)
    assert.deepEqual(
      events.map((event) => event.id),
      events.map((_, index) => String(index + 1)),
    )
  })

  test('stays silent while nothing of it changes', async () => {
    const quiet = await workspace.make('organization', { name: 'Quiet' })
    const live = await follow('/api/organizations?search=quiet')
    await live.next()
    for (let count = 0; count < 25; count += 1) {
      await workspace.make('organization', { name: `Loud ${count}` })
      await sleep(100)
    }
    assert.equal(live.events.length, 1)
    await rename(quiet.id, 'Quiet no more')
    assert.deepEqual(names(await live.next()), ['Quiet no more'])
    live.close()
  })

  test('keeps its filters in every snapshot', async () => {
    const [wanted, other] = await Promise.all([workspace.project(), workspace.project()])
    const live = await follow(`/api/assignments?projectId=${wanted}&dateTo=2026-02-01&pageSize=1`)
    assert.equal((await live.next()).data.result.totalCount, 0)
    const userId = rest.administrator.id
    await workspace.assignment(other, userId, { name: 'Elsewhere' })
    await workspace.assignment(wanted, userId, {
      name: 'Later',
      startDate: '2026-03-01',
      endDate: '2026-03-01',
    })
    await workspace.assignment(wanted, userId, { name: 'First' })
    await workspace.assignment(wanted, userId, { name: 'Second' })
    const { data } = await live.nextWhere((event) => event.data.result.totalCount === 2)
    assert.deepEqual(
      data.result.data.map((row: { name: string }) => row.name),
      ['First'],
    )
    for (const event of live.events) assert.ok(event.data.result.totalCount <= 2)
    live.close()
  })

  test('survives a store that drops its connections, and misses nothing', async () => {
    const own = await startRestUnderTest()
    const live = await listen(own.address, '/api/organizations', { token: own.administrator.token })
    await live.next()
    const outside = await connectOutside(own.database)
    await outside.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await insertNamed(outside, 'organization', 'After the break')
    assert.deepEqual(names(await live.next()), ['After the break'])
    live.close()
    await outside.end()
    await own.stop()
  })
})
