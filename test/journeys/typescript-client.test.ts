import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  clientCredentials,
  type FeedEvent,
  filter,
  openTracker,
  type Tracker,
  TrackerError,
} from '../../clients/typescript/src/tracker.ts'
import { valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { robot } from '../support/known-clients.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { serviceClientSettings } from '../support/service-clients.ts'

describe('The TypeScript client', () => {
  let tracker: Tracker
  let organizationId: string
  const credentials = (send = fetch) =>
    clientCredentials({
      issuer: rest.identity.address,
      clientId: robot.id,
      clientSecret: robot.secret,
      fetch: send,
    })
  const errorOf = async (work: Promise<unknown>): Promise<TrackerError> => {
    const error = await work.then(
      () => assert.fail('It was not rejected.'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof TrackerError, String(error))
    return error
  }

  const rest = fixture(startRestUnderTest, {
    ...serviceClientSettings(robot),
    SVC_ADMIN_LOGINS: `admin@example.com,${robot.login}`,
    Auth__SessionValidationCacheSeconds: '0',
  })
  before(async () => {
    await rest.signUp({ login: robot.login, name: 'Robot' })
    tracker = openTracker({ address: `${rest.address}/`, token: credentials() })
    organizationId = (await tracker.organizations.create({ name: 'Space agency' })).id
  })

  test('creates, gets, lists, changes, removes and restores rows', async () => {
    const { id } = await tracker.projects.create({ name: 'Moon landing', organizationId })
    await tracker.projects.update({ id, name: 'Moon landing 2', organizationId })
    const project = await tracker.projects.get(id)
    assert.equal(project.name, 'Moon landing 2')
    const page = await tracker.projects.list({ search: 'landing', pageSize: 5, sortOrder: 'DESC' })
    assert.deepEqual(page, { data: [project], totalCount: 1, pageNumber: 1, pageSize: 5, totalPages: 1 })
    await tracker.projects.remove([id])
    assert.equal((await tracker.projects.removed({ search: 'landing' })).data[0]?.id, id)
    assert.equal((await errorOf(tracker.projects.get(id))).status, 404)
    await tracker.projects.restore([id])
    assert.equal((await tracker.projects.get(id)).active, true)
  })

  test('throws errors with their status and their messages by field', async () => {
    const rejection = await errorOf(tracker.projects.create({ name: ' ', organizationId }))
    assert.equal(rejection.status, 400)
    assert.deepEqual(rejection.errors, { name: ['Name is required.'] })
    assert.equal(rejection.message, 'One or more validation errors occurred.')
  })

  test('does not compile with names that the contract does not have', () => {
    const unused = () => {
      // @ts-expect-error: a project belongs to an organization
      void tracker.projects.create({ name: 'x' })
      // @ts-expect-error: projects have no such filter
      void tracker.projects.list({ workflowId: '' })
      // @ts-expect-error: a report requires groupBy
      void tracker.call('GET /ext/reports/hours', { query: {} })
      // @ts-expect-error: there is no such operation
      void tracker.call('GET /ext/nothing')
      // @ts-expect-error: the field was not requested
      void tracker.projects.query({ fields: ['name'] }).then(({ data }) => data[0]?.organizationId)
    }
    assert.equal(typeof unused, 'function')
  })

  test('changes a row only if it is unchanged since it was read', async () => {
    const { id } = await tracker.organizations.create({ name: 'Tagged' })
    const { record, tag } = await tracker.organizations.getTagged(id)
    assert.equal(record.name, 'Tagged')
    await tracker.organizations.update({ id, name: 'Once' }, { ifMatch: tag })
    const rejection = await errorOf(tracker.organizations.update({ id, name: 'Twice' }, { ifMatch: tag }))
    assert.equal(rejection.status, 412)
  })

  test('iterates over all rows of a query, page after page', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `Walk ${String(index).padStart(2, '0')}`)
    for (const name of names) await tracker.projects.create({ name, organizationId })
    const question = { filter: filter`name startsWith ${'Walk'}`, sort: ['-name'], pageSize: 5 } as const
    const found: string[] = []
    for await (const row of tracker.projects.rows({
      ...question,
      fields: ['name', 'organization.name'],
      expand: ['organization'],
    })) {
      assert.deepEqual(Object.keys(row).sort(), ['id', 'name', 'organization'])
      assert.equal(row.organization?.name, 'Space agency')
      found.push(row.name)
    }
    assert.deepEqual(found, [...names].reverse())
    const { totalCount } = await tracker.projects.query({ ...question, count: true })
    assert.equal(totalCount, 23)
  })

  test('quotes any value in a filter', async () => {
    const name = `O'Neil') or (name ne '`
    await tracker.organizations.create({ name })
    const namesBy = async (text: string) =>
      (await tracker.organizations.query({ filter: text })).data.map((row) => row.name)
    assert.deepEqual(await namesBy(filter`name eq ${name}`), [name])
    assert.deepEqual(await namesBy(filter`name in ${[name, "x'"]} and updatedAt eq ${null}`), [name])
    assert.deepEqual(await namesBy(filter`name eq ${name} and createdAt gt ${new Date()}`), [])
    assert.throws(() => filter`amountHours gt ${1e300}`, TypeError)
    assert.throws(() => filter`id in ${[]}`, TypeError)
  })

  test('calls any other operation, typed by its path', async () => {
    const { login } = await tracker.call('GET /api/me')
    assert.equal(login, robot.login)
    const { result } = await tracker.call('GET /ext/reports/hours', { query: { groupBy: 'person,week' } })
    assert.deepEqual([result.totalGroups, result.total.hours], [0, 0])
    const people = await tracker.call('GET /ext/people', { query: { search: 'robo' } })
    assert.deepEqual(valuesOf(people.result.data, 'name'), ['Robot'])
  })

  test('requests one token, however many calls wait for it, and caches it', async () => {
    let tokenRequests = 0
    const counting: typeof fetch = (url, init) => {
      tokenRequests += init?.method === 'POST' ? 1 : 0
      return fetch(url, init)
    }
    const client = openTracker({ address: rest.address, token: credentials(counting) })
    await Promise.all(Array.from({ length: 10 }, () => client.call('GET /api/me')))
    await client.call('GET /api/me')
    assert.equal(tokenRequests, 1)
  })

  test('replaces a rejected token once', async () => {
    const [stale, fresh] = ['stale', await credentials()()]
    const given: (string | undefined)[] = []
    const client = openTracker({
      address: rest.address,
      token: (rejected) => {
        given.push(rejected)
        return rejected === undefined ? stale : fresh
      },
    })
    await client.organizations.update({ id: organizationId, name: 'Space agency' })
    assert.deepEqual(given, [undefined, stale])
    for (const token of ['wrong', () => 'wrong']) {
      const { status } = await errorOf(openTracker({ address: rest.address, token }).call('GET /api/me'))
      assert.equal(status, 401)
    }
  })

  test('gets another token when the sessions of its account were ended', async () => {
    await tracker.call('GET /api/me')
    await tracker.call('POST /ext/sessions/end-all', { body: {} })
    assert.equal((await tracker.call('GET /api/me')).login, robot.login)
  })

  test('throws the error of the identity host', async () => {
    const token = clientCredentials({ issuer: rest.identity.address, clientId: robot.id, clientSecret: 'no' })
    const rejection = await errorOf(openTracker({ address: rest.address, token }).call('GET /api/me'))
    assert.equal(rejection.status, 401)
    assert.doesNotMatch(rejection.message, /^The server answered/)
  })

  test('exports all rows of a list as a loop', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `Export ${String(index).padStart(3, '0')}`)
    const items = names.map(
      (name) => ({ operation: 'create', resource: 'impediment', body: { name } }) as const,
    )
    await tracker.call('POST /ext/batch', { body: { items } })
    const found: string[] = []
    for await (const { name } of tracker.impediments.export({ search: 'Export', sortColumn: 'name' }))
      found.push(name)
    assert.deepEqual(found, names)
    const table = await tracker.call('GET /ext/export/impediments', { query: { search: 'Export 00' } })
    assert.equal(table.split('\r\n').length, 12)
    for await (const row of tracker.impediments.export()) {
      assert.ok(row.id)
      break
    }
    const rejection = await errorOf(tracker.impediments.export({ sortOrder: 'up' as 'ASC' }).next())
    assert.equal(rejection.status, 400)
  })
})

describe('The feed in the TypeScript client', () => {
  const open = (send: typeof fetch) =>
    openTracker({
      address: rest.address,
      token: rest.administrator.token,
      fetch: send,
      pause: async () => undefined,
    })
  const make = async (names: readonly string[]) => {
    for (const name of names) await writer.impediments.create({ name })
  }
  const namesOf = (events: readonly FeedEvent[]) => events.map(({ change }) => change.after?.name)
  /** Reads this many events and leaves the loop. Calls `onEvent` for each. */
  async function take(
    feed: AsyncGenerator<FeedEvent, void>,
    count: number,
    onEvent: (number: number) => Promise<void> = async () => undefined,
  ): Promise<FeedEvent[]> {
    const events: FeedEvent[] = []
    for await (const event of feed) {
      events.push(event)
      await onEvent(events.length)
      if (events.length === count) break
    }
    return events
  }

  const rest = fixture(startRestUnderTest)
  const writer = fixture(open, fetch)

  test('misses and repeats nothing when connections are lost', async () => {
    const connections: AbortController[] = []
    const breakable: typeof fetch = (url, init) => {
      const connection = new AbortController()
      connections.push(connection)
      const signal = AbortSignal.any([connection.signal, init?.signal as AbortSignal])
      return fetch(url, { ...init, signal })
    }
    const names = Array.from({ length: 12 }, (_, index) => `Fed ${index}`)
    const feed = open(breakable).changes({ after: 'now', resource: 'impediment' })
    const taking = take(feed, 12, async (number) => {
      if (number !== 4 && number !== 8) return
      connections.at(-1)?.abort()
      await make(names.slice(number, number + 4))
    })
    // The feed reads its position before it opens its first stream.
    while (connections.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await make(names.slice(0, 4))
    const events = await taking
    assert.deepEqual(namesOf(events), names)
    assert.equal(connections.length, 4)
    const remaining = writer.changes({ after: events[8]?.cursor ?? '', resource: 'impediment' })
    assert.deepEqual(namesOf(await take(remaining, 3)), names.slice(9))
  })

  test('throws an error for a cursor that the host rejects', async () => {
    const rejection = await take(writer.changes({ after: 'x' }), 1).catch((error: unknown) => error)
    assert.ok(rejection instanceof TrackerError)
    assert.equal(rejection.status, 400)
  })
})
