import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Entity, entities, listPathOf, resources } from '../contract/resources.ts'
import { furnish } from '../support/furnish.ts'
import { listen } from '../support/live-events.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

const removedPathOf = (entity: Entity) => `/ext/removed/${resources[entity].list}`

const zero = '00000000-0000-4000-8000-000000000000'
const refusedQueries = [
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

// Fewer at once than one account may hold.
describe('A live listing, when it is opened,', { concurrency: 12 }, () => {
  let rest: RestUnderTest
  let member: Person
  let mine: string
  let foreign: string

  before(async () => {
    rest = await startRestUnderTest()
    const workspace = await furnish(rest)
    member = await rest.signUp({ name: 'Mara' })
    mine = await workspace.project('Mine', member)
    foreign = await workspace.project('Foreign')
  })
  after(() => rest.stop())

  for (const route of [...entities.map(listPathOf), ...entities.map(removedPathOf), '/ext/people']) {
    test(`of ${route} sends the plain list as its first event`, async () => {
      const token = rest.administrator.token
      const path = `${route}?pageSize=5&sortOrder=DESC`
      const live = await listen(rest.address, path, { token })
      const { id, name, data } = await live.next()
      live.close()
      const plain = await rest.call('GET', path, { token })
      assert.deepEqual({ name, data }, { name: 'listing', data: plain.body })
      // Beyond the contract an id is a position to resume from.
      assert.match(id, route.startsWith('/ext/') ? /^[\w-]+~[\w-]{22}$/ : /^1$/)
    })
  }

  test('answers with the headers of an event stream that no proxy holds back', async () => {
    const live = await listen(rest.address, '/api/organizations', { token: member.token })
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
    const live = await listen(rest.address, '/api/organizations', {
      token: member.token,
      headers: { origin: 'http://localhost:5400' },
    })
    live.close()
    assert.equal(live.headers['access-control-allow-origin'], 'http://localhost:5400')
  })

  test('is a plain list without the Accept header', async () => {
    for (const accept of ['application/json', '*/*', 'text/html']) {
      const plain = await rest.call('GET', '/api/organizations', { token: member.token, headers: { accept } })
      assert.match(plain.headers.get('content-type') ?? '', /^application\/json/)
    }
  })

  test('starts at 1 after a Last-Event-ID that no stream of ours can have sent', async () => {
    for (const wrong of ['', 'x', '-1', '1.5', '9'.repeat(40)]) {
      const live = await listen(rest.address, '/api/impediments', {
        token: member.token,
        headers: { 'last-event-id': wrong },
      })
      assert.equal(live.status, 200)
      assert.match((await live.next()).id, /^\d+$/)
      live.close()
    }
  })

  test('sends a listing even when the client already holds its ETag', async () => {
    const plain = await rest.call('GET', '/api/impediments', { token: member.token })
    const live = await listen(rest.address, '/api/impediments', {
      token: member.token,
      headers: { 'if-none-match': plain.headers.get('etag') ?? '' },
    })
    assert.equal(live.status, 200)
    assert.deepEqual((await live.next()).data, plain.body)
    live.close()
  })

  for (const query of refusedQueries) {
    test(`rejects ${query.slice(0, 60)} with the plain list's 400 before the stream starts`, async () => {
      const token = rest.administrator.token
      const [live, plain] = await Promise.all([
        listen(rest.address, `/api/${query}`, { token }),
        rest.call('GET', `/api/${query}`, { token }),
      ])
      assert.equal(live.status, 400)
      assert.match(String(live.headers['content-type']), /^application\/json/)
      assert.deepEqual(JSON.parse(live.refusal), plain.body)
      assert.notEqual(Object.keys(plain.body.errors).length, 0)
    })
  }

  test('rejects a caller without a good token with the 401 envelope', async () => {
    for (const token of [undefined, 'not.a.token']) {
      const live = await listen(rest.address, '/api/organizations', token ? { token } : {})
      assert.equal(live.status, 401)
      assert.match(String(live.headers['content-type']), /^application\/json/)
      assert.equal(JSON.parse(live.refusal).statusCode, 401)
    }
  })

  test('of users rejects a plain member with the 403 envelope', async () => {
    const live = await listen(rest.address, '/api/users', { token: member.token })
    assert.equal(live.status, 403)
    assert.match(String(live.headers['content-type']), /^application\/json/)
    assert.equal(JSON.parse(live.refusal).statusCode, 403)
  })

  test('shows each caller only what that caller may see', async () => {
    const path = `/api/projects?ids=${mine},${foreign}`
    const [forMember, forAdministrator] = await Promise.all([
      listen(rest.address, path, { token: member.token }),
      listen(rest.address, path, { token: rest.administrator.token }),
    ])
    const seen = (await forMember.next()).data.result
    assert.deepEqual([seen.totalCount, seen.data[0].id], [1, mine])
    assert.equal((await forAdministrator.next()).data.result.totalCount, 2)
    forMember.close()
    forAdministrator.close()
  })
})
