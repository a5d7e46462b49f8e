import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accessTokenSeconds } from '../../src/auth/access-token.ts'
import { sql } from '../../src/db/sql.ts'
import { valuesOf } from '../support/assertions.ts'
import { claimsOf } from '../support/browser.ts'
import { freePort, startChild } from '../support/child-host.ts'
import { connectDirectly, insertNamed } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { addressOf } from '../support/fresh-database.ts'
import {
  type EventStreamOptions,
  type LiveEvent,
  type LiveReader,
  openEventStream,
} from '../support/live-events.ts'
import { type Person, type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed, type Workspace } from '../support/seed.ts'
import { until, within } from '../support/until.ts'

// Each test reads only its own rows, so that all of them can wait at the same time.
describe('A live listing', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })
  const workspace = fixture(seed, rest)

  const follow = (path: string, options: EventStreamOptions = {}) =>
    openEventStream(rest.address, path, { token: rest.administrator.token, ...options })
  const names = ({ data }: LiveEvent): string[] => data.result.data.map((row: { name: string }) => row.name)
  const rename = (id: string, name: string) => workspace.write('PATCH', '/api/organization', { id, name })

  testStreamEnds(
    () => rest,
    () => workspace,
  )
  testChangesOnOtherInstances()

  test('shows a change of this instance within a second', async () => {
    const live = await follow('/api/organizations?search=near')
    await live.next()
    await sleep(1000)
    await workspace.make('organization', { name: 'Near' })
    const event = await within(2000, live.next(), 'until the event')
    const plain = await rest.administrator.call('GET', '/api/organizations?search=near')
    live.close()
    assert.deepEqual([event.id, event.name, event.data], ['2', 'listing', plain.body])
    assert.deepEqual(names(event), ['Near'])
  })

  test('continues its ids after the Last-Event-ID of a client that reconnects', async () => {
    await using live = await follow('/api/organizations?search=counted', {
      headers: { 'last-event-id': '41' },
    })
    assert.equal((await live.next()).id, '42')
    await workspace.make('organization', { name: 'Counted' })
    assert.equal((await live.next()).id, '43')
  })

  test('shows updates, removals and restored rows', async () => {
    const { id } = await workspace.make('organization', { name: 'Turning' })
    await using live = await follow(`/api/organizations?ids=${id}`)
    assert.deepEqual(names(await live.next()), ['Turning'])
    await rename(id, 'Turned')
    assert.deepEqual(names(await live.next()), ['Turned'])
    await workspace.write('DELETE', '/api/organization', { ids: [id] })
    assert.equal((await live.next()).data.result.totalCount, 0)
    await workspace.write('POST', '/api/organization/restore', { ids: [id] })
    assert.deepEqual(names(await live.next()), ['Turned'])
  })

  test('sends at most one event per second', async () => {
    const { id } = await workspace.make('organization', { name: 'Busy 0' })
    const followedAt = Date.now()
    const live = await follow(`/api/organizations?ids=${id}`)
    const endAt = Date.now() + 3500
    let written = 0
    // There are many more writes than events, however long they take.
    while (Date.now() < endAt || written <= 10 || live.events.length < 3)
      await rename(id, `Busy ${++written}`)
    await live.nextWhere((event) => names(event)[0] === `Busy ${written}`)
    live.close()
    const { events } = live
    // On a busy machine, an event may be read late, so the rate of all events is checked.
    const milliseconds = (events.at(-1)?.at ?? 0) - followedAt
    assert.ok(milliseconds >= (events.length - 1) * 950, `${events.length} events in ${milliseconds} ms.`)
    assert.deepEqual(
      valuesOf(events, 'id'),
      events.map((_, index) => String(index + 1)),
    )
  })

  test('sends nothing while none of its rows changes', async () => {
    const quiet = await workspace.make('organization', { name: 'Quiet' })
    await using live = await follow('/api/organizations?search=quiet')
    await live.next()
    for (let count = 0; count < 25; count += 1) {
      await workspace.make('organization', { name: `Loud ${count}` })
      await sleep(100)
    }
    assert.equal(live.events.length, 1)
    await rename(quiet.id, 'Quiet no more')
    assert.deepEqual(names(await live.next()), ['Quiet no more'])
  })

  test('keeps its filters in every snapshot', async () => {
    const [wanted, other] = await Promise.all([workspace.project(), workspace.project()])
    await using live = await follow(`/api/assignments?projectId=${wanted}&dateTo=2026-02-01&pageSize=1`)
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
    assert.deepEqual(valuesOf(data.result.data, 'name'), ['First'])
    for (const event of live.events) assert.ok(event.data.result.totalCount <= 2)
  })

  test('continues after the store has closed all connections', async () => {
    await using separateHost = await startRestUnderTest()
    await using live = await openEventStream(separateHost.address, '/api/organizations', {
      token: separateHost.administrator.token,
    })
    await live.next()
    await using direct = await connectDirectly(separateHost.database)
    await direct.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await insertNamed(direct, 'organization', 'After the break')
    assert.deepEqual(names(await live.next()), ['After the break'])
  })
})

/**
 * Tests changes that this instance did not make. Each test writes to a separate resource, because any other
 * write to it would cause the listing to be read again, and hide that the change itself was not noticed.
 */
function testChangesOnOtherInstances() {
  describe('follows writes of', { concurrency: true }, () => {
    const rest = fixture(startRestUnderTest)
    const workspace = fixture(seed, rest)

    const follow = (path: string, token = rest.administrator.token) =>
      openEventStream(rest.address, path, { token })
    const names = ({ data }: LiveEvent): string[] => data.result.data.map((row: { name: string }) => row.name)

    test('a second instance', async () => {
      const [live, another] = await Promise.all([follow('/api/workflows?search=second'), rest.startAnother()])
      await live.next()
      const body = { name: 'Second', order: 2 }
      await send(another.address, 'POST', '/api/workflow', { token: rest.administrator.token, body })
      assert.deepEqual(names(await live.next()), ['Second'])
      live.close()
    })

    test('a separate process, which also follows writes of this process', async () => {
      const { token, login } = rest.administrator
      const child = await startChild({
        DATABASE_URL: addressOf(rest.database),
        REST_PORT: String(await freePort()),
        Jwt__Issuer: rest.identity.address,
        SVC_ADMIN_LOGINS: login,
      })
      try {
        const path = '/api/assignmentTypes?search=apart&sortColumn=name'
        const [here, there] = await Promise.all([
          follow(path),
          openEventStream(child.address, path, { token }),
        ])
        await Promise.all([here.next(), there.next()])
        await send(child.address, 'POST', '/api/assignmentType', { token, body: { name: 'Apart' } })
        assert.deepEqual(names(await here.next()), ['Apart'])
        assert.deepEqual(names(await there.next()), ['Apart'])
        await workspace.make('assignmentType', { name: 'Apart 2' })
        assert.deepEqual(names(await there.next()), ['Apart', 'Apart 2'])
        here.close()
      } finally {
        await child.end('SIGTERM')
      }
    })

    test('another program that writes with SQL and records it in the change log, within a second', async () => {
      // This host has no writes, because its own commit would make it read the change log at once.
      await using separateHost = await startRestUnderTest()
      const { token } = separateHost.administrator
      await using direct = await connectDirectly(separateHost.database)
      await using live = await openEventStream(separateHost.address, '/api/organizations?sortColumn=name', {
        token,
      })
      await live.next()
      for (const name of ['Bare 1', 'Bare 2', 'Bare 3']) {
        await sleep(1100)
        await insertNamed(direct, 'organization', name)
        assert.equal(names(await within(1500, live.next(), 'until the event')).at(-1), name)
      }
    })

    test('a transaction that began before and was committed after another', async () => {
      await using direct = await connectDirectly(rest.database)
      await direct.query('begin')
      await insertNamed(direct, 'impediment', 'Slow one')
      await using live = await follow('/api/impediments?search=slow&sortColumn=name')
      assert.deepEqual(names(await live.next()), [])
      await workspace.make('impediment', { name: 'Slow two' })
      assert.deepEqual(names(await live.next()), ['Slow two'])
      await sleep(1200)
      await direct.query('commit')
      assert.deepEqual(names(await live.next()), ['Slow one', 'Slow two'])
    })

    describe('access rights:', { concurrency: 1 }, () => {
      test('a membership that begins and ends', async () => {
        const member = await rest.signUp()
        const projectId = await workspace.project()
        const assignmentId = await workspace.assignment(projectId, member.id)
        await workspace.appointment(assignmentId, member.id)
        const paths = ['projects', 'assignments', 'appointments', 'userProjects'].map(
          (name) => `/api/${name}`,
        )
        const lives = await Promise.all(paths.map((path) => follow(path, member.token)))
        const totals = () =>
          Promise.all(lives.map(async (live) => (await live.next()).data.result.totalCount))
        assert.deepEqual(await totals(), [0, 0, 0, 0])
        const membership = await workspace.join(projectId, member.id)
        // The administrator, who created the project, is its other member.
        assert.deepEqual(await totals(), [1, 1, 1, 2])
        await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
        assert.deepEqual(await totals(), [0, 0, 0, 0])
        for (const live of lives) live.close()
      })

      test('an assignment that moves into a project of the reader', async () => {
        const member = await rest.signUp()
        const mine = await workspace.project('Mine', member)
        const foreign = await workspace.project()
        const assignmentId = await workspace.assignment(foreign, member.id)
        await workspace.appointment(assignmentId, member.id)
        await using live = await follow('/api/appointments', member.token)
        assert.equal((await live.next()).data.result.totalCount, 0)
        const { token } = rest.administrator
        const { assignment } = (await rest.call('GET', `/api/assignment?id=${assignmentId}`, { token })).body
        await workspace.write('PATCH', '/api/assignment', { ...assignment, projectId: mine })
        assert.equal((await live.next()).data.result.totalCount, 1)
      })
    })
  })
}

/** These tests wait for seconds, so they run concurrently. */
function testStreamEnds(host: () => RestUnderTest, seeded: () => Workspace) {
  const open = (token: string, path = '/api/workflows') => openEventStream(host().address, path, { token })

  // A periodic check could be on time for one of these by chance. The stream must be open before.
  for (const seconds of [15, 16, 17]) {
    test(`ends when its token expires, ${seconds} s from now`, async () => {
      const rest = host()
      const person = await rest.signUp()
      const earlierClock = () => Date.now() - (accessTokenSeconds - seconds) * 1000
      const { address } = await rest.identity.startAnother({}, earlierClock)
      const { access_token: token } = await rest.identity.signIn(person.login, { address })
      const { exp } = claimsOf(token)
      const live = await open(token)
      await live.next()
      const endedAt = live.ended.then(() => Date.now() / 1000)
      await sleep(exp * 1000 - Date.now())
      const secondsEarly = exp - (await within(1800, endedAt, 'after the end of the token'))
      assert.ok(secondsEarly < 0.5, `It ended ${secondsEarly} s before its token.`)
    })
  }

  const endings: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
    'its session ends': ({ id }) =>
      host().database.transaction((store) =>
        store.query(sql`update signin_sessions set ended_at = now() where user_id = ${id}`),
      ),
    'its account is removed': ({ id }) => seeded().write('DELETE', '/api/user', { ids: [id] }),
    'its security stamp changes': ({ id, name }) =>
      seeded().write('PATCH', '/api/user', { id, name, login: `changed-${id}@example.com` }),
  }
  for (const [cause, end] of Object.entries(endings)) {
    test(`ends without another snapshot when ${cause}`, async () => {
      const rest = host()
      const person = await rest.signUp()
      const path = `/api/organizations?search=${person.id}`
      const live = await open(person.token, path)
      await live.next()
      await end(person)
      await seeded().make('organization', { name: `Secret ${person.id}` })
      await within(3000, live.ended, 'until the end')
      assert.equal(live.events.length, 1)
      assert.equal((await person.call('GET', path)).status, 401)
    })
  }

  test('of an ended session ends even if no row changes', async () => {
    const rest = host()
    const person = await rest.signUp()
    const live = await open(person.token, `/api/organizations?search=${person.id}`)
    await live.next()
    await rest.database.transaction((store) =>
      store.query(sql`update signin_sessions set ended_at = now() where user_id = ${person.id}`),
    )
    await within(12_000, live.ended, 'until the end')
    assert.equal(live.events.length, 1)
  })

  test('is ended with a comment by a host that shuts down', async () => {
    const separateHost = await startRestUnderTest()
    const { token } = separateHost.administrator
    const lives = await Promise.all(
      ['users', 'workflows', 'workflows'].map((name) =>
        openEventStream(separateHost.address, `/api/${name}`, { token }),
      ),
    )
    for (const live of lives) await live.next()
    await separateHost.stop()
    for (const live of lives) {
      await live.ended
      assert.match(live.comments.join(), /The host stops\./)
    }
  })

  test('no longer causes queries for changes after its last reader has disconnected', async () => {
    await using separateHost = await startRestUnderTest()
    await using direct = await connectDirectly(separateHost.database)
    /**
     * Returns whether a live listing begins to query changes within 1.5 seconds. The statements of webhooks
     * differ.
     */
    async function areChangesQueried(): Promise<boolean> {
      const [{ now }] = (await direct.query('select clock_timestamp()::text as now')).rows
      for (let samples = 0; samples < 30; samples += 1) {
        const { rowCount } = await direct.query(
          `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and query_start > $1::timestamptz and query like '%distinct resource from changes%'`,
          [now],
        )
        if (rowCount !== 0) return true
        await sleep(50)
      }
      return false
    }
    const { token } = separateHost.administrator
    const lives = await Promise.all(
      Array.from({ length: 20 }, () => openEventStream(separateHost.address, '/api/users', { token })),
    )
    for (const live of lives) await live.next()
    await until(areChangesQueried, 'queries for changes while a client listens')
    for (const live of lives) live.close()
    await until(async () => !(await areChangesQueried()), 'the end of the queries')
  })

  test('sends only the newest snapshot to a client that stopped reading', async () => {
    // The JSON has more than a megabyte, so it fills the socket buffers of the operating system within
    // seconds.
    const description = '\u0001'.repeat(2000)
    const ids: string[] = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const row = await seeded().make('organization', { name: `Big ${index}`, description })
        return row.id
      }),
    )
    const [id] = ids
    assert.ok(id)
    const names = (live: LiveReader, at: number): string[] =>
      live.events.at(at)?.data.result.data.map((row: { name: string }) => row.name) ?? []
    await using live = await open(
      host().administrator.token,
      `/api/organizations?pageSize=100&ids=${ids.join(',')}`,
    )
    await live.next()
    live.pause()
    const rounds = 10
    for (let round = 1; round <= rounds; round += 1) {
      await seeded().write('PATCH', '/api/organization', { id, name: `Version ${round}` })
      await sleep(1100)
    }
    live.resume()
    await live.nextWhere(() => names(live, -1).includes(`Version ${rounds}`))
    assert.ok(
      live.events.length <= rounds - 1,
      `${live.events.length} events were kept for ${rounds} changes.`,
    )
    assert.deepEqual(
      valuesOf(live.events, 'id'),
      live.events.map((_, index) => String(index + 1)),
    )
  })
}
