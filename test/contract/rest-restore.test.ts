import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import type { Row } from './driver.ts'
import { onRest } from './every-host.ts'
import { done, idsIn, invalid, pageIn, recordIn, rejected } from './outcomes.ts'
import { a, belongings, type Entity, entities, links, pathOf, references, resources } from './resources.ts'
import type { RestHost } from './rest-driver.ts'

const needsActiveParent = ({ entity, column }: (typeof references)[number]) =>
  !resources[entity].staying.includes(column)

const randomIds = (count: number) => Array.from({ length: count }, () => randomUUID())

const restoreRows =
  (tracker: Pick<RestHost, 'restore' | 'administrator'>) =>
  (entity: Entity, ...rows: readonly Pick<Row, 'id'>[]) =>
    tracker.restore(entity, valuesOf(rows, 'id'), tracker.administrator)

onRest('Restoring', (tracker) => {
  const restore = restoreRows(tracker)
  const remove = (entity: Entity, ...rows: readonly Row[]) => done(tracker.removeRows(entity, ...rows))
  const get = (entity: Entity, { id }: Row) => recordIn(tracker.get(entity, id, tracker.administrator))

  for (const entity of entities) {
    test(`a restored ${entity} is the same as before its removal, its updatedAt included`, async () => {
      const [fresh, updated] = await Promise.all([tracker.make(entity), tracker.make(entity)])
      await done(tracker.update(entity, tracker.change(entity, updated), tracker.administrator))
      const before = await get(entity, updated)
      assert.ok(before.updatedAt)
      await remove(entity, fresh, updated)
      await done(restore(entity, fresh, updated))
      assert.deepEqual(await get(entity, fresh), fresh)
      assert.deepEqual(await get(entity, updated), before)
      const listed = await idsIn(tracker.list(entity, { ids: fresh.id }, tracker.administrator))
      assert.deepEqual(listed, [fresh.id])
    })

    test(`${a(entity)} that is not removed, or does not exist, fails the whole batch`, async () => {
      const [removed, active] = await Promise.all([tracker.makeRemoved(entity), tracker.make(entity)])
      await rejected(restore(entity, active), 'missing')
      await rejected(restore(entity, removed, active), 'missing')
      await rejected(restore(entity, removed, { id: randomUUID() }), 'missing')
      await rejected(tracker.get(entity, removed.id, tracker.administrator), 'missing')
      await done(restore(entity, removed))
      await rejected(restore(entity, removed), 'missing')
    })

    test(`the ids of a restoration of ${entity} are a list of 1 to 100 distinct UUIDs`, async () => {
      const [id] = randomIds(1) as [string]
      for (const ids of [[], randomIds(101), [id, id.toUpperCase()]])
        await invalid(tracker.restore(entity, ids, tracker.administrator), 'ids')
      await rejected(tracker.restore(entity, randomIds(100), tracker.administrator), 'missing')
    })
  }

  test('the ids of a restoration must be a list of distinct UUIDs, in any capitals', async () => {
    const { id } = await tracker.makeRemoved('organization')
    for (const ids of [['none'], [id, id], [id, null], null, id, undefined, {}])
      await invalid(tracker.restore('organization', ids, tracker.administrator), 'ids')
    await done(tracker.restore('organization', [id.toUpperCase()], tracker.administrator))
  })

  for (const { entity, column, parent } of references.filter(needsActiveParent))
    test(`${a(entity)} is rejected under ${column} until its ${parent} is restored`, async () => {
      const above = await tracker.make(parent)
      const [row, other] = await Promise.all([
        tracker.make(entity, { [column]: above.id }),
        tracker.makeRemoved(entity),
      ])
      await remove(entity, row)
      await remove(parent, above)
      await invalid(restore(entity, row), column)
      await invalid(restore(entity, other, row), column)
      await rejected(tracker.get(entity, other.id, tracker.administrator), 'missing')
      await done(restore(parent, above))
      await rejected(tracker.get(entity, row.id, tracker.administrator), 'missing')
      await done(restore(entity, row))
      assert.deepEqual(await get(entity, row), row)
    })

  for (const { entity, column, parent } of references.filter((reference) => !needsActiveParent(reference)))
    test(`${a(entity)} stays when its ${parent} is removed`, async () => {
      const above = await tracker.make(parent)
      const row = await tracker.make(entity, { [column]: above.id })
      await remove(parent, above)
      assert.deepEqual(await get(entity, row), row)
      await remove(entity, row)
      await done(restore(entity, row))
      assert.deepEqual(await get(entity, row), row)
    })

  test('every parent that is removed is reported at once', async () => {
    const [workflow, assignmentType] = await Promise.all([
      tracker.make('workflow'),
      tracker.make('assignmentType'),
    ])
    const task = await tracker.make('assignment', {
      workflowId: workflow.id,
      assignmentTypeId: assignmentType.id,
    })
    await remove('assignment', task)
    await Promise.all([remove('workflow', workflow), remove('assignmentType', assignmentType)])
    await invalid(restore('assignment', task), 'workflowId', 'assignmentTypeId')
  })

  test('the parent of a restored row cannot be removed', async () => {
    const organization = await tracker.make('organization')
    const project = await tracker.make('project', { organizationId: organization.id })
    await remove('project', project)
    await done(restore('project', project))
    await rejected(tracker.remove('organization', [organization.id], tracker.administrator), 'inUse')
  })

  test('an account whose login was taken meanwhile stays removed until the login is free', async () => {
    const user = await tracker.make('user')
    await remove('user', user)
    const other = await tracker.make('user', { login: String(user.login).toUpperCase() })
    await rejected(restore('user', user), 'duplicate')
    await rejected(tracker.get('user', user.id, tracker.administrator), 'missing')
    await remove('user', other)
    await done(restore('user', user))
  })

  test('a login that was taken meanwhile fails the whole batch', async () => {
    const [user, other] = await Promise.all([tracker.make('user'), tracker.make('user')])
    await remove('user', user, other)
    await tracker.make('user', { login: user.login })
    await rejected(restore('user', other, user), 'duplicate')
    await rejected(tracker.get('user', other.id, tracker.administrator), 'missing')
  })

  test('only one of two removed accounts with the same login can be restored', async () => {
    const first = await tracker.makeRemoved('user')
    const second = await tracker.makeRemoved('user', { login: first.login })
    await rejected(restore('user', first, second), 'duplicate')
    await done(restore('user', second))
    await rejected(restore('user', first), 'duplicate')
  })

  test('a restored account may sign in again', async () => {
    const ann = await tracker.signUp()
    await done(tracker.remove('user', [ann.id], tracker.administrator))
    await done(restore('user', ann))
    await done(tracker.list('organization', {}, await tracker.signIn(ann)))
  })

  test('when several callers restore a row at once, one succeeds', async () => {
    const row = await tracker.makeRemoved('organization')
    const answers = await Promise.all([1, 2, 3, 4].map(() => restore('organization', row)))
    assert.equal(answers.filter(({ kinds }) => kinds.includes('ok')).length, 1)
    assert.equal(answers.filter(({ kinds }) => kinds.includes('missing')).length, 3)
  })
})

onRest('Links that are removed and restored with a parent', (tracker) => {
  const remove = (entity: Entity, ...rows: readonly Row[]) => done(tracker.removeRows(entity, ...rows))
  const restore = (entity: Entity, ...rows: readonly Row[]) => done(restoreRows(tracker)(entity, ...rows))

  for (const { parent, link, column, otherColumn } of links) {
    const otherParent = resources[link].references[otherColumn] as Entity
    const scene = async () => {
      const parentRow = await tracker.make(parent)
      const other = await tracker.make(otherParent, tracker.relatedValues(link, parentRow))
      const row = await tracker.make(link, { [column]: parentRow.id, [otherColumn]: other.id })
      const assertRestored = async () =>
        assert.deepEqual(await recordIn(tracker.get(link, row.id, tracker.administrator)), row)
      const assertRemoved = () => rejected(tracker.get(link, row.id, tracker.administrator), 'missing')
      return { parentRow, other, row, assertRestored, assertRemoved }
    }

    test(`${a(link)} that was removed with its ${parent} is restored with it, unchanged`, async () => {
      const { parentRow, assertRestored, assertRemoved } = await scene()
      await remove(parent, parentRow)
      await assertRemoved()
      await restore(parent, parentRow)
      await assertRestored()
    })

    test(`${a(link)} that was removed by itself is not restored with its ${parent}`, async () => {
      const { parentRow, row, assertRestored, assertRemoved } = await scene()
      await remove(link, row)
      await remove(parent, parentRow)
      await restore(parent, parentRow)
      await assertRemoved()
      await restore(link, row)
      await assertRestored()
    })

    test(`${a(link)} that is removed after it was restored with its ${parent} stays removed`, async () => {
      const { parentRow, row, assertRemoved } = await scene()
      await remove(parent, parentRow)
      await restore(parent, parentRow)
      await remove(link, row)
      await remove(parent, parentRow)
      await restore(parent, parentRow)
      await assertRemoved()
    })

    test(`the ${link} of a restored ${parent} stays removed until its ${otherParent} is restored too`, async () => {
      const { parentRow, other, row, assertRestored, assertRemoved } = await scene()
      await remove(parent, parentRow)
      await remove(otherParent, other)
      await restore(parent, parentRow)
      await assertRemoved()
      await rejected(tracker.restore(link, [row.id], tracker.administrator), 'invalid')
      await restore(otherParent, other)
      await assertRestored()
    })

    test(`${a(link)} that was removed with its ${parent} is restored with it, if the ${otherParent} is restored first`, async () => {
      const { parentRow, other, assertRestored, assertRemoved } = await scene()
      await remove(parent, parentRow)
      await remove(otherParent, other)
      await restore(otherParent, other)
      await assertRemoved()
      await restore(parent, parentRow)
      await assertRestored()
    })

    test(`${a(link)} that was removed by itself is not restored with its parents`, async () => {
      const { parentRow, other, row, assertRemoved } = await scene()
      await remove(link, row)
      await remove(parent, parentRow)
      await remove(otherParent, other)
      await restore(parent, parentRow)
      await restore(otherParent, other)
      await assertRemoved()
    })

    test(`restoring several rows of ${parent} restores the ${link} of each`, async () => {
      const [first, second] = await Promise.all([scene(), scene()])
      await remove(parent, first.parentRow, second.parentRow)
      await restore(parent, first.parentRow, second.parentRow)
      await Promise.all([first.assertRestored(), second.assertRestored()])
    })

    test(`restoring one ${parent} leaves the ${link} of another removed`, async () => {
      const [first, second] = await Promise.all([scene(), scene()])
      await remove(parent, first.parentRow, second.parentRow)
      await restore(parent, first.parentRow)
      await first.assertRestored()
      await second.assertRemoved()
    })
  }

  for (const { parent, link, column } of belongings) {
    test(`every ${link} that was removed with its ${parent} is restored with it`, async () => {
      const [first, second] = await Promise.all([tracker.make(parent), tracker.make(parent)])
      const makeLink = ({ id }: Row) => tracker.make(link, { [column]: id })
      const [row, removedBefore, ofSecond] = await Promise.all([
        makeLink(first),
        makeLink(first),
        makeLink(second),
      ])
      await remove(link, removedBefore)
      await remove(parent, first, second)
      for (const removed of [row, removedBefore, ofSecond])
        await rejected(tracker.get(link, removed.id, tracker.administrator), 'missing')
      await rejected(tracker.restore(link, [row.id], tracker.administrator), 'invalid')
      await restore(parent, first)
      assert.deepEqual(await recordIn(tracker.get(link, row.id, tracker.administrator)), row)
      for (const removed of [removedBefore, ofSecond])
        await rejected(tracker.get(link, removed.id, tracker.administrator), 'missing')
      await restore(link, removedBefore)
      assert.deepEqual(
        await recordIn(tracker.get(link, removedBefore.id, tracker.administrator)),
        removedBefore,
      )
    })
  }
})

onRest('Restoring a project', (tracker) => {
  /** Creates a project that Ann removes while she and Bob are its members. Carl was a member before. */
  const scene = async () => {
    const [ann, outsider] = await Promise.all([tracker.signUp(), tracker.signUp()])
    const project = await tracker.make('project', {}, ann)
    const [bob, carl] = await Promise.all([tracker.memberOf(project), tracker.memberOf(project)])
    const membership = { projectId: project.id, userId: carl.id }
    const { data } = await pageIn(tracker.list('userProject', membership, ann))
    await done(tracker.remove('userProject', [data[0]?.id], ann))
    const task = await tracker.make('assignment', { projectId: project.id }, ann)
    await done(tracker.remove('assignment', [task.id], ann))
    await done(tracker.remove('project', [project.id], ann))
    return { ann, bob, carl, outsider, project, task }
  }

  test('a member who lost the membership with the project may restore it', async () => {
    const { bob, carl, project, task } = await scene()
    await rejected(tracker.get('project', project.id, bob), 'missing')
    await done(tracker.restore('project', [project.id], bob))
    assert.deepEqual(await recordIn(tracker.get('project', project.id, bob)), project)
    await rejected(tracker.get('project', project.id, carl), 'missing')
    await done(tracker.restore('assignment', [task.id], bob))
    await done(tracker.get('assignment', task.id, bob))
  })

  test('anyone who had left the project before, or never was in it, cannot restore it', async () => {
    const { carl, outsider, project, task } = await scene()
    for (const person of [carl, outsider]) {
      await rejected(tracker.restore('project', [project.id], person), 'missing')
      await rejected(tracker.restore('assignment', [task.id], person), 'missing')
    }
  })

  test('a member who lost the membership with the project learns why its rows are not restored', async () => {
    const { ann, task } = await scene()
    const { errors } = await rejected(tracker.restore('assignment', [task.id], ann), 'invalid')
    assert.deepEqual(Object.keys(errors), ['projectId'])
  })

  test('a project of other members fails the whole batch', async () => {
    const [{ ann, project }, foreign] = await Promise.all([scene(), tracker.makeRemoved('project')])
    await rejected(tracker.restore('project', [project.id, foreign.id], ann), 'missing')
    await rejected(tracker.get('project', project.id, tracker.administrator), 'missing')
  })
})

/** If-Match for every resource; its other tests are in test/journeys/if-match.test.ts. */
onRest('If-Match', (tracker) => {
  const token = () => tracker.administrator.token
  const read = (entity: Entity, { id }: Pick<Row, 'id'>) =>
    tracker.call('GET', `${pathOf(entity)}?id=${id}`, { token: token() })
  const tagOf = async (entity: Entity, row: Row) => (await read(entity, row)).headers.get('etag') ?? ''
  const update = (entity: Entity, row: Row, tag: string) =>
    tracker.call('PATCH', pathOf(entity), {
      token: token(),
      body: tracker.change(entity, row),
      headers: { 'if-match': tag },
    })
  const remove = (entity: Entity, rows: readonly Row[], tags: readonly string[]) =>
    tracker.call('DELETE', pathOf(entity), {
      token: token(),
      body: { ids: rows.map(({ id }) => id) },
      headers: { 'if-match': tags.join(', ') },
    })

  for (const entity of entities) {
    test(`updates ${a(entity)} if the tag is current`, async () => {
      const row = await tracker.make(entity)
      const tag = await tagOf(entity, row)
      assert.match(tag, /^"[\w-]+"$/)
      assert.equal((await update(entity, row, tag)).status, 200)
      const changed = (await read(entity, row)).body
      assertEnvelope(await update(entity, row, tag), 412)
      assert.deepEqual((await read(entity, row)).body, changed)
      assert.equal((await update(entity, row, await tagOf(entity, row))).status, 200)
    })

    test(`removes rows of ${entity} only if the tags of all of them are current`, async () => {
      const rows = await Promise.all([tracker.make(entity), tracker.make(entity)])
      const [first = '', second = ''] = await Promise.all(rows.map((row) => tagOf(entity, row)))
      await update(entity, rows[1] as Row, second)
      assertEnvelope(await remove(entity, rows, [first, second]), 412)
      for (const row of rows) assert.equal((await read(entity, row)).status, 200)
      assert.equal((await remove(entity, rows, [first, await tagOf(entity, rows[1] as Row)])).status, 200)
      for (const row of rows) assert.equal((await read(entity, row)).status, 404)
    })

    test(`lets one of several updates of ${a(entity)} with the same tag succeed`, async () => {
      const row = await tracker.make(entity)
      const tag = await tagOf(entity, row)
      const answers = await Promise.all(Array.from({ length: 5 }, () => update(entity, row, tag)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412])
    })
  }

  test("updates the caller's account if the tag is current", async () => {
    const { token } = await tracker.signUp()
    const me = () => tracker.call('GET', '/api/me', { token })
    const tag = (await me()).headers.get('etag') ?? ''
    const rename = (name: string, ifMatch: string) =>
      tracker.call('PATCH', '/api/me', { token, body: { name }, headers: { 'if-match': ifMatch } })
    const answers = await Promise.all(['A', 'B', 'C'].map((name) => rename(name, tag)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412])
    assertEnvelope(await rename('D', tag), 412)
    assert.equal((await rename('E', '*')).status, 200)
    assert.equal((await me()).body.name, 'E')
  })
})
