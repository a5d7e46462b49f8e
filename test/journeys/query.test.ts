import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { entities, extensionListPathOf, references, resources } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Query, queryScene } from '../support/query-scene.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { slowDownImpediments } from '../support/slow-table.ts'

type Scene = Awaited<ReturnType<typeof queryScene>>

let { rest, workspace, ann, bob, carl, project, other, writeId, drawId, ask, pageOf, idsOf } = {} as Scene
// A scene that is made when the file is loaded is older than its tokens may be when the tests run.
before(async () => {
  ;({ rest, workspace, ann, bob, carl, project, other, writeId, drawId, ask, pageOf, idsOf } =
    await queryScene())
})
after(() => rest.stop())

describe('A query under /ext/query/', { concurrency: 8 }, () => {
  const idsListed = async (path: string, person: Person): Promise<string[]> => {
    const { body } = await person.call('GET', `${path}?pageSize=100`)
    return body.result.data.map(({ id }: { id: string }) => id).sort()
  }

  for (const entity of entities)
    test(`of ${resources[entity].list} returns exactly the rows of their list to every caller`, async () => {
      for (const person of [ann, bob, carl, rest.administrator]) {
        const path = `/ext/query/${resources[entity].list}`
        const plain = await person.call('GET', extensionListPathOf(entity))
        const answer = await person.call('GET', path)
        assert.equal(answer.status, plain.status)
        if (plain.status !== 200) {
          assert.deepEqual(answer.body, plain.body)
          continue
        }
        const ids = await idsOf(resources[entity].list, { pageSize: '2' }, person)
        assert.deepEqual([...ids].sort(), await idsListed(extensionListPathOf(entity), person))
      }
      const [row] = (await pageOf(resources[entity].list, {}, rest.administrator)).data
      const { body } = await rest.administrator.call('GET', `${extensionListPathOf(entity)}?ids=${row.id}`)
      assert.deepEqual(row, body.result.data[0], 'A query and a list return the same row.')
    })

  for (const { entity, column, parent } of references)
    test(`of ${resources[entity].list} expands ${column} for every caller who may see it`, async () => {
      const list = resources[entity].list
      const name = column.replace(/Id$/, '')
      for (const person of [ann, bob, carl, rest.administrator]) {
        const parents = parent === 'user' ? '/ext/people' : extensionListPathOf(parent)
        const { body } = await person.call('GET', `${parents}?pageSize=100`)
        const seen = new Map(body.result.data.map((row: { id: string }) => [row.id, row]))
        for (const row of (await pageOf(list, { expand: name, pageSize: '100' }, person)).data)
          assert.deepEqual(row[name], seen.get(row[column]) ?? null)
      }
    })

  test('returns only the requested fields and the id', async () => {
    const { data } = await pageOf('assignments', {
      filter: "name eq 'Write'",
      fields: 'amountHours, name,project.name',
      expand: 'project',
    })
    const relaunch = { id: project, name: 'Relaunch' }
    assert.deepEqual(data, [{ id: writeId, name: 'Write', amountHours: 4, project: relaunch }])
  })

  test('expands several references in one snapshot', async () => {
    const { data } = await pageOf('appointments', {
      filter: 'userId eq me',
      fields: 'amountHours,assignment.name,assignment.project.name,assignment.project.organization.name',
      expand: 'assignment.project.organization,user',
    })
    const organization = { id: workspace.organizationId, name: 'Lighthouse' }
    const assignment = {
      id: writeId,
      name: 'Write',
      project: { id: project, name: 'Relaunch', organization },
    }
    assert.deepEqual(
      data.map(({ id, ...row }: { id: string }) => row),
      [{ amountHours: 1.25, assignment, user: { id: ann.id, name: 'Ann' } }],
    )
  })

  test('counts the rows of all pages on request', async () => {
    const query = { count: 'true', pageSize: '1', filter: 'amountHours eq 4' }
    const page = await pageOf('assignments', query)
    assert.deepEqual([page.totalCount, page.data.length], [2, 1])
    const next = await pageOf('assignments', { ...query, cursor: page.nextCursor })
    assert.deepEqual([next.totalCount, next.nextCursor], [2, null])
    assert.ok(!('totalCount' in (await pageOf('assignments', { count: 'false' }))))
    assert.equal((await pageOf('assignments', { count: 'true', filter: 'amountHours lt 0' })).totalCount, 0)
  })

  test('rejects the cursor of another query', async () => {
    const query = { sort: '-amountHours', filter: 'amountHours gt 0', pageSize: '1' }
    const { nextCursor: cursor } = await pageOf('assignments', query)
    assert.equal((await ask('assignments', { ...query, cursor, pageSize: '2', fields: 'name' })).status, 200)
    const [position = '', check = ''] = cursor.split('.')
    const forged = Buffer.from('[1,"x"]').toString('base64url')
    const wrong: readonly Query[] = [
      { ...query, sort: 'amountHours' },
      { ...query, filter: 'amountHours gt 1' },
      { ...query, cursor: `${position}.` },
      { ...query, cursor: `${position}.${check}.${check}` },
      { ...query, cursor: `${forged}.${check}` },
      { ...query, cursor: `${position.slice(0, -2)}.${check}` },
      { ...query, cursor: 'x'.repeat(6001) },
    ]
    for (const changed of wrong) assertEnvelope(await ask('assignments', { cursor, ...changed }), 400)
    const { filter, pageSize } = query
    assertEnvelope(await ask('appointments', { filter, pageSize, sort: query.sort, cursor }), 400)
  })

  test('is rejected as a live listing with the same 400 before the stream starts', async () => {
    const live = await openEventStream(rest.address, '/ext/query/assignments?sort=nam', { token: ann.token })
    assert.equal(live.status, 400)
    assert.ok('sort' in JSON.parse(live.rejection).errors)
  })
})

/** These tests change or lock rows that the tests above compare, so they run after them. */
describe('A query during writes of other users', () => {
  test('reveals nothing about a user who shares no project with the reader', async () => {
    const [dora, emil] = [await rest.signUp({ name: 'Dora' }), await rest.signUp({ name: 'Emil' })]
    const shared = await workspace.project('Shared', dora)
    const memberships = await Promise.all([emil.id, ann.id].map((id) => workspace.join(shared, id)))
    const assignment = await workspace.assignment(shared, emil.id, { name: 'Left' })
    const query = { filter: `id eq '${assignment}'`, expand: 'user', fields: 'user.name,name' }
    const userOf = async (person: Person) => (await pageOf('assignments', query, person)).data[0].user
    assert.deepEqual(await userOf(dora), { id: emil.id, name: 'Emil' })
    await workspace.write('DELETE', '/api/userProject', { ids: [memberships[0]] })
    assert.equal(await userOf(dora), null)
    assert.deepEqual(await userOf(rest.administrator), { id: emil.id, name: 'Emil' })
    await workspace.make('comment', { text: 'Bye', assignmentId: assignment, userId: ann.id }, ann)
    await workspace.write('DELETE', '/api/userProject', { ids: [memberships[1]] })
    const comments = await pageOf(
      'comments',
      { filter: `assignmentId eq '${assignment}'`, expand: 'user' },
      dora,
    )
    assert.equal(comments.data[0].user, null)
  })

  test('can be a live listing, and reports changes of expanded rows', async () => {
    await using live = await openEventStream(
      rest.address,
      `/ext/query/assignments?${new URLSearchParams({ filter: "name eq 'Draw'", expand: 'project,user', fields: 'name,project.name,user.name' })}`,
      { token: bob.token },
    )
    const row = { id: drawId, name: 'Draw', project: { id: project, name: 'Relaunch' } }
    const first = { ...row, user: { id: bob.id, name: 'Bob' } }
    assert.deepEqual((await live.next()).data, { result: { data: [first], nextCursor: null } })
    await workspace.write('PATCH', '/api/me', { name: 'Rob' }, bob)
    const { data } = await live.next()
    assert.deepEqual(data.result.data, [{ ...row, user: { id: bob.id, name: 'Rob' } }])
  })

  test('has an ETag that changes with the expanded rows', async () => {
    const path = `/ext/query/assignments?${new URLSearchParams({ filter: "name eq 'Hidden'", expand: 'project' })}`
    const tag = (await carl.call('GET', path)).headers.get('etag') ?? ''
    const readIfChanged = () => carl.call('GET', path, undefined, { 'if-none-match': tag })
    assert.equal((await readIfChanged()).status, 304)
    const { organizationId } = workspace
    await workspace.write('PATCH', '/api/project', { id: other, name: 'Renamed', organizationId })
    assert.equal((await readIfChanged()).status, 200)
  })

  test('that takes too long is stopped with 503 and advice', async () => {
    const { release } = await slowDownImpediments(rest.database)
    try {
      const answer = await ask('impediments', { filter: "name contains 'a'" })
      assertEnvelope(answer, 503)
      assert.match(answer.body.errors.filter[0], /^The query of impediments took longer than 2\.5 seconds/)
    } finally {
      await release()
    }
  })
})

describe('A query under /ext/query/', { concurrency: 8 }, () => {
  const namesOf = async (query: Query, person?: Person): Promise<string[]> =>
    (await pageOf('assignments', query, person)).data.map(({ name }: { name: string }) => name)

  for (const [filter, names] of [
    ["name eq 'Write'", ['Write']],
    ["name eq 'write'", []],
    ["name ne 'Write'", ['Draw', "Pack 'em", 'Print']],
    ["name contains 'RI'", ['Print', 'Write']],
    ["name startsWith 'p'", ["Pack 'em", 'Print']],
    ["name eq 'Pack ''em'", ["Pack 'em"]],
    ["name in ('Draw','Print','Nothing')", ['Draw', 'Print']],
    ["description contains '100%'", ['Write']],
    ["description contains '1_0%'", []],
    ['description eq null', ['Draw', "Pack 'em", 'Print']],
    ['description ne null', ['Write']],
    ["description ne 'x'", ['Draw', "Pack 'em", 'Print', 'Write']],
    ["not description contains 'plan'", ['Draw', "Pack 'em", 'Print']],
    ['amountHours gt 4', ["Pack 'em"]],
    ['amountHours ge 4', ["Pack 'em", 'Print', 'Write']],
    ['amountHours in (2.5, 12)', ['Draw', "Pack 'em"]],
    ['amountHours lt -1', []],
    ["startDate ge '2026-01-06' and startDate lt '2026-02-01'", ['Draw']],
    ["endDate gt '2026-02-03T00:00:00+01:00'", ["Pack 'em", 'Print']],
    ['userId eq me', ["Pack 'em", 'Write']],
    ['not userId eq me', ['Draw', 'Print']],
    ["userId eq me and amountHours gt 4 or name eq 'Draw'", ['Draw', "Pack 'em"]],
    ["userId eq me and (amountHours gt 4 or name eq 'Draw')", ["Pack 'em"]],
    ['not (userId eq me or not amountHours eq 4)', ['Print']],
    ["  name   eq\t'Write'  ", ['Write']],
  ] as const)
    test(`filters by ${filter}`, async () => {
      assert.deepEqual(await namesOf({ filter, sort: 'name' }), names)
    })

  test('filters by an id, by a reference, and by the time of creation', async () => {
    assert.deepEqual(await namesOf({ filter: `id eq '${writeId.toUpperCase()}'` }), ['Write'])
    assert.deepEqual(
      await namesOf({ filter: `projectId eq '${other}'` }),
      [],
      'Ann is no member of this project.',
    )
    assert.deepEqual(await namesOf({ filter: `projectId eq '${other}'` }, carl), ['Hidden'])
    assert.deepEqual(await namesOf({ filter: "createdAt lt '2020-01-01'" }), [])
    assert.deepEqual(await namesOf({ filter: 'updatedAt ne null' }), ['Draw'])
  })

  test('sorts by several fields, each in its own direction', async () => {
    assert.deepEqual(await namesOf({ sort: '-amountHours,name' }), ["Pack 'em", 'Print', 'Write', 'Draw'])
    assert.deepEqual(await namesOf({ sort: 'amountHours,-name' }), ['Draw', 'Write', 'Print', "Pack 'em"])
  })

  for (const sort of [
    'id',
    '-id',
    'name',
    '-amountHours,name',
    'amountHours,-startDate',
    'updatedAt,-name',
    '-updatedAt',
  ])
    test(`returns page after page in the order of ${sort}`, async () => {
      const whole = (await pageOf('assignments', { sort, pageSize: '100' })).data
      const ids = whole.map(({ id }: { id: string }) => id)
      assert.equal(ids.length, 4)
      for (const pageSize of ['1', '2', '3'])
        assert.deepEqual(await idsOf('assignments', { sort, pageSize }, ann), ids)
    })
})

/** The number of rows that do not change while the reader pages. */
const stableCount = 60
const pageSize = 7

describe('A reader who pages by cursor during concurrent writes', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  let stableIds: readonly string[]
  const token = () => rest.administrator.token
  const impediment = (method: string, body: object, path = '/api/impediment') =>
    workspace.write(method, path, body as Readonly<Record<string, unknown>>)
  const make = async (name: string): Promise<string> => (await workspace.make('impediment', { name })).id

  before(async () => {
    stableIds = await Promise.all(
      Array.from({ length: stableCount }, (_, index) => make(`Stays ${index % 9}`)),
    )
  })

  /** Writes rows that sort before, between and after the stable rows. Returns the number of writes. */
  async function writeUntil(isDone: () => boolean): Promise<number> {
    let writes = 0
    for (let round = 0; !isDone(); round += 1) {
      const id = await make(`Stays ${round % 9}`)
      await impediment('PATCH', { id, name: `Stays ${(round + 4) % 9}` })
      await impediment('DELETE', { ids: [id] })
      if (round % 2 === 0) await impediment('POST', { ids: [id] }, '/api/impediment/restore')
      writes += 4
    }
    return writes
  }

  async function readAllPages(sort: string): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const query: Record<string, string> = { sort, pageSize: String(pageSize), fields: 'name' }
      if (cursor !== null) query.cursor = cursor
      const path = `/ext/query/impediments?${new URLSearchParams(query)}`
      const { status, body } = await rest.call('GET', path, { token: token() })
      assert.equal(status, 200, JSON.stringify(body))
      ids.push(...body.result.data.map(({ id }: { id: string }) => id))
      cursor = body.result.nextCursor
    } while (cursor !== null && ids.length < 10_000)
    return ids
  }

  for (const sort of ['id', '-createdAt', 'name,-createdAt', '-name', 'updatedAt,name'])
    test(`in the order of ${sort}, gets every row that existed all the time exactly once`, async () => {
      let isDone = false
      const writers = Array.from({ length: 4 }, () => writeUntil(() => isDone))
      const readings: string[][] = []
      try {
        for (let count = 0; count < 3; count += 1) readings.push(await readAllPages(sort))
      } finally {
        isDone = true
        await Promise.allSettled(writers)
      }
      const writes = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0)
      assert.ok(writes > 10, `${writes} writes`)
      for (const ids of readings) {
        const stableIdsRead = ids.filter((id) => stableIds.includes(id))
        assert.equal(new Set(stableIdsRead).size, stableCount, 'No stable row is skipped.')
        assert.equal(stableIdsRead.length, stableCount, 'No stable row is repeated.')
        if (sort === 'id' || sort === '-createdAt')
          assert.equal(new Set(ids).size, ids.length, 'No row is repeated if its sort key cannot change.')
      }
    })
})

describe('A saved view', { concurrency: 8 }, () => {
  const save = async (by: Person, body: object): Promise<string> =>
    (await workspace.make('savedView', { name: 'Mine', list: 'assignments', userId: by.id, ...body }, by)).id
  const share = async (by: Person, body: object): Promise<string> => {
    const whole = { name: 'Ours', list: 'assignments', userId: by.id, projectId: project, ...body }
    return (await workspace.make('projectView', whole, by)).id
  }
  const rowsOf = async (view: string, by: Person, query = {}) =>
    (await pageOf('assignments', { view, ...query }, by)).data
  const namesOf = async (view: string, by: Person, query = {}): Promise<string[]> =>
    (await rowsOf(view, by, query)).map(({ name }: { name: string }) => name)
  const unseen = { view: ['There is no such view, or you may not see it.'] }

  test('can be queried by its id', async () => {
    const view = await save(ann, { filter: 'amountHours ge 4', sort: '-amountHours,name', fields: 'name' })
    assert.deepEqual(await namesOf(view, ann), ["Pack 'em", 'Print', 'Write'])
    assert.deepEqual(Object.keys((await rowsOf(view, ann))[0]).sort(), ['id', 'name'])
    const { nextCursor: cursor } = await pageOf('assignments', { view, pageSize: '2' }, ann)
    assert.deepEqual(await namesOf(view, ann, { cursor }), ['Write'])
  })

  test('is overridden by the parameters of the request', async () => {
    const view = await save(ann, { filter: 'amountHours ge 4', sort: '-name', expand: 'project' })
    assert.deepEqual(await namesOf(view, ann, { filter: "name eq 'Draw'" }), ['Draw'])
    assert.deepEqual(await namesOf(view, ann, { sort: 'name' }), ["Pack 'em", 'Print', 'Write'])
    assert.equal((await rowsOf(view, ann))[0].project.name, 'Relaunch')
  })

  test('is visible only to its owner and administrators', async () => {
    const view = await save(ann, { filter: 'userId eq me' })
    for (const person of [bob, carl]) {
      const answer = await ask('assignments', { view }, person)
      assertEnvelope(answer, 400)
      assert.deepEqual(answer.body.errors, unseen)
      const found = await person.call('GET', `/ext/savedViews?ids=${view}`)
      assert.equal(found.body.result.totalCount, 0)
    }
    assert.equal((await ask('assignments', { view }, rest.administrator)).status, 200)
    const listed = await ann.call('GET', '/ext/savedViews?pageSize=100')
    assert.ok(listed.body.result.data.every(({ userId }: { userId: string }) => userId === ann.id))
  })

  test('of a project is for its members, who get only rows that they can see themselves', async () => {
    const view = await share(ann, { filter: 'userId eq me', sort: 'name' })
    assert.deepEqual(await namesOf(view, ann), ["Pack 'em", 'Write'])
    assert.deepEqual(await namesOf(view, bob), ['Draw', 'Print'])
    assert.deepEqual((await ask('assignments', { view }, carl)).body.errors, unseen)
    const otherView = await share(carl, { projectId: other })
    assert.deepEqual((await ask('assignments', { view: otherView }, ann)).body.errors, unseen)
  })

  test('is removed and restored with its project', async () => {
    const shared = await workspace.project('Going', ann)
    const view = await share(ann, { projectId: shared })
    await workspace.write('DELETE', '/api/project', { ids: [shared] })
    assert.deepEqual((await ask('assignments', { view }, ann)).body.errors, unseen)
    await workspace.write('POST', '/api/project/restore', { ids: [shared] }, ann)
    assert.equal((await ask('assignments', { view }, ann)).status, 200)
    await workspace.write('DELETE', '/ext/projectView', { ids: [view] }, ann)
    assert.deepEqual((await ask('assignments', { view }, ann)).body.errors, unseen)
  })

  test('that is invalid is rejected where it is used', async () => {
    const view = await save(ann, { filter: 'hours gt 4', sort: 'size' })
    const { errors } = (await ask('assignments', { view })).body
    assert.match(errors.filter[0], /^Filter: At character 1: assignments cannot be filtered by hours/)
    assert.match(errors.sort[0], /^Assignments cannot be sorted by size/)
    const appointments = await save(ann, { list: 'appointments' })
    assert.deepEqual((await ask('assignments', { view: appointments })).body.errors, {
      view: ['View is for appointments, not for assignments.'],
    })
    assert.deepEqual((await ask('assignments', { view: 'mine' })).body.errors, {
      view: ['View must be a UUID.'],
    })
    const twice = `/ext/query/assignments?view=${view}&view=${view}`
    assertEnvelope(await ann.call('GET', twice), 400)
  })

  test('changes the ETag of its result when it changes', async () => {
    const view = await save(ann, { filter: "name eq 'Draw'" })
    const path = `/ext/query/assignments?view=${view}`
    const tag = (await ann.call('GET', path)).headers.get('etag') ?? ''
    const readIfChanged = () => ann.call('GET', path, undefined, { 'if-none-match': tag })
    assert.equal((await readIfChanged()).status, 304)
    const body = { id: view, name: 'Mine', list: 'assignments', userId: ann.id, filter: "name eq 'Print'" }
    await workspace.write('PATCH', '/ext/savedView', body, ann)
    assert.equal((await readIfChanged()).status, 200)
  })
})
