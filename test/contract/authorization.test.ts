import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administrated, matrix, type Scene, scene } from './authorization-matrix.ts'
import type { Caller, Input, Kind } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { once } from './make-rows.ts'
import { assertKind, done, idsIn, recordIn, rejected } from './outcomes.ts'
import { creatable, type Entity, entities } from './resources.ts'

onEveryHost('The authorization matrix', (tracker) => {
  const scenes = new Map(entities.map((entity) => [entity, once(() => scene(tracker, entity))]))
  const sceneOf = (entity: Entity) => (scenes.get(entity) as () => Promise<Scene>)()

  for (const { entity, person, outcomes } of matrix) {
    const { read, create, update, remove } = outcomes
    const title = `${entity}, ${person}: ${[read, create, update, remove].join(', ')}`
    test(`${title} on read, create, update, remove`, async () => {
      const { people, make, valid } = await sceneOf(entity)
      const row = await make()
      const body = await valid()
      const as = people[person]
      const assertUnchanged = async () =>
        assert.deepEqual(await recordIn(tracker.get(entity, row.id, tracker.administrator)), row)

      await assertKind(tracker.get(entity, row.id, as), read)
      await assertListed(entity, row.id, as, read)

      if (creatable.includes(entity)) await assertCreate(entity, body, as, create)

      await assertKind(tracker.update(entity, tracker.change(entity, row), as), update)
      if (update !== 'ok') await assertUnchanged()

      await assertKind(tracker.remove(entity, [row.id], as), remove)
      if (remove !== 'ok') await assertUnchanged()
      else await rejected(tracker.get(entity, row.id, tracker.administrator), 'missing')
    })
  }

  const assertCreate = async (entity: Entity, body: Input, as: Caller, kind: Kind) => {
    const { record } = await assertKind(tracker.create(entity, body, as), kind)
    if (record) await done(tracker.get(entity, record.id, tracker.administrator))
  }

  /** Asserts that the list contains the row if this caller can read it, and omits it if it is hidden. */
  const assertListed = async (entity: Entity, id: string, as: Caller, read: Kind) => {
    const listing = tracker.list(entity, { ids: id }, as)
    if (read === 'ok') assert.deepEqual(await idsIn(listing), [id])
    else if (read === 'missing') assert.deepEqual(await idsIn(listing), [])
    else await rejected(listing, read)
  }

  for (const entity of entities)
    test(`the matrix has lines for ${entity}`, () => {
      const lines = matrix.filter((line) => line.entity === entity)
      assert.ok(lines.length > 2, `${entity} has no lines in test/contract/authorization-matrix.ts.`)
    })

  test('callers who may not write to a catalog get only this error', async () => {
    const ann = await tracker.signUp()
    for (const entity of administrated) {
      await rejected(tracker.create(entity, {}, ann), 'forbidden')
      await rejected(tracker.update(entity, { id: 'none' }, ann), 'forbidden')
      await rejected(tracker.remove(entity, [], ann), 'forbidden')
    }
    await rejected(tracker.get('user', 'none', ann), 'forbidden')
    await rejected(tracker.list('user', { pageSize: 0 }, ann), 'forbidden')
  })

  test('members cannot even read their own account among the users', async () => {
    const ann = await tracker.signUp()
    await rejected(tracker.get('user', ann.id, ann), 'forbidden')
  })

  test('a caller who is not signed in is rejected before the request is validated', async () => {
    await rejected(tracker.create('project', {}, undefined), 'unauthenticated')
    await rejected(tracker.list('project', { pageSize: 0 }, undefined), 'unauthenticated')
    await rejected(tracker.get('project', 'none', { token: 'not.a.token' }), 'unauthenticated')
  })

  test('the token of a removed account is rejected', async () => {
    const ann = await tracker.signUp()
    await done(tracker.remove('user', [ann.id], tracker.administrator))
    await rejected(tracker.list('organization', {}, ann), 'unauthenticated')
  })
})
