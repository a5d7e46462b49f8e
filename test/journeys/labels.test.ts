import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertRejected, valuesOf } from '../support/assertions.ts'
import { assignmentCalls } from '../support/assignment-calls.ts'
import { create, type Item, remove, restore, statusesOf, update } from '../support/batches.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Answer, type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe('Labels', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  const bob = fixture(() => rest.signUp({ name: 'Bob' }))

  const { batch, call, listOf } = assignmentCalls(workspace, ann)
  const postLabel = (projectId: string, name: string, by: Person = ann) =>
    call('POST', '/ext/label', { name, color: 'teal', projectId }, by)
  const idOfNew = async (answer: Promise<Answer>, resource: string): Promise<string> => {
    const { status, body } = await answer
    assert.equal(status, 200, JSON.stringify(body))
    return body[resource].id
  }
  const makeLabel = (projectId: string, name: string) => idOfNew(postLabel(projectId, name), 'label')
  const postLink = (assignmentId: string, labelId: string, by: Person = ann) =>
    call('POST', '/ext/assignmentLabel', { assignmentId, labelId }, by)
  const makeLink = (assignmentId: string, labelId: string) =>
    idOfNew(postLink(assignmentId, labelId), 'assignmentLabel')
  const linksOf = async (assignmentId: string): Promise<string[]> =>
    valuesOf((await listOf(`/ext/assignmentLabels?pageSize=100&assignmentId=${assignmentId}`)).data, 'id')

  describe('of a project', () => {
    test('are created, changed, removed and restored by members only', async () => {
      const projectId = await workspace.project('Shared', ann)
      await workspace.join(projectId, bob.id)
      const outsider = await rest.signUp()
      const { body } = await postLabel(projectId, '  Needs design ')
      const { id } = body.label
      assert.deepEqual(
        [body.label.name, body.label.color, body.label.description, body.label.projectId],
        ['Needs design', 'teal', null, projectId],
      )
      const change = { id, name: 'Designed', color: 'pink', description: 'Drawn.', projectId }
      assert.equal((await call('PATCH', '/ext/label', change, outsider)).status, 404)
      assert.equal((await call('PATCH', '/ext/label', change, bob)).status, 200)
      assert.deepEqual(valuesOf((await listOf(`/ext/labels?projectId=${projectId}`)).data, 'name'), [
        'Designed',
      ])
      assert.deepEqual((await listOf(`/ext/labels?projectId=${projectId}`, outsider)).data, [])
      for (const [method, path] of [
        ['DELETE', '/ext/label'],
        ['POST', '/ext/label/restore'],
      ] as const) {
        assert.equal((await call(method, path, { ids: [id] }, outsider)).status, 404)
        assert.equal((await call(method, path, { ids: [id] }, bob)).status, 200)
      }
      const history = await listOf(`/ext/history?resource=label&id=${id}`)
      assert.deepEqual(valuesOf(history.data, 'action'), ['restore', 'remove', 'update', 'create'])
      assert.deepEqual(history.data[2].before, {
        name: 'Needs design',
        color: 'teal',
        description: null,
        updatedAt: null,
      })
    })

    test('have a name of 1 to 50 characters and one of twelve colors', async () => {
      const projectId = await workspace.project('Named', ann)
      const post = (values: object) =>
        call('POST', '/ext/label', { name: 'A', color: 'red', projectId, ...values })
      assertRejected(await post({ name: 'x'.repeat(51) }), 400, {
        name: ['Name must be at most 50 characters.'],
      })
      assertRejected(await post({ name: ' ' }), 400, { name: ['Name is required.'] })
      assertRejected(await post({ description: 'x'.repeat(501) }), 400, {
        description: ['Description must be at most 500 characters.'],
      })
      for (const color of ['magenta', '#ff0000', 'RED', 5])
        assertRejected(await post({ color }), 400, {
          color: [
            'Color must be one of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown.',
          ],
        })
      assert.equal((await post({ name: '𝄞'.repeat(50), description: 'x'.repeat(500) })).status, 200)
    })

    test('have unique names, without regard to case, until they are removed', async () => {
      const [projectId, other] = await Promise.all([
        workspace.project('One', ann),
        workspace.project('Other', ann),
      ])
      const id = await makeLabel(projectId, 'Größe')
      const taken = { name: ['Name is already used by an active label of the project.'] }
      assertRejected(await postLabel(projectId, ' GRÖßE '), 409, taken)
      await makeLabel(other, 'Größe')
      const second = await makeLabel(projectId, 'Size')
      assertRejected(
        await call('PATCH', '/ext/label', { id: second, name: 'größe', color: 'red', projectId }),
        409,
        taken,
      )
      await workspace.write('DELETE', '/ext/label', { ids: [id] }, ann)
      await workspace.write(
        'PATCH',
        '/ext/label',
        { id: second, name: 'größe', color: 'red', description: null, projectId },
        ann,
      )
      assertRejected(await call('POST', '/ext/label/restore', { ids: [id] }), 409, taken)
    })

    test('are created once if ten requests for one name are concurrent', async () => {
      const projectId = await workspace.project('Raced', ann)
      const answers = await Promise.all(times(10, (index) => postLabel(projectId, index % 2 ? 'bug' : 'BUG')))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
    })

    test('are at most 200, even if they are created concurrently', async () => {
      const projectId = await workspace.project('Full', ann)
      const items = times(195, (index) => create('label', { name: `L ${index}`, color: 'gray', projectId }))
      assert.equal((await batch(items)).status, 200)
      const answers = await Promise.all(times(12, (index) => postLabel(projectId, `More ${index}`)))
      const rejected = answers.filter(({ status }) => status !== 200)
      assert.equal(rejected.length, 7)
      for (const answer of rejected)
        assertRejected(answer, 400, { generalErrors: ['A project may have at most 200 labels.'] })
      assert.equal((await listOf(`/ext/labels?projectId=${projectId}`)).totalCount, 200)
      const [first] = (await listOf(`/ext/labels?projectId=${projectId}`)).data
      await workspace.write('DELETE', '/ext/label', { ids: [first.id] }, ann)
      await makeLabel(projectId, 'In its place')
      assertRejected(await call('POST', '/ext/label/restore', { ids: [first.id] }), 400, {
        generalErrors: ['A project may have at most 200 labels.'],
      })
    })
  })

  describe('on assignments', () => {
    const makeScene = async () => {
      const [from, to] = await Promise.all([workspace.project('From', ann), workspace.project('To', ann)])
      const [task, bug, other] = await Promise.all([
        workspace.assignment(from, ann.id),
        makeLabel(from, 'Bug'),
        makeLabel(to, 'Bug'),
      ])
      const move = async (projectId: string, by: Person = ann) => {
        const { body } = await call('GET', `/api/assignment?id=${task}`)
        return call('PATCH', '/api/assignment', { ...body.assignment, projectId }, by)
      }
      return { from, to, task, bug, other, move }
    }

    test('must belong to the project of the assignment', async () => {
      const { task, other } = await makeScene()
      assertRejected(await postLink(task, other), 400, {
        labelId: ['LabelId must belong to the same project as AssignmentId.'],
      })
      assert.deepEqual(await linksOf(task), [])
    })

    test('of projects that the caller cannot see are reported as missing', async () => {
      const [mine, theirs] = await Promise.all([makeScene(), workspace.project('Hidden', bob)])
      const hidden = await idOfNew(postLabel(theirs, 'Secret', bob), 'label')
      const task = await workspace.assignment(theirs, bob.id)
      const nothing = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'
      const missing = { labelId: ['LabelId must refer to an active label.'] }
      for (const labelId of [hidden, nothing])
        assertRejected(await postLink(mine.task, labelId), 400, missing)
      for (const labelId of [hidden, nothing])
        assertRejected(await postLink(task, labelId), 400, {
          ...missing,
          assignmentId: ['AssignmentId must refer to an active assignment.'],
        })
    })

    test('are linked once, even by concurrent requests', async () => {
      const { task, bug } = await makeScene()
      const answers = await Promise.all(times(8, () => postLink(task, bug)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)])
      const rejected = answers.find(({ status }) => status === 409) as Answer
      assertRejected(rejected, 409, { labelId: ['The assignment already has this label.'] })
      const [id] = await linksOf(task)
      await workspace.write('DELETE', '/ext/assignmentLabel', { ids: [id] }, ann)
      await makeLink(task, bug)
      assert.equal((await call('POST', '/ext/assignmentLabel/restore', { ids: [id] })).status, 409)
    })

    test('are at most 20, even if they are added concurrently', async () => {
      const { from, task } = await makeScene()
      const labels = await Promise.all(times(25, (index) => makeLabel(from, `L ${index}`)))
      const answers = await Promise.all(
        labels.map((id, index) => postLink(task, id, index % 2 ? ann : rest.administrator)),
      )
      const rejected = answers.filter(({ status }) => status !== 200)
      assert.equal(rejected.length, 5)
      for (const answer of rejected)
        assertRejected(answer, 400, { generalErrors: ['An assignment may have at most 20 labels.'] })
      assert.equal((await linksOf(task)).length, 20)
    })

    test('are listed by assignment, by label and by project, in pages', async () => {
      const { from, to, task, bug, other } = await makeScene()
      const second = await workspace.assignment(from, ann.id)
      const otherAssignment = await workspace.assignment(to, ann.id)
      const [firstLink, secondLink] = [await makeLink(task, bug), await makeLink(second, bug)]
      const thirdLink = await makeLink(otherAssignment, other)
      const idsOf = async (query: string, by?: Person) =>
        valuesOf((await listOf(`/ext/assignmentLabels?${query}`, by)).data, 'id')
      assert.deepEqual(await idsOf(`assignmentId=${task}`), [firstLink])
      assert.deepEqual(await idsOf(`labelId=${bug}`), [firstLink, secondLink])
      assert.deepEqual(await idsOf(`projectId=${to}`), [thirdLink])
      assert.deepEqual(await idsOf(`projectId=${from}&pageSize=1&pageNumber=2`), [secondLink])
      assert.deepEqual(await idsOf(`projectId=${from}`, rest.administrator), [firstLink, secondLink])
      assert.deepEqual(await idsOf(`projectId=${from}`, bob), [])
      await workspace.write('DELETE', '/ext/assignmentLabel', { ids: [secondLink] }, ann)
      const removed = await listOf(`/ext/removed/assignmentLabels?projectId=${from}`)
      assert.deepEqual(valuesOf(removed.data, 'id'), [secondLink])
      const page = await listOf(`/ext/query/assignmentLabels?filter=assignmentId eq '${task}'&expand=label`)
      assert.deepEqual(
        page.data.map((row: { label: { name: string } }) => row.label.name),
        ['Bug'],
      )
      const csv = await call('GET', `/ext/export/assignmentLabels?projectId=${from}`)
      assert.equal(csv.body.trim().split('\r\n').length, 2)
    })

    for (const reader of ['a member', 'an administrator'] as const)
      test(`have a live listing by project, for ${reader}`, async () => {
        const { from, to, task, bug, move } = await makeScene()
        const { token } = reader === 'a member' ? ann : rest.administrator
        const path = `/ext/assignmentLabels?projectId=${from}`
        const [ofSource, ofTarget] = await Promise.all([
          openEventStream(rest.address, path, { token }),
          openEventStream(rest.address, path.replace(from, to), { token }),
        ])
        const untilCount = (count: number) =>
          ofSource.nextWhere(({ data }) => data.result.totalCount === count)
        await untilCount(0)
        await makeLink(task, bug)
        await untilCount(1)
        assert.equal((await move(to)).status, 200)
        await untilCount(0)
        ofSource.close()
        ofTarget.close()
        assert.ok(ofTarget.events.every(({ data }) => data.result.totalCount === 0))
      })

    test('are removed when the assignment moves to another project', async () => {
      const { from, to, task, bug, move } = await makeScene()
      const id = await makeLink(task, bug)
      assert.equal((await move(to)).status, 200)
      assert.deepEqual(await linksOf(task), [])
      assert.equal((await call('GET', `/ext/label?id=${bug}`)).status, 200)
      const restoreLink = () => call('POST', '/ext/assignmentLabel/restore', { ids: [id] })
      assertRejected(await restoreLink(), 400, {
        labelId: ['LabelId must belong to the same project as AssignmentId.'],
      })
      assert.equal((await move(from)).status, 200)
      assert.equal((await restoreLink()).status, 200)
      assert.deepEqual(await linksOf(task), [id])
      const history = await listOf(`/ext/history?resource=assignmentLabel&id=${id}`)
      assert.deepEqual(valuesOf(history.data, 'action'), ['restore', 'remove', 'create'])
      const historyOfSource = await listOf(`/ext/history?projectId=${from}`)
      const isRemoval = (change: { resource: string; action: string }) =>
        change.resource === 'assignmentLabel' && change.action === 'remove'
      assert.equal(historyOfSource.data.filter(isRemoval).length, 1)
    })

    test('are kept when the move is rejected, and when the assignment changes within its project', async () => {
      const { from, to, task, bug, move } = await makeScene()
      const hidden = await workspace.project('Hidden', bob)
      await makeLink(task, bug)
      assert.equal((await move(hidden)).status, 403)
      assert.equal((await move(from)).status, 200)
      const { body } = await call('GET', `/api/assignment?id=${task}`)
      const stale = await ann.call(
        'PATCH',
        '/api/assignment',
        { ...body.assignment, projectId: to },
        { 'if-match': '"another"' },
      )
      assert.equal(stale.status, 412)
      assert.equal((await linksOf(task)).length, 1)
    })

    test('are removed when the assignment moves in a batch', async () => {
      const { from, to, task, bug } = await makeScene()
      const others = await Promise.all(times(3, () => workspace.assignment(from, ann.id)))
      for (const id of [task, ...others.slice(0, 2)]) await makeLink(id, bug)
      const bodies = await Promise.all(
        [task, ...others].map(async (id) => (await call('GET', `/api/assignment?id=${id}`)).body.assignment),
      )
      const moves = bodies.map((body, index) =>
        update('assignment', { ...body, projectId: index === 1 ? from : to }),
      )
      assert.deepEqual(statusesOf(await batch(moves)), [200, 200, 200, 200])
      const remaining = await listOf(`/ext/assignmentLabels?labelId=${bug}`)
      assert.deepEqual(valuesOf(remaining.data, 'assignmentId'), [others[0]])
      assert.equal((await listOf(`/api/assignments?projectId=${to}`)).totalCount, 3)
    })

    test('are removed from assignments when the label moves to another project', async () => {
      const { to, task, bug } = await makeScene()
      const id = await makeLink(task, bug)
      const change = { id: bug, name: 'Moved', color: 'red', description: null, projectId: to }
      assert.equal((await call('PATCH', '/ext/label', change)).status, 200)
      assert.deepEqual(await linksOf(task), [])
      const removed = await listOf('/ext/removed/assignmentLabels')
      assert.ok(valuesOf(removed.data, 'id').includes(id))
    })

    test('are not restored with their label if the assignment has moved', async () => {
      const { from, to, task, bug, move } = await makeScene()
      const staying = await workspace.assignment(from, ann.id)
      const [id, other] = [await makeLink(task, bug), await makeLink(staying, bug)]
      await workspace.write('DELETE', '/ext/label', { ids: [bug] }, ann)
      const { headers } = await call('GET', '/ext/removed/assignmentLabels')
      assert.equal((await move(to)).status, 200)
      await workspace.write('POST', '/ext/label/restore', { ids: [bug] }, ann)
      assert.deepEqual([await linksOf(task), await linksOf(staying)], [[], [other]])
      const removed = await ann.call('GET', '/ext/removed/assignmentLabels', undefined, {
        'if-none-match': headers.get('etag') ?? '',
      })
      assert.equal(removed.status, 200)
      assert.ok(valuesOf(removed.body.result.data, 'id').includes(id))
    })

    test('of a removed assignment appear in the live listing when their label moves', async () => {
      const { to, task, bug } = await makeScene()
      const id = await makeLink(task, bug)
      await workspace.write('DELETE', '/api/assignment', { ids: [task] }, ann)
      const path = `/ext/removed/assignmentLabels?labelId=${bug}`
      const reader = await openEventStream(rest.address, path, { token: ann.token })
      assert.deepEqual((await reader.next()).data.result.data, [])
      const change = { id: bug, name: 'Moved', color: 'red', description: null, projectId: to }
      await workspace.write('PATCH', '/ext/label', change, ann)
      assert.deepEqual(valuesOf((await reader.next()).data.result.data, 'id'), [id])
      reader.close()
      await workspace.write('POST', '/api/assignment/restore', { ids: [task] }, ann)
      assert.deepEqual(await linksOf(task), [])
    })

    test('above the limit are not restored with their label', async () => {
      const { from, task, bug } = await makeScene()
      const id = await makeLink(task, bug)
      await workspace.write('DELETE', '/ext/label', { ids: [bug] }, ann)
      for (const labelId of await Promise.all(times(20, (index) => makeLabel(from, `L ${index}`))))
        await makeLink(task, labelId)
      await workspace.write('POST', '/ext/label/restore', { ids: [bug] }, ann)
      assert.equal((await call('GET', `/ext/label?id=${bug}`)).status, 200)
      assert.equal((await linksOf(task)).length, 20)
      const restoreLink = () => call('POST', '/ext/assignmentLabel/restore', { ids: [id] })
      assertRejected(await restoreLink(), 400, {
        generalErrors: ['An assignment may have at most 20 labels.'],
      })
      await workspace.write('DELETE', '/ext/assignmentLabel', { ids: [(await linksOf(task))[0]] }, ann)
      assert.equal((await restoreLink()).status, 200)
    })

    test('never connect two projects', async () => {
      const another = await rest.startAnother()
      for (let round = 0; round < 12; round += 1) {
        const { from, to, task, bug, other, move } = await makeScene()
        await makeLink(task, bug)
        const removed = await makeLabel(from, 'Removed')
        await makeLink(task, removed)
        await workspace.write('DELETE', '/ext/label', { ids: [removed] }, ann)
        const fresh = await Promise.all(times(3, (index) => makeLabel(from, `L ${index}`)))
        const answers = await Promise.all([
          ...fresh.map((id) => postLink(task, id)),
          move(to),
          send(another.address, 'POST', '/ext/assignmentLabel', {
            token: ann.token,
            body: { assignmentId: task, labelId: other },
          }),
          call('POST', '/ext/label/restore', { ids: [removed] }),
          send(another.address, 'PATCH', '/ext/label', {
            token: ann.token,
            body: { id: fresh[0], name: 'Moved', color: 'red', projectId: to },
          }),
        ])
        for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body))
        assert.equal(answers[3]?.status, 200)
      }
      await another.stop()
      const spanning = await rest.database.query(sql`
        select from assignment_labels as link join assignments on assignments.id = link.assignment_id
        join labels on labels.id = link.label_id
        where link.active and assignments.project_id <> labels.project_id`)
      assert.equal(spanning.length, 0)
    })
  })

  test('can be created and linked in one batch together with the assignment and its project', async () => {
    const assignment = {
      name: 'Land',
      startDate: '2026-01-05',
      endDate: '2026-01-09',
      amountHours: 1,
      workflowId: workspace.workflowId,
      assignmentTypeId: workspace.assignmentTypeId,
      userId: ann.id,
    }
    const answer = await batch([
      create('assignmentLabel', { assignmentId: '@task', labelId: '@bug' }),
      create('label', { name: 'Bug', color: 'red', projectId: '@moon' }, 'bug'),
      create('assignment', { ...assignment, projectId: '@moon' }, 'task'),
      create('project', { name: 'Moon', organizationId: workspace.organizationId }, 'moon'),
    ])
    assert.deepEqual(statusesOf(answer), [200, 200, 200, 200])
  })

  test('that exceed the limit together are all rejected', async () => {
    const projectId = await workspace.project('Batch', ann)
    const task = await workspace.assignment(projectId, ann.id)
    const labels = await Promise.all(times(22, (index) => makeLabel(projectId, `L ${index}`)))
    const items = labels.map((labelId) => create('assignmentLabel', { assignmentId: task, labelId }))
    const rejected = await batch(items)
    assert.equal(rejected.status, 400)
    assert.deepEqual(await linksOf(task), [])
    const answer = await batch([...items, items[0] as Item], 'eachForItself')
    assert.deepEqual(statusesOf(answer), [...Array(20).fill(200), 400, 400, 409])
    const links = await linksOf(task)
    const swapped = await batch(
      [remove('assignmentLabel', ...links), restore('assignmentLabel', links[0])],
      'eachForItself',
    )
    assert.deepEqual(statusesOf(swapped), [200, 404])
  })
})
