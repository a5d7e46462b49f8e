import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { done, idsIn, recordIn, rejected } from './outcomes.ts'
import { a, commonFields, entities, resources } from './resources.ts'
import { hasMillisecondPrecision, microsecondsOf } from './timestamps.ts'

const notWritable = {
  createdAt: '2001-01-01T00:00:00Z',
  updatedAt: '2001-01-01T00:00:00Z',
  deletedAt: '2001-01-01T00:00:00Z',
  active: false,
}

onEveryHost('The life of a record', (tracker) => {
  for (const entity of entities) {
    const get = (id: string) => recordIn(tracker.get(entity, id, tracker.administrator))

    test(`${a(entity)} shows the common fields and its own, and nothing else`, async () => {
      const row = await tracker.make(entity)
      const fields = [...commonFields, ...resources[entity].own].sort()
      assert.deepEqual(Object.keys(row).sort(), fields)
      assert.deepEqual(await get(row.id), row)
      const list = await tracker.list(entity, { ids: row.id }, tracker.administrator)
      assert.deepEqual(list.page?.data, [row])
    })

    test(`a new ${entity} is active, was created just now and never updated or removed`, async () => {
      const row = await tracker.make(entity)
      assert.deepEqual([row.active, row.updatedAt, row.deletedAt], [true, null, null])
      const age = Date.now() - Number(microsecondsOf(row.createdAt) / 1000n)
      assert.ok(Math.abs(age) < 60_000, `${row.createdAt} is now`)
    })

    test(`no client decides when ${a(entity)} was created, updated or removed`, async () => {
      const row = await tracker.make(entity, notWritable)
      assert.deepEqual([row.active, row.updatedAt, row.deletedAt], [true, null, null])
      assert.notEqual(row.createdAt, notWritable.createdAt)
      await done(tracker.update(entity, tracker.change(entity, row, notWritable), tracker.administrator))
      const updated = await get(row.id)
      assert.deepEqual([updated.active, updated.deletedAt, updated.createdAt], [true, null, row.createdAt])
      assert.ok(microsecondsOf(updated.updatedAt) >= microsecondsOf(row.createdAt))
    })

    test(`every update of ${a(entity)} increases its updatedAt by at least a millisecond`, async () => {
      const row = await tracker.make(entity)
      assert.ok(hasMillisecondPrecision(row.createdAt), String(row.createdAt))
      let last = microsecondsOf(row.createdAt)
      for (let time = 0; time < 3; time += 1) {
        await done(tracker.update(entity, tracker.change(entity, row), tracker.administrator))
        const { updatedAt } = await get(row.id)
        assert.ok(hasMillisecondPrecision(updatedAt), String(updatedAt))
        assert.ok(microsecondsOf(updatedAt) > last, `${updatedAt} is later than the previous one`)
        last = microsecondsOf(updatedAt)
      }
    })

    test(`an update of ${a(entity)} answers with the stored record`, async () => {
      const row = await tracker.make(entity)
      const change = tracker.change(entity, row)
      const updated = await recordIn(tracker.update(entity, change, tracker.administrator))
      assert.deepEqual(updated, await get(row.id))
    })

    test(`a removed ${entity} is gone: not found, not listed, not updated, not removed again`, async () => {
      const row = await tracker.make(entity)
      await done(tracker.remove(entity, [row.id], tracker.administrator))
      await rejected(tracker.get(entity, row.id, tracker.administrator), 'missing')
      assert.deepEqual(await idsIn(tracker.list(entity, { ids: row.id }, tracker.administrator)), [])
      await rejected(tracker.update(entity, tracker.change(entity, row), tracker.administrator), 'missing')
      await rejected(tracker.remove(entity, [row.id], tracker.administrator), 'missing')
    })

    test(`removing ${a(entity)} does not affect another one`, async () => {
      const [row, other] = await Promise.all([tracker.make(entity), tracker.make(entity)])
      await done(tracker.remove(entity, [row.id], tracker.administrator))
      assert.deepEqual(await get(other.id), other)
    })
  }

  test('an update of every field is seen by the next reader', async () => {
    const row = await tracker.make('assignment')
    const [project, workflow, user, assignmentType] = await Promise.all([
      tracker.make('project'),
      tracker.make('workflow'),
      tracker.make('user'),
      tracker.make('assignmentType'),
    ])
    const change = {
      name: 'Another name',
      description: 'Another description',
      startDate: '2027-01-01T00:00:00Z',
      endDate: '2027-01-02T00:00:00Z',
      amountHours: 0.25,
      projectId: project.id,
      workflowId: workflow.id,
      userId: user.id,
      assignmentTypeId: assignmentType.id,
    }
    await done(tracker.update('assignment', { id: row.id, ...change }, tracker.administrator))
    const { updatedAt, startDate, endDate, ...stored } = await recordIn(
      tracker.get('assignment', row.id, tracker.administrator),
    )
    const { updatedAt: _updatedAt, ...before } = row
    const { startDate: _startDate, endDate: _endDate, ...expected } = { ...before, ...change }
    assert.deepEqual(stored, expected)
    assert.equal(microsecondsOf(startDate), microsecondsOf(change.startDate))
    assert.equal(microsecondsOf(endDate), microsecondsOf(change.endDate))
    assert.ok(updatedAt)
  })
})
