import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeToken } from '../support/api-tokens.ts'
import { connectDirectly, insertNamed } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { type Answer, type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

describe('A conditional request with an ETag', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const member = fixture(() => rest.signUp())

  const get = (path: string, headers: Record<string, string> = {}, by: Person = rest.administrator) =>
    by.call('GET', path, undefined, headers)
  const tagOf = (answer: Answer) => answer.headers.get('etag') ?? ''

  test('is possible for lists and records', async () => {
    for (const path of ['/api/workflows', `/api/workflow?id=${workspace.workflowId}`]) {
      const [first, second] = await Promise.all([get(path), get(path)])
      assert.match(tagOf(first), /^"[^"\s]+"$/)
      assert.equal(tagOf(first), tagOf(second))
    }
  })

  test('gets another ETag for another query or another user', async () => {
    const { address } = await rest.identity.startAnother({ SVC_ADMIN_LOGINS: 'nobody@example.com' })
    const withoutRole = await rest.identity.signIn(rest.administrator.login, { address })
    const other = await rest.signUp()
    const path = '/api/impediments'
    const answers = await Promise.all([
      get(path),
      get(path, {}, { ...rest.administrator, token: withoutRole.access_token }),
      get(path, {}, member),
      get(path, {}, other),
      get(`${path}?pageSize=11`),
    ])
    assert.equal(new Set(answers.map(tagOf)).size, answers.length)
    assert.deepEqual(answers[2]?.body, answers[3]?.body)
  })

  test('never gets a 304 for the ETag of another user', async () => {
    const tag = tagOf(await get('/api/impediments'))
    assert.equal((await get('/api/impediments', { 'if-none-match': tag }, member)).status, 200)
  })

  const spellings: Readonly<Record<string, (tag: string) => string>> = {
    'the tag itself': (tag) => tag,
    'the tag marked weak by a proxy': (tag) => `W/${tag}`,
    'a list that contains the tag': (tag) => `"other", ${tag} , "third"`,
    'a list without spaces': (tag) => `W/"other",W/${tag}`,
    'a star': () => '*',
  }
  for (const [description, spell] of Object.entries(spellings)) {
    test(`gets a 304 without a body for ${description}`, async () => {
      for (const path of ['/api/workflows', `/api/workflow?id=${workspace.workflowId}`]) {
        const tag = tagOf(await get(path))
        const answer = await get(path, { 'if-none-match': spell(tag) })
        assert.equal(answer.status, 304)
        assert.equal(answer.body, '')
        assert.equal(tagOf(answer), tag)
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      }
    })
  }

  test('gets the content for any other ETag', async () => {
    const tag = tagOf(await get('/api/workflows'))
    const wrong = [
      '"other"',
      tag.slice(1, -1),
      `"${tag.slice(1, 8)}"`,
      `${tag.slice(0, -1)}x"`,
      '',
      'W/*',
      '"*"',
    ]
    for (const header of wrong) {
      assert.equal((await get('/api/workflows', { 'if-none-match': header })).status, 200, header)
    }
  })

  test('with a star gets errors as usual', async () => {
    const star = { 'if-none-match': '*' }
    const unknown = '01890000-0000-7000-8000-000000000000'
    assert.equal((await get(`/api/organization?id=${unknown}`, star)).status, 404)
    assert.equal((await get('/api/organizations?pageSize=0', star)).status, 400)
    assert.equal((await get('/api/users', star, member)).status, 403)
    assert.equal((await rest.call('GET', '/api/organizations', { headers: star })).status, 401)
  })

  test('gets the new content after a change', async () => {
    const { id } = await workspace.make('assignmentType', { name: 'Old' })
    const paths = [`/api/assignmentTypes?ids=${id}`, `/api/assignmentType?id=${id}`]
    for (const [round, path] of paths.entries()) {
      const tag = tagOf(await get(path))
      await workspace.write('PATCH', '/api/assignmentType', { id, name: `New ${round}` })
      const answer = await get(path, { 'if-none-match': tag })
      assert.equal(answer.status, 200)
      assert.match(JSON.stringify(answer.body), new RegExp(`New ${round}`))
    }
  })
})

describe('A conditional request with a date', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)

  const get = (path: string, headers: Record<string, string> = {}, by: Person = rest.administrator) =>
    by.call('GET', path, undefined, headers)
  const tagOf = (answer: Answer) => answer.headers.get('etag') ?? ''
  const dateOf = (answer: Answer) => answer.headers.get('last-modified') ?? ''
  const dateHeaderOf = (answer: Answer) => answer.headers.get('date') ?? ''

  /**
   * Repeats the request until its response has Last-Modified, which it has once all earlier transactions have
   * ended.
   */
  async function untilLastModified(path: string, by?: Person): Promise<{ date: string; answer: Answer }> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const answer = await get(path, {}, by)
      if (dateOf(answer)) return { date: dateOf(answer), answer }
      await sleep(50)
    }
    throw new Error(`${path} has no Last-Modified after ten seconds.`)
  }
  const since = (path: string, date: string, by?: Person) => get(path, { 'if-modified-since': date }, by)
  /** Retries, because another test may have changed such a row in between, or have a transaction open. */
  async function assertUnchangedSinceLastModified(path: string, by?: Person): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { date } = await untilLastModified(path, by)
      if ((await since(path, date, by)).status === 304) return
    }
    throw new Error(`${path} was never unchanged since its Last-Modified.`)
  }
  const shifted = (date: string, seconds: number) => new Date(Date.parse(date) + seconds * 1000).toUTCString()

  // These tests run alone, because any open transaction makes the host send the content.
  test('gets a 304 for the Last-Modified that it has received', async () => {
    for (const path of ['/api/impediments', `/api/impediment?id=${workspace.impedimentId}`]) {
      const { date } = await untilLastModified(path)
      const answer = await since(path, date)
      assert.equal(answer.status, 304)
      assert.equal(answer.body, '')
      assert.match(date, /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/)
      assert.ok(Date.parse(date) <= Date.parse(dateHeaderOf(answer)), 'Last-Modified is in the future.')
    }
  })

  test('gets a 304 for every date from Last-Modified to the Date of a response', async () => {
    const path = '/api/impediments'
    const { date } = await untilLastModified(path)
    let now = date
    for (let attempt = 0; attempt < 200 && Date.parse(now) <= Date.parse(shifted(date, 1)); attempt += 1) {
      now = dateHeaderOf(await get(path))
      await sleep(50)
    }
    for (let other = date; Date.parse(other) <= Date.parse(now); other = shifted(other, 1))
      assert.equal((await since(path, other)).status, 304, other)
  })

  describe('after changes', { concurrency: true }, () => {
    test('gets the content for an earlier, future or invalid date', async () => {
      const { date } = await untilLastModified('/api/impediments')
      const otherDates = [
        shifted(date, -1),
        shifted(date, 9e6),
        new Date(0).toUTCString(),
        date.slice(5),
        new Date(date).toISOString(),
        'yesterday',
        '',
        '*',
      ]
      for (const other of otherDates)
        assert.equal((await since('/api/impediments', other)).status, 200, other)
    })

    test('gets the content for a date that another account has received', async () => {
      const other = await rest.signUp()
      const { date } = await untilLastModified('/api/workflows')
      assert.equal((await since('/api/workflows', date, other)).status, 200)
      await assertUnchangedSinceLastModified('/api/workflows', other)
    })

    test('is evaluated by its ETag alone if it has both', async () => {
      const { date, answer } = await untilLastModified('/api/impediments')
      const both = (tag: string, at: string) =>
        get('/api/impediments', { 'if-none-match': tag, 'if-modified-since': at })
      assert.equal((await both('"other"', date)).status, 200)
      assert.equal((await both(tagOf(answer), new Date(0).toUTCString())).status, 304)
    })

    /**
     * Asserts that a request with any date that was sent before the change gets the content, even after the
     * host sends a Last-Modified for the change.
     */
    async function assertVisible(path: string, change: () => Promise<unknown>, count: number, by?: Person) {
      const { date, answer } = await untilLastModified(path, by)
      const last = await get(path, {}, by)
      await change()
      const dates = [date, dateHeaderOf(answer), dateHeaderOf(last)]
      const assertChanged = async () => {
        for (const earlier of dates) {
          const changed = await since(path, earlier, by)
          assert.deepEqual([changed.status, changed.body.result?.totalCount], [200, count], earlier)
          assert.notDeepEqual(changed.body, answer.body)
        }
      }
      await assertChanged()
      await untilLastModified(path, by)
      await assertChanged()
    }

    test('gets the content after an update', async () => {
      const { id } = await workspace.make('organization', { name: 'Updated' })
      const update = () => workspace.write('PATCH', '/api/organization', { id, name: 'Another' })
      await assertVisible(`/api/organizations?ids=${id}`, update, 1)
    })

    test('gets the content after a removal', async () => {
      const { id } = await workspace.make('organization', { name: 'Removed' })
      const remove = () => workspace.write('DELETE', '/api/organization', { ids: [id] })
      await assertVisible(`/api/organizations?ids=${id}`, remove, 0)
    })

    test('gets the content after a row is restored', async () => {
      const { id } = await workspace.make('organization', { name: 'Restored' })
      await workspace.write('DELETE', '/api/organization', { ids: [id] })
      const restore = () => workspace.write('POST', '/api/organization/restore', { ids: [id] })
      await assertVisible(`/api/organizations?ids=${id}`, restore, 1)
    })

    test('gets the content after a creation', async () => {
      const create = () => workspace.make('organization', { name: 'Seen' })
      await assertVisible('/api/organizations?search=seen', create, 1)
    })

    test('gets the content after its sender joined or left a project, or an assignment moved', async () => {
      const path = '/api/appointments'
      const foreign = await workspace.project()
      const signUpWithAppointment = async (projectId: string) => {
        const person = await rest.signUp()
        const assignmentId = await workspace.assignment(projectId, person.id)
        await workspace.appointment(assignmentId, person.id)
        return { person, assignmentId }
      }
      const joining = await signUpWithAppointment(foreign)
      const leaving = await signUpWithAppointment(foreign)
      const moving = await signUpWithAppointment(foreign)
      const membership = await workspace.join(foreign, leaving.person.id)
      const mine = await workspace.project('Mine', moving.person)
      const { assignment } = (await get(`/api/assignment?id=${moving.assignmentId}`)).body
      const join = () => workspace.join(foreign, joining.person.id)
      const leave = () => workspace.write('DELETE', '/api/userProject', { ids: [membership] })
      const move = () => workspace.write('PATCH', '/api/assignment', { ...assignment, projectId: mine })
      await assertVisible(path, join, 3, joining.person)
      await assertVisible(path, leave, 0, leaving.person)
      await assertVisible(path, move, 1, moving.person)
    })

    test('with the Date of a response without Last-Modified never hides a later write', async () => {
      // A cache sends that date if it has no better one (RFC 9110, 13.1.3).
      const path = '/api/workflows'
      let cached: Answer
      // A response that comes long after the write, as on a busy machine, has Last-Modified.
      do {
        await sleep(1000 - (Date.now() % 1000))
        await workspace.make('workflow', { name: 'Dated', order: 3 })
        cached = await get(path)
      } while (dateOf(cached) !== '')
      await workspace.make('workflow', { name: 'Dated', order: 3 })
      await untilLastModified(path)
      const answer = await since(path, dateHeaderOf(cached))
      assert.deepEqual(
        [answer.status, answer.body.result?.totalCount],
        [200, cached.body.result.totalCount + 1],
      )
    })

    test('is evaluated by the times of changes, not by the version of a row', async () => {
      const { id } = await workspace.make('organization', { name: 'Ahead' })
      const direct = await connectDirectly(rest.database)
      await direct.query(`update organizations set updated_at = '2199-01-01' where id = $1`, [id])
      await direct.end()
      await workspace.write('PATCH', '/api/organization', { id, name: 'Further ahead' })
      const path = `/api/organization?id=${id}`
      const { date, answer } = await untilLastModified(path)
      assert.match(answer.body.organization.updatedAt, /^2199/)
      assert.ok(Date.parse(date) <= Date.parse(dateHeaderOf(answer)))
      await assertUnchangedSinceLastModified(path)
    })

    test('is never evaluated for a personal access token', async () => {
      // The tests of this file run concurrently, and no other test writes such rows.
      const path = '/api/workflows?search=token'
      const { date } = await untilLastModified(path)
      const { secret } = await makeToken(rest, rest.administrator.token, { scopes: ['*:read'] })
      const byToken = { ...rest.administrator, token: secret }
      for (let times = 0; times < 2; times += 1) {
        const answer = await since(path, date, byToken)
        assert.deepEqual([answer.status, dateOf(answer)], [200, ''])
      }
      const tag = tagOf(await get(path, {}, byToken))
      assert.equal((await get(path, { 'if-none-match': tag }, byToken)).status, 304)
    })
  })

  test('gets the content that a slow transaction wrote long before it was committed', async () => {
    const path = '/api/organizations?search=slow'
    const before = await untilLastModified(path)
    const direct = await connectDirectly(rest.database)
    await direct.query('begin')
    await insertNamed(direct, 'organization', 'Slow one')
    await workspace.make('organization', { name: 'Slow two' })
    // This is long enough for a date to be sent, if the open transaction were overlooked.
    await sleep(1100)
    await get(path)
    await sleep(2200)
    const during = await get(path)
    assert.equal(during.body.result.totalCount, 1)
    await direct.query('commit')
    await direct.end()
    assert.equal(dateOf(during), '', 'The uncommitted row has an earlier time than this response.')
    const dates = [before.date, dateHeaderOf(before.answer), dateHeaderOf(during)]
    const assertBothVisible = async (date: string) => {
      const answer = await since(path, date)
      assert.deepEqual([answer.status, answer.body.result?.totalCount], [200, 2])
    }
    for (const date of dates) await assertBothVisible(date)
    await untilLastModified(path)
    for (const date of dates) await assertBothVisible(date)
  })

  test('gets the record that a slow transaction wrote long before it was committed', async () => {
    const { id } = await workspace.make('organization', { name: 'Before' })
    const path = `/api/organization?id=${id}`
    const before = await untilLastModified(path)
    const direct = await connectDirectly(rest.database)
    await direct.query('begin')
    await direct.query(`update organizations set name = 'After' where id = $1`, [id])
    await direct.query(
      `insert into changes (resource, row_id, action) values ('organization', $1, 'update')`,
      [id],
    )
    await sleep(1100)
    await get(path)
    await sleep(2200)
    const during = await get(path)
    await direct.query('commit')
    await direct.end()
    const dates = [before.date, dateHeaderOf(before.answer), dateHeaderOf(during)]
    const assertChanged = async (date: string) => {
      const answer = await since(path, date)
      assert.deepEqual([answer.status, answer.body.organization?.name], [200, 'After'])
    }
    for (const date of dates) await assertChanged(date)
    await untilLastModified(path)
    for (const date of dates) await assertChanged(date)
  })
})

/** A cached response: its count and one of its dates. */
interface CachedCount {
  readonly date: string
  readonly total: number
}

describe('A conditional request with a date that races with writes', () => {
  const rest = fixture(startRestUnderTest)
  const another = fixture(() => rest.startAnother())
  const workspace = fixture(seed, rest)

  const path = '/api/assignmentTypes?pageSize=1&search=burst'
  const neverCached: CachedCount = { date: new Date(0).toUTCString(), total: -1 }

  /** Sends the request of a client with this cache. Returns the count that it shows, and its new cache. */
  async function requestWith({ date, total }: CachedCount, address: string) {
    const authorization = `Bearer ${rest.administrator.token}`
    const answer = await fetch(address + path, { headers: { authorization, 'if-modified-since': date } })
    const isUnmodified = answer.status === 304
    const shown: number = isUnmodified ? total : (await answer.json()).result.totalCount
    const dates = ['last-modified', 'date'].flatMap((name) => answer.headers.get(name) ?? [])
    const cached = dates.map((sentDate): CachedCount => ({ date: sentDate, total: shown }))
    return { isUnmodified, shown, cached }
  }

  test('never gets a 304 that hides an earlier write, on any instance', async () => {
    const cached: CachedCount[] = []
    let written = 0
    let unmodified = 0
    const check = async (earlier: CachedCount) => {
      for (const address of [rest.address, another.address]) {
        const result = await requestWith(earlier, address)
        assert.equal(result.shown, written, `${result.isUnmodified ? 304 : 200} for ${earlier.date}`)
        cached.push(...result.cached)
        unmodified += Number(result.isUnmodified)
      }
    }
    const checkAll = async () => {
      for (const earlier of [neverCached, ...cached.slice(-12)]) await check(earlier)
    }
    const endAt = Date.now() + 8000
    // On a busy machine, it takes longer until all requests see the same second.
    while (Date.now() < endAt || unmodified === 0) {
      written += 1
      await workspace.make('assignmentType', { name: `Burst ${written}` })
      await checkAll()
      await sleep(written % 4 === 0 ? 2300 : 40)
      await checkAll()
      await checkAll()
    }
  })
})
