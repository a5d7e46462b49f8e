import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { unseen } from './authorization-matrix.ts'
import { onEveryHost } from './every-host.ts'
import { once } from './make-rows.ts'
import { done, recordIn, rejected } from './outcomes.ts'
import { a, belongings, creatable, type Entity, links, resources } from './resources.ts'

onEveryHost('A parent that the caller cannot see', (tracker) => {
  for (const entity of unseen.filter((candidate) => creatable.includes(candidate))) {
    const column = 'projectId' in resources[entity].references ? 'projectId' : 'assignmentId'
    const parent = column === 'projectId' ? 'project' : 'assignment'

    const scene = once(async () => {
      const [hidden, ownProject] = await Promise.all([tracker.make('project'), tracker.make('project')])
      const placeIn = async (project: { readonly id: string }) =>
        parent === 'project' ? project.id : (await tracker.make(parent, { projectId: project.id })).id
      const [unseenId, seenId, ann] = await Promise.all([
        placeIn(hidden),
        placeIn(ownProject),
        tracker.memberOf(ownProject),
      ])
      return { unseenId, seenId, ann }
    })

    test(`is reported like an unknown reference when ${a(entity)} is created in the ${parent} or moved to it`, async () => {
      const { unseenId, seenId, ann } = await scene()
      const row = await tracker.make(entity, { [column]: seenId, userId: ann.id })
      // It makes no difference whose row it is, or whether the row has a second wrong reference.
      for (const userId of [ann.id, tracker.administrator.id, randomUUID()]) {
        const [hidden, unknown] = await Promise.all(
          [unseenId, randomUUID()].map(async (id) => {
            const body = await tracker.valid(entity, { [column]: id, userId })
            const changed = tracker.change(entity, row, { [column]: id, userId })
            return [await tracker.create(entity, body, ann), await tracker.update(entity, changed, ann)]
          }),
        )
        assert.deepEqual(hidden, unknown)
        for (const { errors } of hidden ?? []) assert.ok(column in errors, JSON.stringify(errors))
      }
      assert.deepEqual(await recordIn(tracker.get(entity, row.id, ann)), row)
    })

    test(`is reported like an unknown reference when other rows of ${entity} are created at the same time`, async () => {
      const { unseenId, seenId, ann } = await scene()
      const ids = [seenId, unseenId, randomUUID(), seenId, unseenId, seenId]
      const answers = await Promise.all(
        ids.map(async (id) =>
          tracker.create(entity, await tracker.valid(entity, { [column]: id, userId: ann.id }), ann),
        ),
      )
      assert.deepEqual(
        answers.map(({ kinds }) => kinds.includes('ok')),
        ids.map((id) => id === seenId),
      )
      const rejections = answers.filter(({ kinds }) => !kinds.includes('ok'))
      for (const rejection of rejections) assert.deepEqual(rejection, rejections[0])
    })
  }
})

interface Pair {
  readonly parent: Entity
  readonly child: Entity
  readonly column: string
  /** How the message names the child. */
  readonly kind: RegExp
}

const blocking: readonly Pair[] = [
  { parent: 'organization', child: 'project', column: 'organizationId', kind: /\bprojects?\b/i },
  { parent: 'project', child: 'assignment', column: 'projectId', kind: /\bassignments?\b/i },
  { parent: 'workflow', child: 'assignment', column: 'workflowId', kind: /\bassignments?\b/i },
  { parent: 'assignmentType', child: 'assignment', column: 'assignmentTypeId', kind: /\bassignments?\b/i },
  { parent: 'user', child: 'assignment', column: 'userId', kind: /\bassignments?\b/i },
  { parent: 'user', child: 'appointment', column: 'userId', kind: /\bappointments?\b/i },
  { parent: 'assignment', child: 'appointment', column: 'assignmentId', kind: /\bappointments?\b/i },
  {
    parent: 'assignment',
    child: 'assignmentImpediment',
    column: 'assignmentId',
    kind: /\bassignment ?impediments?\b/i,
  },
  {
    parent: 'impediment',
    child: 'assignmentImpediment',
    column: 'impedimentId',
    kind: /\bassignment ?impediments?\b/i,
  },
]

onEveryHost('Dependents', (tracker) => {
  for (const { parent, child, column, kind } of blocking) {
    test(`${a(parent)} with ${a(child)} cannot be removed, and the message names the ${child}`, async () => {
      const row = await tracker.make(parent)
      await tracker.make(child, { [column]: row.id })
      const { message } = await rejected(tracker.remove(parent, [row.id], tracker.administrator), 'inUse')
      assert.match(message, kind)
      assert.deepEqual(await recordIn(tracker.get(parent, row.id, tracker.administrator)), row)
    })

    test(`${a(parent)} can be removed when its last ${child} has been removed or moved`, async () => {
      const [row, other] = await Promise.all([tracker.make(parent), tracker.make(parent)])
      const [first, second] = await Promise.all([
        tracker.make(child, { [column]: row.id }),
        tracker.make(child, { [column]: row.id }),
      ])
      await done(tracker.remove(child, [first.id], tracker.administrator))
      await rejected(tracker.remove(parent, [row.id], tracker.administrator), 'inUse')
      const moved = tracker.change(child, second, { [column]: other.id })
      await done(tracker.update(child, moved, tracker.administrator))
      await done(tracker.remove(parent, [row.id], tracker.administrator))
    })
  }

  for (const { parent, link, column } of [...links, ...belongings]) {
    test(`only the ${link} of the removed ${parent} is removed with it`, async () => {
      const [row, other] = await Promise.all([tracker.make(parent), tracker.make(parent)])
      const [removed, staying] = await Promise.all([
        tracker.make(link, { [column]: row.id }),
        tracker.make(link, { [column]: other.id }),
      ])
      await done(tracker.remove(parent, [row.id], tracker.administrator))
      await rejected(tracker.get(link, removed.id, tracker.administrator), 'missing')
      assert.deepEqual(await recordIn(tracker.get(link, staying.id, tracker.administrator)), staying)
    })
  }

  test('the message for a user who cannot be removed names one of two reasons', async () => {
    const user = await tracker.make('user')
    await Promise.all([
      tracker.make('assignment', { userId: user.id }),
      tracker.make('appointment', { userId: user.id }),
    ])
    const { message } = await rejected(tracker.remove('user', [user.id], tracker.administrator), 'inUse')
    assert.match(message, /assignment|appointment/i)
  })

  test('links stay when the removal of their parent is rejected', async () => {
    const project = await tracker.make('project')
    const ann = await tracker.memberOf(project)
    await tracker.make('assignment', { projectId: project.id })
    await rejected(tracker.remove('project', [project.id], ann), 'inUse')
    await done(tracker.get('project', project.id, ann))
  })
})
