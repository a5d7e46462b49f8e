import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assignmentCalls } from '../support/assignment-calls.ts'
import { create } from '../support/batches.ts'
import { fixture } from '../support/fixture.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

type Body = Readonly<Record<string, unknown>>

describe('Sub-assignments', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))

  const { bodyOf, call, write } = assignmentCalls(workspace, ann)
  const makeProject = () => workspace.project('Relaunch', ann)
  const make = async (projectId: string, parentId?: string): Promise<string> =>
    (await write('POST', '/ext/assignment', bodyOf(projectId, { parentId }))).assignment.id
  const setParent = (id: string, parentId: string | null) =>
    call('PATCH', '/ext/assignment', { id, parentId })
  const parentOf = async (id: string) =>
    (await call('GET', `/ext/assignment?id=${id}`)).body.assignment.parentId
  const errorsOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body.errors]
  const nested = ['Assignments may be nested at most 3 levels deep, and never within themselves.']

  test('are listed by their parent', async () => {
    const project = await makeProject()
    const parent = await make(project)
    const [first, second] = [await make(project, parent), await make(project)]
    assert.equal((await setParent(second, parent)).status, 200)
    const list = async () =>
      (await call('GET', `/ext/assignments?parentId=${parent}`)).body.result.data
        .map(({ id }: Body) => id)
        .sort()
    assert.deepEqual(await list(), [first, second].sort())
    assert.equal((await setParent(first, null)).status, 200)
    assert.deepEqual(await list(), [second])
    const filter = encodeURIComponent(`id eq '${second}'`)
    const expanded = await call(
      'GET',
      `/ext/query/assignments?filter=${filter}&expand=parent&fields=name,parent.name`,
    )
    assert.equal(expanded.body.result.data[0].parent.name, 'Write', JSON.stringify(expanded.body))
  })

  test('are unknown to v1, which leaves them unchanged', async () => {
    const project = await makeProject()
    const parent = await make(project)
    const child = await make(project, parent)
    const { body } = await call('GET', `/api/assignment?id=${child}`)
    assert.ok(!('parentId' in body.assignment) && !('rank' in body.assignment))
    await write('PATCH', '/api/assignment', { ...bodyOf(project), id: child, name: 'Written' })
    assert.equal(await parentOf(child), parent)
  })

  test('have at most three levels, counted upwards and downwards', async () => {
    const project = await makeProject()
    const first = await make(project)
    const second = await make(project, first)
    const third = await make(project, second)
    assert.deepEqual(errorsOf(await call('POST', '/ext/assignment', bodyOf(project, { parentId: third }))), [
      400,
      { parentId: nested },
    ])
    const above = await make(project)
    assert.deepEqual(errorsOf(await setParent(first, above)), [400, { parentId: nested }])
    assert.equal((await setParent(second, above)).status, 200)
  })

  test('never contain themselves', async () => {
    const project = await makeProject()
    const first = await make(project)
    const second = await make(project, first)
    for (const parent of [first, second])
      assert.deepEqual(errorsOf(await setParent(first, parent)), [400, { parentId: nested }])
  })

  test('form no cycle, even if several are written concurrently', async () => {
    const project = await makeProject()
    for (let round = 0; round < 8; round += 1) {
      const ids = [await make(project), await make(project), await make(project)]
      const answers = await Promise.all(
        ids.map((id, index) => setParent(id, ids[(index + 1) % ids.length] ?? id)),
      )
      assert.ok(answers.every(({ status }) => status === 200 || status === 400))
      const parents = await Promise.all(ids.map(parentOf))
      assert.ok(parents.includes(null), 'The parents form a cycle.')
    }
  })

  test('belong to the project of their parent', async () => {
    const [project, other] = [await makeProject(), await makeProject()]
    const child = await make(project)
    assert.deepEqual(errorsOf(await setParent(child, await make(other))), [
      400,
      { parentId: ['ParentId must belong to the same project as ProjectId.'] },
    ])
    const bob = await rest.signUp({ name: 'Bob' })
    const { organizationId } = workspace
    const { project: foreign } = await write('POST', '/api/project', { name: 'Own', organizationId }, bob)
    const { assignment: hidden } = await write(
      'POST',
      '/api/assignment',
      bodyOf(foreign.id, { userId: bob.id }),
      bob,
    )
    const missing = { parentId: ['ParentId must refer to an active assignment.'] }
    assert.deepEqual(errorsOf(await setParent(child, hidden.id)), [400, missing])
    assert.deepEqual(errorsOf(await setParent(child, '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b59')), [400, missing])
  })

  test('lose their parent and their own sub-assignments when they move to another project', async () => {
    const [project, other] = [await makeProject(), await makeProject()]
    const first = await make(project)
    const second = await make(project, first)
    const third = await make(project, second)
    await write('PATCH', '/api/assignment', { ...bodyOf(other), id: second })
    assert.equal(await parentOf(second), null)
    assert.equal(await parentOf(third), null)
  })

  test('keep a parent that is removed', async () => {
    const project = await makeProject()
    const parent = await make(project)
    const child = await make(project, parent)
    await write('DELETE', '/api/assignment', { ids: [parent] })
    assert.equal(await parentOf(child), parent)
    await write('PATCH', '/api/assignment', { ...bodyOf(project), id: child, name: 'Still there' })
    assert.deepEqual(errorsOf(await setParent(await make(project), parent)), [
      400,
      { parentId: ['ParentId must refer to an active assignment.'] },
    ])
  })

  test('are created with their parents in one batch', async () => {
    const project = await makeProject()
    const ids = Array.from({ length: 3 }, () => crypto.randomUUID())
    const item = (index: number, parent?: number) =>
      create(
        'assignment',
        bodyOf(project, { id: ids[index], parentId: parent === undefined ? null : ids[parent] }),
      )
    const { body, status } = await call('POST', '/ext/batch', {
      items: [item(2, 1), item(1, 0), item(0)],
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(await Promise.all(ids.map(parentOf)), [null, ids[0], ids[1]])
  })

  test('are limited to a hundred for one assignment', async () => {
    const project = await makeProject()
    const parent = await make(project)
    const items = (count: number) =>
      Array.from({ length: count }, () => create('assignment', bodyOf(project, { parentId: parent })))
    assert.equal((await call('POST', '/ext/batch', { items: items(100) })).status, 200)
    assert.deepEqual(errorsOf(await call('POST', '/ext/assignment', bodyOf(project, { parentId: parent }))), [
      400,
      { generalErrors: ['An assignment may have at most 100 sub-assignments.'] },
    ])
  })
})
