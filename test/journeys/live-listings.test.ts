import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { before, describe, test } from 'node:test'
import { fastify } from 'fastify'
import { openBudgets } from '../../src/config/budgets.ts'
import { type LiveStream, openLiveStream } from '../../src/features/changes/live-stream.ts'
import { createSnapshotMemory } from '../../src/features/changes/streams.ts'
import { type Entity, entities, listPathOf, resources } from '../contract/resources.ts'
import { fixture } from '../support/fixture.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { type LiveReader, openEventStream } from '../support/live-events.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { until, within } from '../support/until.ts'

const removedPathOf = (entity: Entity) => `/ext/removed/${resources[entity].list}`

const zero = '00000000-0000-4000-8000-000000000000'
const rejectedQueries = [
  'organizations?pageSize=101',
  'organizations?pageSize=0',
  'organizations?pageNumber=none',
  'organizations?sortOrder=upwards',
  `organizations?search=${'x'.repeat(129)}`,
  'organizations?ids=17',
  'organizations?pageSize=5&pageSize=6',
  `organizations?userId=${zero}`,
  `projects?userId=${zero}`,
  'projects?organizationId=17',
  'assignments?workflowId=here',
  'assignments?dateFrom=2026-02-30',
  'appointments?dateFrom=2026-03-02&dateTo=2026-03-01',
  'appointments?dateTo=soon&pageSize=1000',
]

// Fewer tests run at the same time than one account may open listings.
describe('A live listing that is opened', { concurrency: 12 }, () => {
  let member: Person
  let mine: string
  let foreign: string

  const rest = fixture(startRestUnderTest)
  before(async () => {
    const workspace = await seed(rest)
    member = await rest.signUp({ name: 'Mara' })
    mine = await workspace.project('Mine', member)
    foreign = await workspace.project('Foreign')
  })

  for (const route of [...entities.map(listPathOf), ...entities.map(removedPathOf), '/ext/people']) {
    test(`of ${route} sends the plain list as its first event`, async () => {
      const token = rest.administrator.token
      const path = `${route}?pageSize=5&sortOrder=DESC`
      const live = await openEventStream(rest.address, path, { token })
      const { id, name, data } = await live.next()
      live.close()
      const plain = await rest.call('GET', path, { token })
      assert.deepEqual({ name, data }, { name: 'listing', data: plain.body })
      // In the extensions, an id is a position to resume from.
      assert.match(id, route.startsWith('/ext/') ? /^[\w-]+~[\w-]{22}$/ : /^1$/)
    })
  }

  test('has the headers of an event stream', async () => {
    const live = await openEventStream(rest.address, '/api/organizations', { token: member.token })
    live.close()
    assert.equal(live.status, 200)
    assert.match(String(live.headers['content-type']), /^text\/event-stream\b/)
    assert.equal(live.headers['x-accel-buffering'], 'no')
    assert.match(String(live.headers['cache-control']), /no-cache|no-store/)
    assert.equal(live.headers['content-length'], undefined)
    assert.deepEqual([live.headers.connection, live.headers['transfer-encoding']], ['close', 'chunked'])
    assert.equal(live.headers['x-content-type-options'], 'nosniff')
    assert.equal(live.headers['x-frame-options'], 'DENY')
    assert.ok(live.headers['content-security-policy'])
    assert.ok(live.headers['strict-transport-security'])
  })

  test('allows a configured browser origin to read it', async () => {
    const live = await openEventStream(rest.address, '/api/organizations', {
      token: member.token,
      headers: { origin: 'http://localhost:5400' },
    })
    live.close()
    assert.equal(live.headers['access-control-allow-origin'], 'http://localhost:5400')
  })

  test('is a plain list without the Accept header', async () => {
    for (const accept of ['application/json', '*/*', 'text/html']) {
      const plain = await member.call('GET', '/api/organizations', undefined, { accept })
      assert.match(plain.headers.get('content-type') ?? '', /^application\/json/)
    }
  })

  test('starts at 1 after a Last-Event-ID that no stream can have sent', async () => {
    for (const wrong of ['', 'x', '-1', '1.5', '9'.repeat(40)]) {
      await using live = await openEventStream(rest.address, '/api/impediments', {
        token: member.token,
        headers: { 'last-event-id': wrong },
      })
      assert.equal(live.status, 200)
      assert.equal((await live.next()).id, '1', wrong)
    }
  })

  test('sends a listing even if the client already has its ETag', async () => {
    const plain = await member.call('GET', '/api/impediments')
    await using live = await openEventStream(rest.address, '/api/impediments', {
      token: member.token,
      headers: { 'if-none-match': plain.headers.get('etag') ?? '' },
    })
    assert.equal(live.status, 200)
    assert.deepEqual((await live.next()).data, plain.body)
  })

  for (const query of rejectedQueries) {
    test(`rejects ${query.slice(0, 60)} with the plain list's 400 before the stream starts`, async () => {
      const token = rest.administrator.token
      const [live, plain] = await Promise.all([
        openEventStream(rest.address, `/api/${query}`, { token }),
        rest.call('GET', `/api/${query}`, { token }),
      ])
      assert.equal(live.status, 400)
      assert.match(String(live.headers['content-type']), /^application\/json/)
      assert.deepEqual(JSON.parse(live.rejection), plain.body)
      assert.notEqual(Object.keys(plain.body.errors).length, 0)
    })
  }

  test('is rejected with the 401 envelope without a valid token', async () => {
    for (const token of [undefined, 'not.a.token']) {
      const live = await openEventStream(rest.address, '/api/organizations', token ? { token } : {})
      assert.equal(live.status, 401)
      assert.match(String(live.headers['content-type']), /^application\/json/)
      assert.equal(JSON.parse(live.rejection).statusCode, 401)
    }
  })

  test('of users is rejected with the 403 envelope for callers who are no administrators', async () => {
    const live = await openEventStream(rest.address, '/api/users', { token: member.token })
    assert.equal(live.status, 403)
    assert.match(String(live.headers['content-type']), /^application\/json/)
    assert.equal(JSON.parse(live.rejection).statusCode, 403)
  })

  test('shows each caller only what that caller may see', async () => {
    const path = `/api/projects?ids=${mine},${foreign}`
    const [forMember, forAdministrator] = await Promise.all([
      openEventStream(rest.address, path, { token: member.token }),
      openEventStream(rest.address, path, { token: rest.administrator.token }),
    ])
    const seen = (await forMember.next()).data.result
    assert.deepEqual([seen.totalCount, seen.data[0].id], [1, mine])
    assert.equal((await forAdministrator.next()).data.result.totalCount, 2)
    forMember.close()
    forAdministrator.close()
  })
})

// The time is passed in, so that the test does not wait for 15 seconds.
test('A live listing sends a comment line every 15 s', async () => {
  const app = fastify({ forceCloseConnections: true })
  const session = {
    caller: { id: 'x', isAdministrator: false },
    sessionId: undefined,
    expiresAt: 1e15,
    recheck: async () => true,
    isActiveNow: async () => true,
  }
  const reservation = createSnapshotMemory(openBudgets()).reservationFor('x')
  const listeners = {
    reservation,
    idOf: () => undefined,
    onReady: () => undefined,
    onClose: () => undefined,
    onFailure: (error: unknown) => assert.fail(String(error)),
  }
  let stream: LiveStream | undefined
  let write: ((chunk: string) => boolean) | undefined
  app.get('/', (request, reply) => {
    stream = openLiveStream({ session, request, reply }, listeners)
    write = (chunk) => reply.raw.write(chunk)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  await using live = await openEventStream(
    `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    '/',
  )
  const openedAt = Date.now()
  /** Returns the comments up to a mark that is sent after the call. */
  const commentsAfter = async (seconds: number) => {
    stream?.maintain(openedAt + seconds * 1000)
    const mark = `${seconds} s`
    const line = `: ${mark}\n\n`
    write?.(`${line.length.toString(16)}\r\n${line}\r\n`)
    await until(() => live.comments.at(-1) === mark, 'the mark')
    return live.comments.filter((comment) => comment === 'still here').length
  }
  assert.equal(await commentsAfter(14), 0)
  assert.equal(await commentsAfter(15), 1)
  assert.equal(await commentsAfter(29), 1)
  assert.equal(await commentsAfter(30), 2)
  assert.equal(live.events.length, 0)
  await app.close()
})

describe('A live listing under /ext/ after a reconnect', { concurrency: true }, () => {
  let assignmentId: string
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  before(async () => {
    assignmentId = await workspace.assignment(await workspace.project(), rest.administrator.id)
  })
  const addComment = (text: string) =>
    workspace.make('comment', { text, assignmentId, userId: rest.administrator.id })
  const open = (path: string, lastId?: string, address = rest.address) => {
    const { token } = rest.administrator
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
    return openEventStream(address, path, { token, headers })
  }

  test('sends the next change, but not the snapshot that the client has', async () => {
    await using another = await rest.startAnother()
    await addComment('kept')
    const path = '/ext/comments?search=kept'
    const first = await open(path)
    const { id } = await first.next()
    first.close()
    // This change does not affect the list.
    await workspace.make('organization', { name: 'Unrelated' })
    await using again = await open(path, id, another.address)
    await addComment('kept, too')
    const next = await again.next()
    assert.equal(again.events.length, 1)
    assert.equal(next.data.result.totalCount, 2)
    assert.notEqual(next.id, id)
  })

  test('continues on another instance after the first one has stopped', async () => {
    const stopping = await rest.startAnother()
    await addComment('moving')
    const path = '/ext/comments?search=moving'
    const [live, ofContract, feed] = await Promise.all([
      open(path, undefined, stopping.address),
      open('/api/organizations', undefined, stopping.address),
      open('/ext/changes?resource=comment', undefined, stopping.address),
    ])
    const { id } = await live.next()
    await ofContract.next()
    const { id: seen } = await feed.nextWhere(({ data }) => data.after?.text === 'moving')
    await stopping.stop()
    await Promise.all([live.ended, ofContract.ended, feed.ended])
    for (const { retryMilliseconds = 0 } of [live, ofContract, feed])
      assert.ok(retryMilliseconds > 0 && retryMilliseconds <= 3000, `${retryMilliseconds}`)
    const { id: row } = await addComment('moving on')
    const [again, secondFeed] = await Promise.all([
      open(path, id),
      open('/ext/changes?resource=comment', seen),
    ])
    assert.equal((await again.next()).data.result.totalCount, 2)
    assert.equal((await secondFeed.nextWhere(({ data }) => data.rowId === row)).data.after?.text, 'moving on')
    again.close()
    secondFeed.close()
  })

  test('sends the newest snapshot at once if the client missed a change', async () => {
    await addComment('missed')
    const path = '/ext/comments?search=missed'
    const first = await open(path)
    const { id } = await first.next()
    first.close()
    await addComment('missed again')
    await using again = await open(path, id)
    assert.equal((await again.next()).data.result.totalCount, 2)
  })

  test('sends a snapshot if the last id belongs to another list, or to none', async () => {
    const people = await open('/ext/people')
    const { id } = await people.next()
    people.close()
    for (const other of [id, '7', 'x~y', '~']) {
      await using live = await open('/ext/comments', other)
      assert.equal((await live.next()).name, 'listing')
    }
  })

  test('has ids with which the feed can continue', async () => {
    const live = await open('/ext/comments?search=onwards')
    const { id } = await live.next()
    live.close()
    const { id: rowId } = await addComment('onwards')
    const path = `/ext/changes?after=${encodeURIComponent(id)}&resource=comment`
    const { body } = await rest.call('GET', path, rest.administrator)
    assert.ok(body.result.data.some((change: { rowId: string }) => change.rowId === rowId))
  })
})

/** The number of readers that the design requires. */
const readers = 1000
/** The limit of an account. */
const readersPerAccount = 20
/** The readers connect in groups, because connections arrive over time. */
const groupSize = 100

describe('A large number of live listings', () => {
  let people: Person[]

  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  before(async () => {
    people = await Promise.all(Array.from({ length: readers / readersPerAccount }, () => rest.signUp()))
  })

  // The limit in seconds applies to a store of one node.
  test('notifies a thousand readers of a change within three seconds', {
    skip: isDistributed,
  }, async (context) => {
    const lives: LiveReader[] = []
    const startedAt = Date.now()
    while (lives.length < readers) {
      const group = Array.from({ length: groupSize }, async (_, index) => {
        const { token } = people[(lives.length + index) % people.length] as Person
        const live = await openEventStream(rest.address, '/api/workflows?sortColumn=order', { token })
        await live.next()
        return live
      })
      lives.push(...(await Promise.all(group)))
    }
    const openedAt = Date.now()
    await workspace.make('workflow', { name: 'Sent to all', order: 2 })
    const writtenAt = Date.now()
    const cpuAtWrite = process.cpuUsage()
    const notified = Promise.all(lives.map((live) => live.next()))
    const events = await within(3000, notified, 'until the last one was notified')
    const { user, system } = process.cpuUsage(cpuAtWrite)
    const cpuMilliseconds = (user + system) / 1000
    for (const { id, data } of events) {
      assert.equal(id, '2')
      assert.deepEqual(data.result.data.at(-1).name, 'Sent to all')
    }
    const notifiedAfter = Math.max(...events.map(({ at }) => at)) - writtenAt
    context.diagnostic(
      `${readers} opened within ${openedAt - startedAt} ms, notified after ${notifiedAfter} ms`,
    )
    // Most of the time is waiting. The work takes less than a tenth of a second.
    assert.ok(cpuMilliseconds < 1000, `The host and its readers worked for ${cpuMilliseconds} ms.`)
    const answer = await rest.administrator.call('GET', '/api/me')
    assert.equal(answer.status, 200)
    for (const live of lives) live.close()
  })

  test('can be opened and closed at once without affecting later ones', async () => {
    const { token } = rest.administrator
    for (let round = 0; round < 3; round += 1) {
      const lives = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          openEventStream(rest.address, `/api/organizations?pageNumber=${index + 1}`, { token }),
        ),
      )
      for (const live of lives) live.close()
    }
    await using live = await openEventStream(rest.address, '/api/organizations', { token })
    assert.equal((await live.next()).data.result.totalCount, 1)
    await workspace.make('organization', { name: 'Still sent' })
    assert.equal((await live.next()).data.result.totalCount, 2)
  })
})
