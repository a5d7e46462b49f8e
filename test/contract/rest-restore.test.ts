import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Row } from './driver.ts'
import { onRest } from './every-host.ts'
import { done, idsIn, invalid, recordIn, refused } from './outcomes.ts'
import { a, type Entity, entities, references, resources } from './resources.ts'

const isHeld = ({ entity, column }: (typeof references)[number]) =>
  !resources[entity].staying.includes(column)

const many = (count: number) => Array.from({ length: count }, () => randomUUID())

onRest('Restoring', (tracker) => {
  const restore = (entity: Entity, ...rows: readonly Pick<Row, 'id'>[]) =>
    tracker.restore(
      entity,
      rows.map(({ id }) => id),
      tracker.administrator,
    )
  const remove = (entity: Entity, ...rows: readonly Row[]) =>
    done(
      tracker.remove(
        entity,
        rows.map(({ id }) => id),
        tracker.administrator,
      ),
    )
  const get = (entity: Entity, { id }: Row) => recordIn(tracker.get(entity, id, tracker.administrator))

  for (const entity of entities) {
    test(`a restored ${entity} is as it was, its updatedAt included`, async () => {
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

    test(`${a(entity)} that is still there, or never was, fails the whole batch`, async () => {
      const [removed, active] = await Promise.all([tracker.makeRemoved(entity), tracker.make(entity)])
      await refused(restore(entity, active), 'missing')
      await refused(restore(entity, removed, active), 'missing')
      await refused(restore(entity, removed, { id: randomUUID() }), 'missing')
      await refused(tracker.get(entity, removed.id, tracker.administrator), 'missing')
      await done(restore(entity, removed))
      await refused(restore(entity, removed), 'missing')
    })

    test(`the ids of a restoration of ${entity} are a list of 1 to 100 distinct UUIDs`, async () => {
      const [id] = many(1) as [string]
      for (const ids of [[], many(101), [id, id.toUpperCase()]])
        await invalid(tracker.restore(entity, ids, tracker.administrator), 'ids')
      await refused(tracker.restore(entity, many(100), tracker.administrator), 'missing')
    })
  }

  test('what is no list of distinct UUIDs is rejected, an id may have any capitals', async () => {
    const { id } = await tracker.makeRemoved('organization')
    for (const ids of [['none'], [id, id], [id, null], null, id, undefined, {}])
      await invalid(tracker.restore('organization', ids, tracker.administrator), 'ids')
    await done(tracker.restore('organization', [id.toUpperCase()], tracker.administrator))
  })

  for (const { entity, column, parent } of references.filter(isHeld))
    test(`${a(entity)} whose ${parent} is removed is rejected under ${column} until that is back`, async () => {
      const above = await tracker.make(parent)
      const [row, other] = await Promise.all([
        tracker.make(entity, { [column]: above.id }),
        tracker.makeRemoved(entity),
      ])
      await remove(entity, row)
      await remove(parent, above)
      await invalid(restore(entity, row), column)
      await invalid(restore(entity, other, row), column)
      await refused(tracker.get(entity, other.id, tracker.administrator), 'missing')
      await done(restore(parent, above))
      await refused(tracker.get(entity, row.id, tracker.administrator), 'missing')
      await done(restore(entity, row))
      assert.deepEqual(await get(entity, row), row)
    })

  for (const { entity, column, parent } of references.filter((reference) => !isHeld(reference)))
    test(`${a(entity)} stays when its ${parent} goes, and comes back without it`, async () => {
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

  test('a restored row holds its parent again', async () => {
    const organization = await tracker.make('organization')
    const project = await tracker.make('project', { organizationId: organization.id })
    await remove('project', project)
    await done(restore('project', project))
    await refused(tracker.remove('organization', [organization.id], tracker.administrator), 'inUse')
  })

  test('an account whose login was taken meanwhile stays removed until it is free', async () => {
    const user = await tracker.make('user')
    await remove('user', user)
    const other = await tracker.make('user', { login: String(user.login).toUpperCase() })
    await refused(restore('user', user), 'duplicate')
    await refused(tracker.get('user', user.id, tracker.administrator), 'missing')
    await remove('user', other)
    await done(restore('user', user))
  })

  test('a login that was taken meanwhile keeps the whole batch', async () => {
    const [user, other] = await Promise.all([tracker.make('user'), tracker.make('user')])
    await remove('user', user, other)
    await tracker.make('user', { login: user.login })
    await refused(restore('user', other, user), 'duplicate')
    await refused(tracker.get('user', other.id, tracker.administrator), 'missing')
  })

  test('of two removed accounts with one login, only one comes back', async () => {
    const first = await tracker.makeRemoved('user')
    const second = await tracker.makeRemoved('user', { login: first.login })
    await refused(restore('user', first, second), 'duplicate')
    await done(restore('user', second))
    await refused(restore('user', first), 'duplicate')
  })

  test('a restored account may sign in again', async () => {
    const ann = await tracker.signUp()
    await done(tracker.remove('user', [ann.id], tracker.administrator))
    await done(restore('user', ann))
    await done(tracker.list('organization', {}, await tracker.signIn(ann)))
  })

  test('of several who restore a row at once, one does', async () => {
    const row = await tracker.makeRemoved('organization')
    const answers = await Promise.all([1, 2, 3, 4].map(() => restore('organization', row)))
    assert.equal(answers.filter(({ kinds }) => kinds.includes('ok')).length, 1)
    assert.equal(answers.filter(({ kinds }) => kinds.includes('missing')).length, 3)
  })
})
