import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { assignmentCalls } from '../support/assignment-calls.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

type Body = Readonly<Record<string, unknown>>

describe('The manual order of a stage', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  let doingId: string
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  before(async () => {
    doingId = (await rest.administrator.call('POST', '/api/workflow', { name: 'In the works', order: 2 }))
      .body.workflow.id
  })

  const { bodyOf, call, write } = assignmentCalls(workspace, ann)
  const makeProject = () => workspace.project('Relaunch', ann)
  const make = async (projectId: string, name: string): Promise<string> =>
    (await write('POST', '/ext/assignment', bodyOf(projectId, { name }))).assignment.id
  const makeAll = async (projectId: string, names: string): Promise<Record<string, string>> => {
    const ids: Record<string, string> = {}
    for (const name of names.split(' ')) ids[name] = await make(projectId, name)
    return ids
  }
  const move = (values: Body, by?: Person) => call('POST', '/ext/assignment/move', values, by)
  const orderOf = async (projectId: string, workflowId = workspace.workflowId): Promise<string> => {
    const query = `projectId=${projectId}&workflowId=${workflowId}&sortColumn=rank&sortOrder=ASC&pageSize=100`
    const { body } = await call('GET', `/ext/assignments?${query}`)
    return body.result.data.map(({ name }: Body) => name).join(' ')
  }

  test('is the order of creation until an assignment is moved before or after another', async () => {
    const project = await makeProject()
    const { Aa, Bb, Cc, Dd } = await makeAll(project, 'Aa Bb Cc Dd')
    assert.equal(await orderOf(project), 'Aa Bb Cc Dd')
    for (const [values, order] of [
      [{ id: Dd, beforeId: Bb }, 'Aa Dd Bb Cc'],
      [{ id: Aa, afterId: Cc }, 'Dd Bb Cc Aa'],
      [{ id: Cc, afterId: null }, 'Cc Dd Bb Aa'],
      [{ id: Dd, beforeId: null }, 'Cc Bb Aa Dd'],
    ] as const) {
      const { body, status } = await move(values)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(await orderOf(project), order)
    }
    await make(project, 'Ee')
    assert.equal(await orderOf(project), 'Cc Bb Aa Dd Ee')
  })

  test('accepts an assignment from another stage at the requested position', async () => {
    const project = await makeProject()
    const { Aa, Bb, Cc } = await makeAll(project, 'Aa Bb Cc')
    await write('POST', '/ext/assignment/move', { id: Aa, workflowId: doingId, afterId: null })
    await write('POST', '/ext/assignment/move', { id: Cc, workflowId: doingId, beforeId: Aa })
    assert.equal(await orderOf(project, doingId), 'Cc Aa')
    assert.equal(await orderOf(project), 'Bb')
    assert.deepEqual((await move({ id: Bb, beforeId: Aa })).body.errors, {
      beforeId: ['BeforeId must refer to an active assignment of the same stage.'],
    })
  })

  test('is kept when an assignment changes', async () => {
    const [project, other] = [await makeProject(), await makeProject()]
    const { Aa, Bb } = await makeAll(project, 'Aa Bb')
    await makeAll(other, 'Cc')
    await write('POST', '/ext/assignment/move', { id: Bb, beforeId: Aa })
    await write('PATCH', '/api/assignment', { ...bodyOf(project), id: Aa, name: 'Ax' })
    assert.equal(await orderOf(project), 'Bb Ax')
    await write('PATCH', '/api/assignment', { ...bodyOf(other), id: Bb, name: 'Bb' })
    assert.equal(await orderOf(other), 'Cc Bb')
  })

  test('has room for any number of moves between the same two assignments', async () => {
    const project = await makeProject()
    const { Aa, Bb, Cc, Dd } = await makeAll(project, 'Aa Bb Cc Dd')
    let [inner, outer] = [Bb, Cc]
    for (let count = 0; count < 700; count += 1) {
      const isOdd = count % 2 === 1
      const position = isOdd ? { afterId: Aa } : { beforeId: outer }
      await write('POST', '/ext/assignment/move', { id: inner, ...position })
      if (isOdd) [inner, outer] = [outer, inner]
    }
    const { body } = await call('GET', `/ext/assignments?projectId=${project}&sortColumn=rank&sortOrder=ASC`)
    const ranks: string[] = body.result.data.map(({ rank }: Body) => rank)
    assert.deepEqual(ranks, [...new Set(ranks)].sort())
    assert.ok(
      ranks.every((rank) => rank.length <= 60),
      ranks.join(),
    )
    assert.equal(body.result.data.at(-1).id, Dd)
  })

  test('has a distinct rank for each assignment', async () => {
    const project = await makeProject()
    const ids = Object.values(await makeAll(project, 'Aa Bb Cc Dd Ee Ff Gg Hh'))
    const [first, second, ...others] = ids
    const movedIds = Array.from({ length: 6 }, () => others).flat()
    const another = await rest.startAnother()
    const bob = await rest.signUp({ name: 'Bob' })
    await write('POST', '/api/userProject', { userId: bob.id, projectId: project })
    const answers = await Promise.all(
      movedIds.map((id, index) =>
        send(index % 2 ? another.address : rest.address, 'POST', '/ext/assignment/move', {
          token: index % 4 < 2 ? ann.token : bob.token,
          body: index % 3 ? { id, afterId: first } : { id, beforeId: second },
        }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const { body } = await call('GET', `/ext/assignments?projectId=${project}&sortColumn=rank&sortOrder=ASC`)
    const data: { id: string; rank: string }[] = body.result.data
    assert.equal(new Set(data.map(({ rank }) => rank)).size, ids.length)
    assert.deepEqual([data[0]?.id, data.at(-1)?.id], [first, second])
  })

  test('is changed by members only, with one neighbour, and with a matching If-Match', async () => {
    const project = await makeProject()
    const { Aa, Bb } = await makeAll(project, 'Aa Bb')
    const eve = await rest.signUp({ name: 'Eve' })
    assert.equal((await move({ id: Aa, afterId: Bb }, eve)).status, 404)
    const errors = { beforeId: ['Either BeforeId or AfterId is required.'] }
    assert.deepEqual((await move({ id: Aa })).body.errors, errors)
    assert.deepEqual((await move({ id: Aa, beforeId: Bb, afterId: Bb })).body.errors, errors)
    assert.deepEqual((await move({ id: Aa, afterId: Aa })).body.errors, {
      afterId: ['AfterId must be another assignment.'],
    })
    const moved = await ann.call(
      'POST',
      '/ext/assignment/move',
      { id: Aa, afterId: Bb },
      { 'if-match': '"another"' },
    )
    assert.equal(moved.status, 412)
  })
})
