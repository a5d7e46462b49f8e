import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { entities, listPathOf, references, resources } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { listen } from '../support/live-events.ts'
import { type Query, queryScene } from '../support/query-scene.ts'
import type { Person } from '../support/rest-host.ts'
import { slowDownImpediments } from '../support/slow-table.ts'

const { rest, workspace, ann, bob, carl, project, other, write, draw, ask, pageOf, idsOf } =
  await queryScene()
after(() => rest.stop())

describe('A query under /ext/query/', { concurrency: 8 }, () => {
  const idsListed = async (path: string, person: Person): Promise<string[]> => {
    const { body } = await rest.call('GET', `${path}?pageSize=100`, { token: person.token })
    return body.result.data.map(({ id }: { id: string }) => id).sort()
  }

  for (const entity of entities)
    test(`of ${resources[entity].list} reads the very rows of their list, no matter who asks`, async () => {
      for (const person of [ann, bob, carl, rest.administrator]) {
        const path = `/ext/query/${resources[entity].list}`
        const plain = await rest.call('GET', listPathOf(entity), { token: person.token })
        const answer = await rest.call('GET', path, { token: person.token })
        assert.equal(answer.status, plain.status)
        if (plain.status !== 200) return assert.deepEqual(answer.body, plain.body)
        const ids = await idsOf(resources[entity].list, { pageSize: '2' }, person)
        assert.deepEqual([...ids].sort(), await idsListed(listPathOf(entity), person))
      }
      const [row] = (await pageOf(resources[entity].list, {}, rest.administrator)).data
      const { body } = await rest.call('GET', `${listPathOf(entity)}?ids=${row.id}`, {
        token: rest.administrator.token,
      })
      assert.deepEqual(row, body.result.data[0], 'and shows them alike')
    })

  for (const { entity, column, parent } of references)
    test(`of ${resources[entity].list} expands ${column} for anyone who may see it`, async () => {
      const list = resources[entity].list
      const name = column.replace(/Id$/, '')
      for (const person of [ann, bob, carl, rest.administrator]) {
        const parents = parent === 'user' ? '/ext/people' : listPathOf(parent)
        const { body } = await rest.call('GET', `${parents}?pageSize=100`, { token: person.token })
        const seen = new Map(body.result.data.map((row: { id: string }) => [row.id, row]))
        for (const row of (await pageOf(list, { expand: name, pageSize: '100' }, person)).data)
          assert.deepEqual(row[name], seen.get(row[column]) ?? null)
      }
    })

  test('shows only the fields that were chosen, and the id', async () => {
    const { data } = await pageOf('assignments', {
      filter: "name eq 'Write'",
      fields: 'amountHours, name,project.name',
      expand: 'project',
    })
    const relaunch = { id: project, name: 'Relaunch' }
    assert.deepEqual(data, [{ id: write, name: 'Write', amountHours: 4, project: relaunch }])
  })

  test('expands over several references, of one snapshot', async () => {
    const { data } = await pageOf('appointments', {
      filter: 'userId eq me',
      fields: 'amountHours,assignment.name,assignment.project.name,assignment.project.organization.name',
      expand: 'assignment.project.organization,user',
    })
    const organization = { id: workspace.organizationId, name: 'Lighthouse' }
    const assignment = { id: write, name: 'Write', project: { id: project, name: 'Relaunch', organization } }
    assert.deepEqual(
      data.map(({ id, ...row }: { id: string }) => row),
      [{ amountHours: 1.25, assignment, user: { id: ann.id, name: 'Ann' } }],
    )
  })

  test('counts the rows of all pages when it is asked to', async () => {
    const page = await pageOf('assignments', { count: 'true', pageSize: '1', filter: 'amountHours eq 4' })
    assert.deepEqual([page.totalCount, page.data.length], [2, 1])
    const next = await pageOf('assignments', {
      ...{ count: 'true', pageSize: '1', filter: 'amountHours eq 4' },
      cursor: page.nextCursor,
    })
    assert.deepEqual([next.totalCount, next.nextCursor], [2, null])
    assert.ok(!('totalCount' in (await pageOf('assignments', { count: 'false' }))))
    assert.equal((await pageOf('assignments', { count: 'true', filter: 'amountHours lt 0' })).totalCount, 0)
  })

  test('rejects the cursor of another query, and a modified one', async () => {
    const query = { sort: '-amountHours', filter: 'amountHours gt 0', pageSize: '1' }
    const { nextCursor: cursor } = await pageOf('assignments', query)
    assert.equal((await ask('assignments', { ...query, cursor, pageSize: '2', fields: 'name' })).status, 200)
    const [place = '', check = ''] = cursor.split('.')
    const forged = Buffer.from('[1,"x"]').toString('base64url')
    const wrong: readonly Query[] = [
      { ...query, sort: 'amountHours' },
      { ...query, filter: 'amountHours gt 1' },
      { ...query, cursor: `${place}.` },
      { ...query, cursor: `${place}.${check}.${check}` },
      { ...query, cursor: `${forged}.${check}` },
      { ...query, cursor: `${place.slice(0, -2)}.${check}` },
      { ...query, cursor: 'x'.repeat(6001) },
    ]
    for (const one of wrong) assertEnvelope(await ask('assignments', { cursor, ...one }), 400)
    const { filter, pageSize } = query
    assertEnvelope(await ask('appointments', { filter, pageSize, sort: query.sort, cursor }), 400)
  })

  test('is rejected as a live listing with the same 400 before the stream starts', async () => {
    const live = await listen(rest.address, '/ext/query/assignments?sort=nam', { token: ann.token })
    assert.equal(live.status, 400)
    assert.ok('sort' in JSON.parse(live.refusal).errors)
  })
})

/** These change or lock what the others compare, so they come after them. */
describe('A query under /ext/query/, when others write,', () => {
  test('shows nothing of a person whom the reader no longer shares a project with, nor of a removed one', async () => {
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

  test('can be watched, and reports changes of expanded rows', async () => {
    const live = await listen(
      rest.address,
      `/ext/query/assignments?${new URLSearchParams({ filter: "name eq 'Draw'", expand: 'project,user', fields: 'name,project.name,user.name' })}`,
      { token: bob.token },
    )
    const row = { id: draw, name: 'Draw', project: { id: project, name: 'Relaunch' } }
    const first = { ...row, user: { id: bob.id, name: 'Bob' } }
    assert.deepEqual((await live.next()).data, { result: { data: [first], nextCursor: null } })
    await workspace.write('PATCH', '/api/me', { name: 'Rob' }, bob)
    const { data } = await live.next()
    assert.deepEqual(data.result.data, [{ ...row, user: { id: bob.id, name: 'Rob' } }])
    live.close()
  })

  test('has a tag that changes with what it expands', async () => {
    const path = `/ext/query/assignments?${new URLSearchParams({ filter: "name eq 'Hidden'", expand: 'project' })}`
    const tag = (await rest.call('GET', path, { token: carl.token })).headers.get('etag') ?? ''
    const again = () => rest.call('GET', path, { token: carl.token, headers: { 'if-none-match': tag } })
    assert.equal((await again()).status, 304)
    await workspace.write('PATCH', '/api/project', {
      ...{ id: other, name: 'Renamed', organizationId: workspace.organizationId },
    })
    assert.equal((await again()).status, 200)
  })

  test('that takes too long is stopped with 503, and says what to do', async () => {
    const { letGo } = await slowDownImpediments(rest.database)
    try {
      const answer = await ask('impediments', { filter: "name contains 'a'" })
      assertEnvelope(answer, 503)
      assert.match(answer.body.errors.filter[0], /^The query of impediments took longer than 2\.5 seconds/)
    } finally {
      await letGo()
    }
  })
})
