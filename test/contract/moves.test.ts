import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProject, owned, unseen } from './authorization-matrix.ts'
import type { Row } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { once } from './make-rows.ts'
import { done, recordIn, refused } from './outcomes.ts'
import { a, resources } from './resources.ts'

/** Rows that move from project to project, and the column that takes them there. */
const movers = inProject.map((entity) => {
  const column = ['projectId', 'assignmentId'].find((one) => one in resources[entity].references)
  assert.ok(column, `${entity} leads to a project`)
  return [entity, column] as const
})

onEveryHost('Moving rows between projects', (tracker) => {
  for (const [entity, column] of movers) {
    /** A row in the first project, a place in the second, and a member of both, of the old and of the new one. */
    const scene = once(async () => {
      const [from, to] = await Promise.all([tracker.make('project'), tracker.make('project')])
      const place = async (project: Row) =>
        column === 'projectId' ? project : tracker.make('assignment', { projectId: project.id })
      const [old, next, both, onlyOld, onlyNew] = await Promise.all([
        place(from),
        place(to),
        tracker.memberOf(from, to),
        tracker.memberOf(from),
        tracker.memberOf(to),
      ])
      const make = (userId: string) =>
        tracker.make(entity, { [column]: old.id, ...(owned.includes(entity) && { userId }) })
      const moved = (row: Row) => tracker.change(entity, row, { [column]: next.id })
      return { next, both, onlyOld, onlyNew, make, moved }
    })

    test(`a member of both projects moves ${a(entity)} from one to the other`, async () => {
      const { next, both, onlyNew, make, moved } = await scene()
      const row = await make(both.id)
      await done(tracker.update(entity, moved(row), both))
      assert.equal((await recordIn(tracker.get(entity, row.id, onlyNew)))[column], next.id)
    })

    test(`a member of the old project alone may not move ${a(entity)} into the new one`, async () => {
      const { onlyOld, make, moved } = await scene()
      const row = await make(onlyOld.id)
      const kind = unseen.includes(entity) ? 'invalid' : 'forbidden'
      await refused(tracker.update(entity, moved(row), onlyOld), kind)
      assert.deepEqual(await recordIn(tracker.get(entity, row.id, onlyOld)), row)
    })

    test(`a member of the new project alone does not find the ${entity} to move`, async () => {
      const { onlyNew, make, moved } = await scene()
      const row = await make(onlyNew.id)
      await refused(tracker.update(entity, moved(row), onlyNew), 'missing')
    })

    test(`an administrator moves ${a(entity)} anywhere`, async () => {
      const { onlyOld, make, moved } = await scene()
      const row = await make(onlyOld.id)
      await done(tracker.update(entity, moved(row), tracker.administrator))
      await refused(tracker.get(entity, row.id, onlyOld), 'missing')
    })
  }

  test('what belongs to an assignment moves with it', async () => {
    const [from, to] = await Promise.all([tracker.make('project'), tracker.make('project')])
    const task = await tracker.make('assignment', { projectId: from.id })
    const [ann, bob, blocked] = await Promise.all([
      tracker.memberOf(from),
      tracker.memberOf(to),
      tracker.make('assignmentImpediment', { assignmentId: task.id }),
    ])
    const change = tracker.change('assignment', task, { projectId: to.id })
    await done(tracker.update('assignment', change, tracker.administrator))
    await refused(tracker.get('assignmentImpediment', blocked.id, ann), 'missing')
    await done(tracker.get('assignmentImpediment', blocked.id, bob))
  })
})

onEveryHost('Own appointments', (tracker) => {
  const scene = async () => {
    const project = await tracker.make('project')
    const [ann, bob, task] = await Promise.all([
      tracker.memberOf(project),
      tracker.memberOf(project),
      tracker.make('assignment', { projectId: project.id }),
    ])
    const [mine, theirs] = await Promise.all(
      [ann, bob].map(({ id }) => tracker.make('appointment', { assignmentId: task.id, userId: id })),
    )
    return { ann, bob, task, mine: mine as Row, theirs: theirs as Row }
  }

  test('a member sees the appointments of others, and may not touch them', async () => {
    const { ann, theirs } = await scene()
    assert.deepEqual(await recordIn(tracker.get('appointment', theirs.id, ann)), theirs)
    const longer = tracker.change('appointment', theirs, { amountHours: 8 })
    await refused(tracker.update('appointment', longer, ann), 'forbidden')
    await refused(tracker.remove('appointment', [theirs.id], ann), 'forbidden')
  })

  test('a member may not record an appointment in the name of another', async () => {
    const { ann, bob, task } = await scene()
    const body = await tracker.valid('appointment', { assignmentId: task.id, userId: bob.id })
    await refused(tracker.create('appointment', body, ann), 'forbidden')
  })

  test('a member may neither hand over an own appointment nor take over another', async () => {
    const { ann, bob, mine, theirs } = await scene()
    const given = tracker.change('appointment', mine, { userId: bob.id })
    await refused(tracker.update('appointment', given, ann), 'forbidden')
    const taken = tracker.change('appointment', theirs, { userId: ann.id })
    await refused(tracker.update('appointment', taken, ann), 'forbidden')
  })

  test('one appointment of another keeps a whole batch', async () => {
    const { ann, mine, theirs } = await scene()
    await refused(tracker.remove('appointment', [mine.id, theirs.id], ann), 'forbidden')
    await done(tracker.get('appointment', mine.id, ann))
  })

  test('an administrator records, changes, reassigns and removes those of any user', async () => {
    const { bob, mine } = await scene()
    const given = tracker.change('appointment', mine, { userId: bob.id, amountHours: 0.5 })
    await done(tracker.update('appointment', given, tracker.administrator))
    await done(tracker.get('appointment', mine.id, bob))
    await done(tracker.remove('appointment', [mine.id], bob))
  })
})
