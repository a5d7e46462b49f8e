import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { done, idsIn, invalid, invalidWith, rejected } from './outcomes.ts'
import { entities } from './resources.ts'

const randomIds = (count: number) => Array.from({ length: count }, () => randomUUID())

onEveryHost('Removing a batch', (tracker) => {
  for (const entity of entities) {
    const makeThree = () => Promise.all([tracker.make(entity), tracker.make(entity), tracker.make(entity)])
    const remainingIds = (ids: readonly string[]) =>
      idsIn(tracker.list(entity, { ids: ids.join(',') }, tracker.administrator))

    test(`several rows of ${entity} are removed at once`, async () => {
      const ids = (await makeThree()).map(({ id }) => id)
      await done(tracker.remove(entity, ids, tracker.administrator))
      assert.deepEqual(await remainingIds(ids), [])
    })

    test(`an id that is unknown or already removed fails the whole batch of ${entity}`, async () => {
      const ids = (await makeThree()).map(({ id }) => id).sort()
      await rejected(tracker.remove(entity, [...ids, randomUUID()], tracker.administrator), 'missing')
      assert.deepEqual(await remainingIds(ids), ids)
      const [first, ...others] = ids
      await done(tracker.remove(entity, [first], tracker.administrator))
      await rejected(tracker.remove(entity, ids, tracker.administrator), 'missing')
      assert.deepEqual(await remainingIds(others), others)
    })

    test(`the ids of a removal of ${entity} are a list of 1 to 100 UUIDs`, async () => {
      for (const ids of [[], randomIds(101), [randomUUID(), 'none']])
        await invalid(tracker.remove(entity, ids, tracker.administrator), 'ids')
      await rejected(tracker.remove(entity, randomIds(100), tracker.administrator), 'missing')
    })
  }

  test('an id may be repeated, even in other capitals', async () => {
    const { id } = await tracker.make('impediment')
    await done(tracker.remove('impediment', [id, id.toUpperCase(), id], tracker.administrator))
  })

  test('a removal may have a hundred ids, not counting repetitions', async () => {
    const ids = randomIds(100)
    await rejected(tracker.remove('workflow', [...ids, ids[0]], tracker.administrator), 'missing')
  })

  test('a row the caller cannot see fails the whole batch', async () => {
    const [ownProject, hidden] = await Promise.all([tracker.make('project'), tracker.make('project')])
    const [ann, mine, other] = await Promise.all([
      tracker.memberOf(ownProject),
      tracker.make('assignment', { projectId: ownProject.id }),
      tracker.make('assignment', { projectId: hidden.id }),
    ])
    await rejected(tracker.remove('assignment', [mine.id, other.id], ann), 'missing')
    await done(tracker.get('assignment', mine.id, ann))
    await done(tracker.get('assignment', other.id, tracker.administrator))
  })

  test('a row with active dependents fails the whole batch', async () => {
    const [free, used] = await Promise.all([tracker.make('organization'), tracker.make('organization')])
    await tracker.make('project', { organizationId: used.id })
    await rejected(tracker.remove('organization', [free.id, used.id], tracker.administrator), 'inUse')
    await done(tracker.get('organization', free.id, tracker.administrator))
  })

  test('a missing row is reported before one that is still in use', async () => {
    const used = await tracker.make('organization')
    await tracker.make('project', { organizationId: used.id })
    const ids = [used.id, randomUUID()]
    await rejected(tracker.remove('organization', ids, tracker.administrator), 'missing')
  })

  test('an id that is not a UUID is rejected with the message of the contract', async () => {
    const { errors } = await rejected(tracker.remove('project', ['none'], tracker.administrator), 'invalid')
    assert.match(errors.ids?.[0] ?? '', /^Ids .*UUID.*\.$/)
    await invalidWith(tracker.remove('project', ['none', 'none'], tracker.administrator), errors)
  })
})
