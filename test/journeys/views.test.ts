import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { queryScene } from '../support/query-scene.ts'
import type { Person } from '../support/rest-host.ts'

const { rest, workspace, ann, bob, carl, project, other, ask, pageOf } = await queryScene()
after(() => rest.stop())

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
  const unseen = { view: ['View is none that you may see.'] }

  test('is a query by its id, with pages and cursors of its own', async () => {
    const view = await save(ann, { filter: 'amountHours ge 4', sort: '-amountHours,name', fields: 'name' })
    assert.deepEqual(await namesOf(view, ann), ["Pack 'em", 'Print', 'Write'])
    assert.deepEqual(Object.keys((await rowsOf(view, ann))[0]).sort(), ['id', 'name'])
    const { nextCursor: cursor } = await pageOf('assignments', { view, pageSize: '2' }, ann)
    assert.deepEqual(await namesOf(view, ann, { cursor }), ['Write'])
  })

  test('gives way to what the request says itself', async () => {
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
      const found = await rest.call('GET', `/ext/savedViews?ids=${view}`, { token: person.token })
      assert.equal(found.body.result.totalCount, 0)
    }
    assert.equal((await ask('assignments', { view }, rest.administrator)).status, 200)
    const listed = await rest.call('GET', '/ext/savedViews?pageSize=100', { token: ann.token })
    assert.ok(listed.body.result.data.every(({ userId }: { userId: string }) => userId === ann.id))
  })

  test('of a project is for its members, each of whom sees by it what they may see themselves', async () => {
    const view = await share(ann, { filter: 'userId eq me', sort: 'name' })
    assert.deepEqual(await namesOf(view, ann), ["Pack 'em", 'Write'])
    assert.deepEqual(await namesOf(view, bob), ['Draw', 'Print'])
    assert.deepEqual((await ask('assignments', { view }, carl)).body.errors, unseen)
    const elsewhere = await share(carl, { projectId: other })
    assert.deepEqual((await ask('assignments', { view: elsewhere }, ann)).body.errors, unseen)
  })

  test('goes with its project and comes back with it, and is gone when it is removed', async () => {
    const shared = await workspace.project('Going', ann)
    const view = await share(ann, { projectId: shared })
    await workspace.write('DELETE', '/api/project', { ids: [shared] })
    assert.deepEqual((await ask('assignments', { view }, ann)).body.errors, unseen)
    await workspace.write('POST', '/api/project/restore', { ids: [shared] }, ann)
    assert.equal((await ask('assignments', { view }, ann)).status, 200)
    await workspace.write('DELETE', '/ext/projectView', { ids: [view] }, ann)
    assert.deepEqual((await ask('assignments', { view }, ann)).body.errors, unseen)
  })

  test('that cannot be meant is rejected where it is used, by name', async () => {
    const view = await save(ann, { filter: 'hours gt 4', sort: 'size' })
    const { errors } = (await ask('assignments', { view })).body
    assert.match(errors.filter[0], /^Filter: hours at character 1 is no field/)
    assert.match(errors.sort[0], /^size is no field/)
    const appointments = await save(ann, { list: 'appointments' })
    assert.deepEqual((await ask('assignments', { view: appointments })).body.errors, {
      view: ['View is one of appointments, not of assignments.'],
    })
    assert.deepEqual((await ask('assignments', { view: 'mine' })).body.errors, {
      view: ['View must be a UUID.'],
    })
    const twice = `/ext/query/assignments?view=${view}&view=${view}`
    assertEnvelope(await rest.call('GET', twice, { token: ann.token }), 400)
  })

  test('has another tag when it was changed', async () => {
    const view = await save(ann, { filter: "name eq 'Draw'" })
    const path = `/ext/query/assignments?view=${view}`
    const tag = (await rest.call('GET', path, { token: ann.token })).headers.get('etag') ?? ''
    const again = () => rest.call('GET', path, { token: ann.token, headers: { 'if-none-match': tag } })
    assert.equal((await again()).status, 304)
    const body = { id: view, name: 'Mine', list: 'assignments', userId: ann.id, filter: "name eq 'Print'" }
    await workspace.write('PATCH', '/ext/savedView', body, ann)
    assert.equal((await again()).status, 200)
  })
})
