import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { colors, isEarlier } from '../../src/model/field-kinds.ts'
import { resources } from '../../src/resources/all.ts'
import { allForms } from '../../src/resources/derived.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { create, type Item } from '../support/batches.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

type Body = Readonly<Record<string, unknown>>

describe('Fields of extensions', { concurrency: 8 }, () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const commands = fixture(startCommandsUnderTest, {}, { alongside: rest })

  const call = (method: string, path: string, body?: Body, headers = {}) =>
    rest.administrator.call(method, path, body, headers)
  const bodyOf = async (projectId?: string): Promise<Body> => ({
    name: 'Write',
    startDate: '2026-01-05T00:00:00Z',
    endDate: '2026-01-09T00:00:00Z',
    amountHours: 4,
    projectId: projectId ?? (await workspace.project()),
    workflowId: workspace.workflowId,
    userId: rest.administrator.id,
    assignmentTypeId: workspace.assignmentTypeId,
  })
  async function make(values: Body = {}, root = '/ext') {
    const { status, body } = await call('POST', `${root}/assignment`, { ...(await bodyOf()), ...values })
    assert.equal(status, 200, JSON.stringify(body))
    return body.assignment
  }
  const read = async (id: string, root = '/ext') =>
    (await call('GET', `${root}/assignment?id=${id}`)).body.assignment

  test('are created, returned and changed under /ext/', async () => {
    const created = await make({ priority: 3 })
    assert.equal(created.priority, 3)
    const { priority, number, parentId, rank, isUnscheduled, isUnassigned, ...v1Fields } = await read(
      created.id,
    )
    assert.deepEqual([priority, number, parentId, rank], [3, 1, null, '0000000001V'])
    assert.deepEqual([isUnscheduled, isUnassigned], [false, false])
    assert.deepEqual(await read(created.id, '/api'), v1Fields)

    const changed = await call('PATCH', '/ext/assignment', { id: created.id, priority: null })
    assert.deepEqual([changed.status, changed.body.assignment.priority], [200, null])
    const { updatedAt, ...rest } = await read(created.id, '/api')
    assert.ok(isEarlier(created.createdAt, updatedAt))
    assert.deepEqual({ ...rest, updatedAt: null }, v1Fields)
  })

  test('are ignored by v1, which neither stores nor clears them', async () => {
    const body = await bodyOf()
    const made = await make({ ...body, priority: 4 }, '/api')
    assert.ok(!('priority' in made))
    assert.equal((await read(made.id)).priority, null)

    const urgent = await make({ ...body, priority: 4 })
    const change = { ...body, id: urgent.id, name: 'Renamed', priority: 1 }
    const updated = await call('PATCH', '/api/assignment', change)
    assert.deepEqual([updated.status, 'priority' in updated.body.assignment], [200, false])
    const { name, priority } = await read(urgent.id)
    assert.deepEqual([name, priority], ['Renamed', 4])
  })

  test('are rejected with one message if their values are invalid', async () => {
    const { id } = await make()
    for (const priority of [0, 5, 1.5, '3', true, {}]) {
      const answer = await call('PATCH', '/ext/assignment', { id, priority })
      assertEnvelope(answer, 400)
      assert.deepEqual(answer.body.errors, { priority: ['Priority must be a whole number from 1 to 4.'] })
    }
  })

  test('are updated under /ext/ by a body with only the changed fields', async () => {
    const made = await make({ description: 'Long', priority: 2 })
    assert.equal((await call('PATCH', '/ext/assignment', { id: made.id, name: 'Short' })).status, 200)
    const { updatedAt: _, ...renamed } = await read(made.id)
    assert.deepEqual({ ...renamed, updatedAt: null }, { ...made, name: 'Short' })
  })

  test('cannot be updated to a blank name, or in a removed row', async () => {
    const made = await make()
    const blank = await call('PATCH', '/ext/assignment', { id: made.id, name: ' ' })
    assert.deepEqual(blank.body.errors, { name: ['Name must not be empty.'] })
    const { id: gone } = await make()
    await call('DELETE', '/ext/assignment', { ids: [gone] })
    assertEnvelope(await call('PATCH', '/ext/assignment', { id: gone, priority: 1 }), 404)
  })

  test('are validated together with stored values', async () => {
    const { id } = await make()
    for (const body of [{ endDate: '2026-01-04T00:00:00Z' }, { startDate: '2026-01-10T00:00:00Z' }]) {
      const answer = await call('PATCH', '/ext/assignment', { id, ...body })
      assertEnvelope(answer, 400)
      assert.deepEqual(answer.body.errors, { endDate: ['End date must be on or after start date.'] })
    }
    assert.equal(
      (await call('PATCH', '/ext/assignment', { id, endDate: '2026-01-05T00:00:00Z' })).status,
      200,
    )
  })

  test('stay consistent if both dates are updated concurrently: no end is before its start', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await make()
      const [start, end] = await Promise.all([
        call('PATCH', '/ext/assignment', { id, startDate: '2026-01-08T00:00:00Z' }),
        call('PATCH', '/ext/assignment', { id, endDate: '2026-01-06T00:00:00Z' }),
      ])
      assert.deepEqual([start.status, end.status].sort(), [200, 400])
    }
  })

  test('sort and filter lists and queries of extensions', async () => {
    const projectId = await workspace.project()
    for (const priority of [2, 4, 1]) await make({ ...(await bodyOf(projectId)), priority })
    const sorted = await call('GET', `/ext/assignments?projectId=${projectId}&sortColumn=priority`)
    const priorities = sorted.body.result.data.map((row: { priority: number }) => row.priority)
    assert.deepEqual(priorities, [1, 2, 4])
    const query = new URLSearchParams({
      filter: `projectId eq '${projectId}' and priority ge 2`,
      sort: '-priority',
      fields: 'priority',
    })
    const found = await call('GET', `/ext/query/assignments?${query}`)
    assert.deepEqual(
      found.body.result.data.map((row: { priority: number }) => row.priority),
      [4, 2],
    )
    const ignored = await call('GET', `/api/assignments?projectId=${projectId}&priority=1`)
    assert.equal(ignored.body.result.totalCount, 3)
    assert.ok(!('priority' in ignored.body.result.data[0]))
  })

  test('appear in live listings under /ext/', async () => {
    const projectId = await workspace.project()
    const { id } = await make({ ...(await bodyOf(projectId)), priority: 1 })
    const { token } = rest.administrator
    const streams = await Promise.all(
      ['/api', '/ext'].map((root) =>
        openEventStream(rest.address, `${root}/assignments?projectId=${projectId}`, { token }),
      ),
    )
    const nextPriorities = () =>
      Promise.all(streams.map(async (stream) => (await stream.next()).data.result.data[0].priority))
    assert.deepEqual(await nextPriorities(), [undefined, 1])
    await call('PATCH', '/ext/assignment', { id, priority: 2 })
    assert.deepEqual(await nextPriorities(), [undefined, 2])
    for (const stream of streams) stream.close()
  })

  test('are in the history, even of rows that v1 created', async () => {
    const { id } = await make({}, '/api')
    await call('PATCH', '/ext/assignment', { id, priority: 3 })
    const { body } = await call('GET', `/ext/history?resource=assignment&id=${id}&sortOrder=ASC`)
    const [created, changed] = body.result.data.toReversed()
    assert.equal(created.after.priority, null)
    assert.deepEqual([changed.before.priority, changed.after.priority], [null, 3])
  })

  test('are returned by concurrent writes under /ext/ only', async () => {
    const rows = await Promise.all(Array.from({ length: 12 }, () => make({ priority: 1 })))
    const answers = await Promise.all(
      rows.map((row, index) => {
        const { priority: _, ...body } = row
        const root = index % 2 === 0 ? '/api' : '/ext'
        return call('PATCH', `${root}/assignment`, { ...body, name: `Row ${index}` })
      }),
    )
    assert.deepEqual(
      answers.map(({ body }) => body.assignment?.priority),
      rows.map((_, index) => (index % 2 === 0 ? undefined : 1)),
    )
  })

  test('are covered by ETags, which are valid in v1, under /ext/ and in batches', async () => {
    const { id } = await make({ priority: 1 })
    const tagOf = async (root: string) =>
      (await call('GET', `${root}/assignment?id=${id}`)).headers.get('etag') ?? ''
    const [contract, extended] = [await tagOf('/api'), await tagOf('/ext')]
    const change = { ...(await bodyOf()), id, name: 'Tagged' }
    const first = await call('PATCH', '/api/assignment', change, { 'if-match': extended })
    assert.equal(first.status, 200)
    assertEnvelope(await call('PATCH', '/ext/assignment', { id, priority: 2 }, { 'if-match': contract }), 412)
    const item = {
      resource: 'assignment',
      operation: 'update',
      ifMatch: first.headers.get('etag'),
      body: { ...change, priority: 4 },
    }
    const batch = await call('POST', '/ext/batch', { items: [item] })
    assert.equal(batch.status, 200, JSON.stringify(batch.body))
    assert.equal((await read(id)).priority, 4)
  })

  test('are in the commands of extensions by gRPC and .NET', async () => {
    const { token } = commands.administrator
    const [calls, dotnet] = [openCommandCalls(commands.target), openDotnetCalls(commands.target)]
    const { id } = await make()
    const changed = await calls.call('UpdateExtAssignment', { id, priority: 2 }, { token })
    assert.deepEqual([changed.result.success, changed.result.assignment.priority], [true, 2])
    const kept = await calls.call('UpdateExtAssignment', { id, name: 'Kept' }, { token })
    assert.equal(kept.result.assignment.priority, 2)
    const mask = { updateMask: { paths: ['priority'] } }
    const cleared = await calls.call('UpdateExtAssignment', { id, ...mask }, { token })
    assert.equal(cleared.result.assignment._priority, undefined)
    assert.equal((await read(id)).priority, null)
    const { result } = await calls.call('GetAssignmentById', { id }, { token })
    assert.ok(!('priority' in result.assignment))

    const update = { Id: id, Priority: 4 }
    const written = await dotnet.call('ExtAssignment', 'UpdateExtAssignmentCommand', update, { token })
    assert.equal(written.result.Assignment.Priority, 4)
    const got = await dotnet.call('Assignment', 'GetAssignmentByIdCommand', { Id: id }, { token })
    assert.ok(!('Priority' in got.result.Assignment))
    calls.close()
    dotnet.close()
  })

  test('can be written by members only', async () => {
    const [member, stranger] = await Promise.all([rest.signUp(), rest.signUp()])
    const projectId = await workspace.project()
    await workspace.join(projectId, member.id)
    const { id } = await make(await bodyOf(projectId))
    const updateAs = ({ token }: { readonly token: string }) =>
      rest.call('PATCH', '/ext/assignment', { token, body: { id, priority: 1 } })
    assert.equal((await updateAs(member)).status, 200)
    assertEnvelope(await updateAs(stranger), 404)
  })

  test('exist for resources of v1 only', () => {
    const names = allForms().map(({ typeName }) => typeName)
    assert.equal(new Set(names).size, names.length)
    for (const { edition, fields } of resources)
      assert.ok(edition === 'v1' || Object.values(fields).every(({ isExtension }) => !isExtension))
  })

  describe('for the stages and colors of a project', () => {
    const addStage = (values: Body, by: Pick<Person, 'token'> = rest.administrator, address = rest.address) =>
      send(address, 'POST', '/ext/projectStage', { token: by.token, body: { order: 1, ...values } })
    const listOf = async (path: string) => (await call('GET', path)).body.result.data

    test('accept twelve colors: for a project by its members, for a stage by administrators', async () => {
      const [member, projectId] = await Promise.all([rest.signUp(), workspace.project()])
      await workspace.join(projectId, member.id)
      const { id: workflowId } = await workspace.make('workflow', { name: 'Review', order: 5 })
      const setColor = (resource: string, id: string, color: unknown) =>
        rest.call('PATCH', `/ext/${resource}`, { token: member.token, body: { id, color } })
      assert.equal((await setColor('project', projectId, 'teal')).body.project.color, 'teal')
      assertEnvelope(await setColor('workflow', workflowId, 'teal'), 403)
      const changed = await call('PATCH', '/ext/workflow', { id: workflowId, color: 'pink' })
      assert.equal(changed.body.workflow.color, 'pink')
      const wrong = await setColor('project', projectId, '#008080')
      assertEnvelope(wrong, 400)
      assert.deepEqual(wrong.body.errors, { color: [`Color must be one of ${colors.join(', ')}.`] })
      assert.equal((await setColor('project', projectId, null)).body.project.color, null)
      for (const [resource, id] of [
        ['project', projectId],
        ['workflow', workflowId],
      ])
        assert.ok(!('color' in (await call('GET', `/api/${resource}?id=${id}`)).body[resource as string]))
    })

    test('include stages that members order', async () => {
      const [member, stranger] = await Promise.all([rest.signUp(), rest.signUp()])
      const projectId = await workspace.project()
      await workspace.join(projectId, member.id)
      const stages = await Promise.all(
        ['One', 'Two'].map((name) => workspace.make('workflow', { name, order: 1 })),
      )
      const [first, second] = stages.map(({ id }) => id)
      assertEnvelope(await addStage({ projectId, workflowId: first }, stranger), 400)
      const { body } = await addStage({ projectId, workflowId: first, order: 2, color: 'green' }, member)
      assert.deepEqual([body.projectStage.order, body.projectStage.color], [2, 'green'])
      assert.equal((await addStage({ projectId, workflowId: second }, member)).body.projectStage.color, null)
      const list = `/ext/projectStages?projectId=${projectId}&sortColumn=order`
      const usedStages = async () => (await listOf(list)).map((row: { workflowId: string }) => row.workflowId)
      assert.deepEqual(await usedStages(), [second, first])
      const unseen = await rest.call('GET', list, { token: stranger.token })
      assert.deepEqual(unseen.body.result.data, [])
      for (const [resource, id, left] of [
        ['workflow', first, [second]],
        ['project', projectId, []],
      ] as const) {
        await call('DELETE', `/api/${resource}`, { ids: [id] })
        assert.deepEqual(await usedStages(), left)
        await call('POST', `/api/${resource}/restore`, { ids: [id] })
        assert.deepEqual(await usedStages(), [second, first])
      }
    })

    test('accept an assignment in a stage that its project does not use, as v1 promises', async () => {
      const projectId = await workspace.project()
      const other = await workspace.make('workflow', { name: 'Elsewhere', order: 9 })
      assert.equal((await addStage({ projectId, workflowId: other.id })).status, 200)
      const { workflowId } = await make(await bodyOf(projectId), '/api')
      assert.equal(workflowId, workspace.workflowId)
    })

    test('include each stage once, even if it is added concurrently on two instances', async () => {
      const another = await rest.startAnother()
      const projectId = await workspace.project()
      const addresses = [rest.address, another.address]
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          addStage({ projectId, workflowId: workspace.workflowId }, undefined, addresses[index % 2]),
        ),
      )
      await another.stop()
      const rejected = answers.filter(({ status }) => status !== 200)
      assert.equal(rejected.length, 7)
      for (const answer of rejected) {
        assertEnvelope(answer, 409)
        assert.deepEqual(answer.body.errors, { workflowId: ['The project already uses this stage.'] })
      }
    })

    test('include at most a hundred stages', async () => {
      const projectId = await workspace.project()
      const ids = Array.from({ length: 101 }, () => randomUUID())
      const batch = (items: readonly Item[]) => call('POST', '/ext/batch', { items })
      const stages = ids.map((id, order) => create('workflow', { id, name: `Stage ${order}`, order }))
      const uses = ids.map((workflowId, order) => create('projectStage', { projectId, workflowId, order }))
      for (const items of [stages.slice(1), stages.slice(0, 1), uses.slice(1)])
        assert.equal((await batch(items)).status, 200)
      const answer = await addStage({ projectId, workflowId: ids[0] })
      assertEnvelope(answer, 400)
      assert.deepEqual(answer.body.errors, { generalErrors: ['A project may use at most 100 stages.'] })
    })
  })
})
