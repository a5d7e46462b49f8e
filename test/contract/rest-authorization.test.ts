import { test } from 'node:test'
import { administrated, matrix, type Scene, scene } from './authorization-matrix.ts'
import { onRest } from './every-host.ts'
import { once } from './make-rows.ts'
import { assertKind, done, rejected } from './outcomes.ts'
import { type Entity, entities } from './resources.ts'

onRest('The authorization matrix of restoring', (tracker) => {
  const scenes = new Map(entities.map((entity) => [entity, once(() => scene(tracker, entity))]))
  const sceneOf = (entity: Entity) => (scenes.get(entity) as () => Promise<Scene>)()

  for (const { entity, person, outcomes } of matrix) {
    const { restore } = outcomes
    test(`${entity}, ${person}: ${restore} on restore`, async () => {
      const { people, make } = await sceneOf(entity)
      const { id } = await make()
      await done(tracker.remove(entity, [id], tracker.administrator))
      await assertKind(tracker.restore(entity, [id], people[person]), restore)
      await assertKind(tracker.get(entity, id, tracker.administrator), restore === 'ok' ? 'ok' : 'missing')
    })
  }

  test('callers who may not restore rows of a catalog get only this error', async () => {
    const ann = await tracker.signUp()
    for (const entity of administrated) await rejected(tracker.restore(entity, [], ann), 'forbidden')
  })
})
