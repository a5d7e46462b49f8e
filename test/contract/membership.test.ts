import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProject } from './authorization-matrix.ts'
import type { Row } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { done, idsIn, pageIn, recordIn, refused } from './outcomes.ts'
import { type Entity, resources } from './resources.ts'

onEveryHost('Membership of projects', (tracker) => {
  const makeIn = async (entity: Entity, project: Row) => {
    if (entity === 'project') return project
    if ('projectId' in resources[entity].references) return tracker.make(entity, { projectId: project.id })
    const { id } = await tracker.make('assignment', { projectId: project.id })
    return tracker.make(entity, { assignmentId: id })
  }

  for (const entity of ['project', ...inProject] as const)
    test(`a member's list of ${entity} holds and counts the rows of own projects only`, async () => {
      const [own, foreign] = await Promise.all([tracker.make('project'), tracker.make('project')])
      const [ann, mine, hidden] = await Promise.all([
        tracker.memberOf(own),
        makeIn(entity, own),
        makeIn(entity, foreign),
      ])
      const both = { ids: `${mine.id},${hidden.id}` }
      assert.deepEqual(await idsIn(tracker.list(entity, both, ann)), [mine.id])
      assert.deepEqual(
        await idsIn(tracker.list(entity, both, tracker.administrator)),
        [mine.id, hidden.id].sort(),
      )
      const everything = await pageIn(tracker.list(entity, { pageSize: 100 }, ann))
      assert.equal(everything.totalCount, everything.data.length)
      assert.ok(everything.data.some(({ id }) => id === mine.id))
      assert.ok(everything.data.every(({ id }) => id !== hidden.id))
      assert.deepEqual(await idsIn(tracker.list(entity, {}, await tracker.signUp())), [])
    })

  test('an administrator who creates a project becomes a member of it, too', async () => {
    const { id } = await tracker.make('project')
    const query = { projectId: id, userId: tracker.administrator.id }
    assert.equal((await idsIn(tracker.list('userProject', query, tracker.administrator))).length, 1)
  })

  test('anyone who creates a project becomes a member of it', async () => {
    const ann = await tracker.signUp()
    const project = await tracker.make('project', {}, ann)
    assert.deepEqual(await recordIn(tracker.get('project', project.id, ann)), project)
    const { data } = await pageIn(tracker.list('userProject', { projectId: project.id }, ann))
    assert.deepEqual(
      data.map(({ userId, projectId }) => [userId, projectId]),
      [[ann.id, project.id]],
    )
    await tracker.make('assignment', { projectId: project.id }, ann)
  })

  test('a member lets others in, and shuts them out again', async () => {
    const [ann, bob] = await Promise.all([tracker.signUp(), tracker.signUp()])
    const project = await tracker.make('project', {}, ann)
    await refused(tracker.get('project', project.id, bob), 'missing')
    const link = await tracker.make('userProject', { userId: bob.id, projectId: project.id }, ann)
    await done(tracker.get('project', project.id, bob))
    await done(tracker.remove('userProject', [link.id], ann))
    await refused(tracker.get('project', project.id, bob), 'missing')
    await refused(tracker.get('userProject', link.id, bob), 'missing')
    assert.deepEqual(await idsIn(tracker.list('project', { ids: project.id }, bob)), [])
  })

  test('people do not make themselves members of a project', async () => {
    const [project, ann] = await Promise.all([tracker.make('project'), tracker.signUp()])
    const body = { userId: ann.id, projectId: project.id }
    await refused(tracker.create('userProject', body, ann), 'forbidden')
    await refused(tracker.get('project', project.id, ann), 'missing')
  })

  test('anyone who leaves a project sees nothing of it any more', async () => {
    const ann = await tracker.signUp()
    const project = await tracker.make('project', {}, ann)
    const task = await tracker.make('assignment', { projectId: project.id }, ann)
    const own = { assignmentId: task.id, userId: ann.id }
    const hours = await tracker.make('appointment', own, ann)
    const { data } = await pageIn(tracker.list('userProject', { projectId: project.id }, ann))
    await done(tracker.remove('userProject', [data[0]?.id], ann))
    await refused(tracker.get('appointment', hours.id, ann), 'missing')
    await refused(tracker.remove('appointment', [hours.id], ann), 'missing')
    await refused(tracker.create('appointment', await tracker.valid('appointment', own), ann), 'forbidden')
  })

  test('being assigned to an assignment does not make a member', async () => {
    const [task, ann] = await Promise.all([tracker.make('assignment'), tracker.signUp()])
    await tracker.make('userAssignment', { userId: ann.id, assignmentId: task.id })
    await refused(tracker.get('assignment', task.id, ann), 'missing')
  })

  test('the same person may be linked twice, and stays a member until the last link goes', async () => {
    const project = await tracker.make('project')
    const ann = await tracker.memberOf(project, project)
    const { data } = await pageIn(tracker.list('userProject', { userId: ann.id }, ann))
    assert.equal(data.length, 2)
    assert.deepEqual(await idsIn(tracker.list('project', {}, ann)), [project.id])
    await done(tracker.remove('userProject', [data[0]?.id], ann))
    await done(tracker.get('project', project.id, ann))
    await done(tracker.remove('userProject', [data[1]?.id], ann))
    await refused(tracker.get('project', project.id, ann), 'missing')
  })
})
