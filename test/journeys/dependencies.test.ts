import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertRejected, valuesOf } from '../support/assertions.ts'
import { assignmentCalls } from '../support/assignment-calls.ts'
import { create, statusesOf } from '../support/batches.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

/** An assignment, and the assignment that it waits for. */
type Pair = readonly [waiting: string, blocker: string]

const cycleErrors = {
  blockedById: ['BlockedById already waits for the assignment, directly or through others.'],
}

describe('Dependencies between assignments', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))

  const { batch, bodyOf: assignmentIn, call, listOf } = assignmentCalls(workspace, ann)
  const bodyOf = ([assignmentId, blockedById]: Pair) => ({ assignmentId, blockedById })
  const postDependency = (waiting: string, blocker: string) =>
    call('POST', '/ext/assignmentDependency', bodyOf([waiting, blocker]))
  const makeDependency = async (waiting: string, blocker: string): Promise<string> => {
    const { status, body } = await postDependency(waiting, blocker)
    assert.equal(status, 200, JSON.stringify(body))
    return body.assignmentDependency.id
  }
  const write = (method: string, path: string, id: string | undefined) =>
    workspace.write(method, path, { ids: [id] }, ann)
  const dependenciesOf = async (projectId: string): Promise<Pair[]> => {
    const { data } = await listOf(`/ext/assignmentDependencies?pageSize=100&projectId=${projectId}`)
    return data.map(({ assignmentId, blockedById }: { assignmentId: string; blockedById: string }) => [
      assignmentId,
      blockedById,
    ])
  }
  /** Creates a project with this number of assignments. */
  const makeProject = async (count: number) => {
    const projectId = await workspace.project('Plan', ann)
    // A hundred requests at once for one project would exceed the time of a request on a busy machine.
    const made = await batch(
      Array.from({ length: count }, () => create('assignment', assignmentIn(projectId))),
    )
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return { projectId, tasks: valuesOf(made.body.results, 'id') as [string, string, string, string] }
  }
  const move = async (task: string, projectId: string) => {
    const { body } = await call('GET', `/api/assignment?id=${task}`)
    return call('PATCH', '/api/assignment', { ...body.assignment, projectId })
  }

  test('are listed by the waiting assignment, by the blocking one, and by project', async () => {
    const { projectId, tasks } = await makeProject(3)
    const [a, b, c] = tasks
    const [first, second] = [await makeDependency(a, b), await makeDependency(c, b)]
    const idsOf = async (query: string, by?: Person) =>
      valuesOf((await listOf(`/ext/assignmentDependencies?${query}`, by)).data, 'id')
    assert.deepEqual(await idsOf(`assignmentId=${a}`), [first])
    assert.deepEqual(await idsOf(`blockedById=${b}`), [first, second])
    assert.deepEqual(await idsOf(`projectId=${projectId}&pageSize=1&pageNumber=2`), [second])
    assert.deepEqual(await idsOf(`projectId=${projectId}`, await rest.signUp()), [])
    const { data } = await listOf(
      `/ext/query/assignmentDependencies?filter=assignmentId eq '${a}'&expand=assignment,blockedBy`,
    )
    assert.deepEqual([data[0].assignment.id, data[0].blockedBy.id], [a, b])
    const history = await listOf(`/ext/history?projectId=${projectId}`)
    const ofDependencies = history.data.filter(
      (change: { resource: string }) => change.resource === 'assignmentDependency',
    )
    assert.deepEqual(valuesOf(ofDependencies, 'action'), ['create', 'create'])
  })

  test('have a live listing by project', async () => {
    const { projectId, tasks } = await makeProject(2)
    const [a, b] = tasks
    const path = `/ext/assignmentDependencies?projectId=${projectId}`
    await using reader = await openEventStream(rest.address, path, { token: ann.token })
    const untilCount = (count: number) => reader.nextWhere(({ data }) => data.result.totalCount === count)
    await untilCount(0)
    await makeDependency(a, b)
    await untilCount(1)
    await write('DELETE', '/api/assignment', b)
    await untilCount(0)
    await write('POST', '/api/assignment/restore', b)
    await untilCount(1)
  })

  test('connect two visible assignments of one project, at most once', async () => {
    const { tasks } = await makeProject(3)
    const [a, b, c] = tasks
    const [foreignTask] = (await makeProject(1)).tasks
    const stranger = await rest.signUp()
    const hidden = await workspace.assignment(await workspace.project('Hidden', stranger), stranger.id)
    assertRejected(await postDependency(a, a), 400, {
      blockedById: ['BlockedById must be another assignment.'],
    })
    assertRejected(await postDependency(a, foreignTask), 400, {
      blockedById: ['BlockedById must belong to the same project as AssignmentId.'],
    })
    for (const id of [hidden, randomUUID()])
      assertRejected(await postDependency(a, id), 400, {
        blockedById: ['BlockedById must refer to an active assignment.'],
      })
    const id = await makeDependency(a, b)
    assertRejected(await postDependency(a, b), 409, {
      blockedById: ['The assignment already waits for this one.'],
    })
    const change = { id, ...bodyOf([a, foreignTask]) }
    assert.equal((await call('PATCH', '/ext/assignmentDependency', change)).status, 400)
    assert.equal(
      (await call('PATCH', '/ext/assignmentDependency', { ...change, blockedById: c })).status,
      200,
    )
  })

  test('cannot form a cycle by being created, changed or restored', async () => {
    const { projectId, tasks } = await makeProject(4)
    const [a, b, c, d] = tasks
    await makeDependency(a, b)
    assertRejected(await postDependency(b, a), 400, cycleErrors)
    const last = await makeDependency(b, c)
    assertRejected(await postDependency(c, a), 400, cycleErrors)
    const other = await makeDependency(c, d)
    const change = { id: other, ...bodyOf([c, a]) }
    assertRejected(await call('PATCH', '/ext/assignmentDependency', change), 400, cycleErrors)
    await write('DELETE', '/ext/assignmentDependency', last)
    const closing = await makeDependency(c, a)
    const restoreLast = () => call('POST', '/ext/assignmentDependency/restore', { ids: [last] })
    assertRejected(await restoreLast(), 400, cycleErrors)
    await write('DELETE', '/ext/assignmentDependency', closing)
    assert.equal((await restoreLast()).status, 200)
    // Two ways to the same assignment are no cycle.
    await makeDependency(a, c)
    assert.equal((await dependenciesOf(projectId)).length, 4)
  })

  for (const size of [2, 3, 6])
    test(`cannot form a cycle of ${size} if they are created concurrently on two instances`, async () => {
      await using another = await rest.startAnother()
      for (let round = 0; round < 8; round += 1) {
        const { projectId, tasks } = await makeProject(size)
        const pairs = tasks.map((task, index): Pair => [task, tasks[(index + 1) % size] ?? ''])
        const answers = await Promise.all(
          [...pairs, ...pairs].map((pair, index) =>
            send([rest, another][index % 2]?.address ?? '', 'POST', '/ext/assignmentDependency', {
              token: [ann, rest.administrator][Math.floor(index / 2) % 2]?.token,
              body: bodyOf(pair),
            }),
          ),
        )
        const statuses = answers.map(({ status }) => status)
        assert.equal(statuses.filter((status) => status === 200).length, size - 1, statuses.join())
        assert.ok(
          statuses.every((status) => [200, 400, 409].includes(status)),
          statuses.join(),
        )
        assert.equal((await dependenciesOf(projectId)).length, size - 1)
      }
    })

  test('are limited to 50 per waiting assignment', async () => {
    const { tasks } = await makeProject(52)
    const [first, ...others] = tasks
    const items = others.map((blocker) => create('assignmentDependency', bodyOf([first, blocker])))
    const answer = await batch(items, 'eachForItself')
    assert.deepEqual(statusesOf(answer), [...Array(50).fill(200), 400])
    assert.deepEqual(answer.body.results[50].errors, {
      generalErrors: ['An assignment may wait for at most 50 others.'],
    })
    const { tasks: waiting } = await makeProject(52)
    const toLast = waiting.slice(1).map((task) => create('assignmentDependency', bodyOf([task, waiting[0]])))
    assert.equal((await batch(toLast)).status, 200)
  })

  test('form chains of at most 100', async () => {
    const { tasks } = await makeProject(102)
    const links = tasks
      .slice(1)
      .map((task, index) => create('assignmentDependency', bodyOf([task, tasks[index] ?? ''])))
    const tooLong = { blockedById: ['A chain of dependencies may have at most 100 links.'] }
    assert.equal((await batch(links.toReversed())).status, 400)
    const [, ...hundred] = links
    assert.equal((await batch(hundred.toReversed())).status, 200)
    assertRejected(await postDependency(tasks[1], tasks[0]), 400, tooLong)
    const [more] = (await makeProject(1)).tasks
    assert.equal((await postDependency(tasks[1], more)).status, 400)
  })

  test('of a batch that form a cycle are rejected: all of them, or with eachForItself the last', async () => {
    const { projectId, tasks } = await makeProject(3)
    const [a, b, c] = tasks
    const pairs: readonly Pair[] = [
      [a, b],
      [b, c],
      [c, a],
    ]
    const items = pairs.map((pair) => create('assignmentDependency', bodyOf(pair)))
    const together = await batch(items)
    assert.equal(together.status, 400)
    assert.deepEqual(await dependenciesOf(projectId), [])
    const answer = await batch(items, 'eachForItself')
    assert.deepEqual(statusesOf(answer), [200, 200, 400])
    assert.deepEqual(answer.body.results[2].errors, cycleErrors)
  })

  test('are removed with either assignment', async () => {
    const { projectId, tasks } = await makeProject(3)
    const [a, b, c] = tasks
    await makeDependency(a, b)
    await makeDependency(b, c)
    const both = await dependenciesOf(projectId)
    await workspace.write('DELETE', '/api/assignment', { ids: [b, a] }, ann)
    assert.deepEqual(await dependenciesOf(projectId), [])
    await write('POST', '/api/assignment/restore', a)
    assert.deepEqual(await dependenciesOf(projectId), [])
    await write('POST', '/api/assignment/restore', b)
    assert.deepEqual(await dependenciesOf(projectId), both)
    // The assignments are removed and restored one after the other, in either order.
    await write('DELETE', '/api/assignment', b)
    await write('DELETE', '/api/assignment', a)
    await write('POST', '/api/assignment/restore', b)
    assert.deepEqual(await dependenciesOf(projectId), [[b, c]])
    await write('POST', '/api/assignment/restore', a)
    assert.deepEqual(await dependenciesOf(projectId), both)
  })

  test('that would now close a cycle stay removed when their assignment is restored', async () => {
    const { projectId, tasks } = await makeProject(3)
    const [a, b, c] = tasks
    const [below, above] = [await makeDependency(a, b), await makeDependency(c, a)]
    await write('DELETE', '/api/assignment', a)
    const closing = await makeDependency(b, c)
    await write('POST', '/api/assignment/restore', a)
    assert.equal((await call('GET', `/api/assignment?id=${a}`)).status, 200)
    const removed = await listOf(`/ext/removed/assignmentDependencies?projectId=${projectId}`)
    assert.equal(removed.totalCount + (await dependenciesOf(projectId)).length, 3)
    for (const id of valuesOf(removed.data, 'id')) {
      const rejected = await call('POST', '/ext/assignmentDependency/restore', { ids: [id] })
      assertRejected(rejected, 400, cycleErrors)
    }
    await write('DELETE', '/ext/assignmentDependency', closing)
    for (const id of valuesOf(removed.data, 'id'))
      await write('POST', '/ext/assignmentDependency/restore', String(id))
    const ids = valuesOf((await listOf(`/ext/assignmentDependencies?projectId=${projectId}`)).data, 'id')
    assert.deepEqual(ids, [below, above])
  })

  test('are removed when either assignment moves to another project', async () => {
    const { projectId, tasks } = await makeProject(3)
    const [a, b, c] = tasks
    const { projectId: elsewhere } = await makeProject(1)
    await makeDependency(a, b)
    await makeDependency(b, c)
    const staying = await makeDependency(a, c)
    assert.equal((await move(b, elsewhere)).status, 200)
    const ids = valuesOf((await listOf(`/ext/assignmentDependencies?projectId=${projectId}`)).data, 'id')
    assert.deepEqual(ids, [staying])
    assert.deepEqual(await dependenciesOf(elsewhere), [])
    assert.equal((await move(c, elsewhere)).status, 200)
    assert.deepEqual(await dependenciesOf(projectId), [])
    await makeDependency(b, c)
  })
})
