import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from './driver.ts'
import { onRest } from './every-host.ts'
import { done, pageIn, recordIn, refused } from './outcomes.ts'
import { a, belongings, type Entity, links, resources } from './resources.ts'

onRest('Links that go and come back', (tracker) => {
  const remove = (entity: Entity, ...rows: readonly Row[]) =>
    done(
      tracker.remove(
        entity,
        rows.map(({ id }) => id),
        tracker.administrator,
      ),
    )
  const restore = (entity: Entity, ...rows: readonly Row[]) =>
    done(
      tracker.restore(
        entity,
        rows.map(({ id }) => id),
        tracker.administrator,
      ),
    )

  for (const { parent, link, column, otherColumn } of links) {
    const otherParent = resources[link].references[otherColumn] as Entity
    const scene = async () => {
      const [one, other] = await Promise.all([tracker.make(parent), tracker.make(otherParent)])
      const row = await tracker.make(link, { [column]: one.id, [otherColumn]: other.id })
      const isBack = async () =>
        assert.deepEqual(await recordIn(tracker.get(link, row.id, tracker.administrator)), row)
      const isGone = () => refused(tracker.get(link, row.id, tracker.administrator), 'missing')
      return { one, other, row, isBack, isGone }
    }

    test(`the ${link} that went with ${a(parent)} comes back with it, as it was`, async () => {
      const { one, isBack, isGone } = await scene()
      await remove(parent, one)
      await isGone()
      await restore(parent, one)
      await isBack()
    })

    test(`${a(link)} that was removed on its own does not come back with its ${parent}`, async () => {
      const { one, row, isBack, isGone } = await scene()
      await remove(link, row)
      await remove(parent, one)
      await restore(parent, one)
      await isGone()
      await restore(link, row)
      await isBack()
    })

    test(`${a(link)} that came back with its ${parent} and was then removed on its own stays removed`, async () => {
      const { one, row, isGone } = await scene()
      await remove(parent, one)
      await restore(parent, one)
      await remove(link, row)
      await remove(parent, one)
      await restore(parent, one)
      await isGone()
    })

    test(`the ${link} of a restored ${parent} waits for its ${otherParent}`, async () => {
      const { one, other, row, isBack, isGone } = await scene()
      await remove(parent, one)
      await remove(otherParent, other)
      await restore(parent, one)
      await isGone()
      await refused(tracker.restore(link, [row.id], tracker.administrator), 'invalid')
      await restore(otherParent, other)
      await isBack()
    })

    test(`${a(link)} that went with its ${parent} is back once the ${otherParent} and then the ${parent} are`, async () => {
      const { one, other, isBack, isGone } = await scene()
      await remove(parent, one)
      await remove(otherParent, other)
      await restore(otherParent, other)
      await isGone()
      await restore(parent, one)
      await isBack()
    })

    test(`${a(link)} that was removed on its own stays removed when both its parents went and came back`, async () => {
      const { one, other, row, isGone } = await scene()
      await remove(link, row)
      await remove(parent, one)
      await remove(otherParent, other)
      await restore(parent, one)
      await restore(otherParent, other)
      await isGone()
    })

    test(`every ${link} of several restored rows of ${parent} comes back`, async () => {
      const [first, second] = await Promise.all([scene(), scene()])
      await remove(parent, first.one, second.one)
      await restore(parent, first.one, second.one)
      await Promise.all([first.isBack(), second.isBack()])
    })

    test(`restoring one ${parent} leaves the ${link} of another removed`, async () => {
      const [first, second] = await Promise.all([scene(), scene()])
      await remove(parent, first.one, second.one)
      await restore(parent, first.one)
      await first.isBack()
      await second.isGone()
    })
  }

  for (const { parent, link, column } of belongings) {
    test(`every ${link} that went with its ${parent} comes back with it, those removed before do not`, async () => {
      const [one, other] = await Promise.all([tracker.make(parent), tracker.make(parent)])
      const [row, before, elsewhere] = (await Promise.all(
        [one, one, other].map(({ id }) => tracker.make(link, { [column]: id })),
      )) as [Row, Row, Row]
      await remove(link, before)
      await remove(parent, one, other)
      for (const gone of [row, before, elsewhere])
        await refused(tracker.get(link, gone.id, tracker.administrator), 'missing')
      await refused(tracker.restore(link, [row.id], tracker.administrator), 'invalid')
      await restore(parent, one)
      assert.deepEqual(await recordIn(tracker.get(link, row.id, tracker.administrator)), row)
      for (const gone of [before, elsewhere])
        await refused(tracker.get(link, gone.id, tracker.administrator), 'missing')
      await restore(link, before)
      assert.deepEqual(await recordIn(tracker.get(link, before.id, tracker.administrator)), before)
    })
  }
})

onRest('Restoring a project', (tracker) => {
  /** A project that Ann and Bob were members of when Ann removed it; Carl had left before. */
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

  test('a member who lost the membership with the project may restore it, and is a member again', async () => {
    const { bob, carl, project, task } = await scene()
    await refused(tracker.get('project', project.id, bob), 'missing')
    await done(tracker.restore('project', [project.id], bob))
    assert.deepEqual(await recordIn(tracker.get('project', project.id, bob)), project)
    await refused(tracker.get('project', project.id, carl), 'missing')
    await done(tracker.restore('assignment', [task.id], bob))
    await done(tracker.get('assignment', task.id, bob))
  })

  test('anyone who had left the project before, or never was in it, cannot restore it', async () => {
    const { carl, outsider, project, task } = await scene()
    for (const person of [carl, outsider]) {
      await refused(tracker.restore('project', [project.id], person), 'missing')
      await refused(tracker.restore('assignment', [task.id], person), 'missing')
    }
  })

  test('a member who lost the membership with the project learns why its rows are not restored', async () => {
    const { ann, task } = await scene()
    const { errors } = await refused(tracker.restore('assignment', [task.id], ann), 'invalid')
    assert.deepEqual(Object.keys(errors), ['projectId'])
  })

  test('a foreign project keeps the whole batch', async () => {
    const [{ ann, project }, foreign] = await Promise.all([scene(), tracker.makeRemoved('project')])
    await refused(tracker.restore('project', [project.id, foreign.id], ann), 'missing')
    await refused(tracker.get('project', project.id, tracker.administrator), 'missing')
  })
})
