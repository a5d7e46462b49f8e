import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { unseen } from './authorization-matrix.ts'
import { onEveryHost } from './every-host.ts'
import { once } from './make-rows.ts'
import { recordIn } from './outcomes.ts'
import { a, resources } from './resources.ts'

onEveryHost('Beyond the contract, what one may not see', (tracker) => {
  for (const entity of unseen) {
    const column = 'projectId' in resources[entity].references ? 'projectId' : 'assignmentId'
    const parent = column === 'projectId' ? 'project' : 'assignment'

    const scene = once(async () => {
      const [hidden, own] = await Promise.all([tracker.make('project'), tracker.make('project')])
      const placeIn = async (project: { readonly id: string }) =>
        parent === 'project' ? project.id : (await tracker.make(parent, { projectId: project.id })).id
      const [unseenId, seenId, ann] = await Promise.all([
        placeIn(hidden),
        placeIn(own),
        tracker.memberOf(own),
      ])
      return { unseenId, seenId, ann }
    })

    test(`is answered like what is not there: ${a(parent)} that ${a(entity)} is made for or moved to`, async () => {
      const { unseenId, seenId, ann } = await scene()
      const row = await tracker.make(entity, { [column]: seenId, userId: ann.id })
      // Another wrong reference, and another's row, are answered the same way too.
      for (const userId of [ann.id, tracker.administrator.id, randomUUID()]) {
        const [hidden, nothing] = await Promise.all(
          [unseenId, randomUUID()].map(async (id) => {
            const body = await tracker.valid(entity, { [column]: id, userId })
            const changed = tracker.change(entity, row, { [column]: id, userId })
            return [await tracker.create(entity, body, ann), await tracker.update(entity, changed, ann)]
          }),
        )
        assert.deepEqual(hidden, nothing)
        for (const { errors } of hidden ?? []) assert.ok(column in errors, JSON.stringify(errors))
      }
      assert.deepEqual(await recordIn(tracker.get(entity, row.id, ann)), row)
    })

    test(`is answered so for writes that come together, and hinders none of the others: ${entity}`, async () => {
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
      const refusals = answers.filter(({ kinds }) => !kinds.includes('ok'))
      for (const refusal of refusals) assert.deepEqual(refusal, refusals[0])
    })
  }
})
