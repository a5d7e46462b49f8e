import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { done, idsIn, invalid, invalidWith, rejected } from './outcomes.ts'
import { entities } from './resources.ts'

const many = (count: number) => Array.from({ length: count }, () => randomUUID())

onEveryHost('Removing a batch', (tracker) => {
  for (const entity of entities) {
    const three = () => Promise.all([tracker.make(entity), tracker.make(entity), tracker.make(entity)])
    const stillThere = (ids: readonly string[]) =>
      idsIn(tracker.list(entity, { ids: ids.join(',') }, tracker.administrator))

    test(`several rows of ${entity} are removed at once`, async () => {
      const ids = (await three()).map(({ id }) => id)
      await done(tracker.remove(entity, ids, tracker.administrator))
      assert.deepEqual(await stillThere(ids), [])
    })

    test(`one id that is unknown or removed already fails the whole batch of ${entity}`, async () => {
      const ids = (await three()).map(({ id }) => id).sort()
      await rejected(tracker.remove(entity, [...ids, randomUUID()], tracker.administrator), 'missing')
      assert.deepEqual(await stillThere(ids), ids)
      const [first, ...others] = ids
      await done(tracker.remove(entity, [first], tracker.administrator))
      await rejected(tracker.remove(entity, ids, tracker.administrator), 'missing')
      assert.deepEqual(await stillThere(others), others)
    })

    test(`the ids of a removal of ${entity} are a list of 1 to 100 UUIDs`, async () => {
      for (const ids of [[], many(101), [randomUUID(), 'none']])
        await invalid(tracker.remove(entity, ids, tracker.administrator), 'ids')
      await rejected(tracker.remove(entity, many(100), tracker.administrator), 'missing')
    })
  }

  test('an id that is named twice is removed once, whatever its capitals', async () => {
    const { id } = await tracker.make('impediment')
    await done(tracker.remove('impediment', [id, id.toUpperCase(), id], tracker.administrator))
  })

  test('a removal counts distinct ids: a hundred of them, one named twice, are not too many', async () => {
    const ids = many(100)
    await rejected(tracker.remove('workflow', [...ids, ids[0]], tracker.administrator), 'missing')
  })

  test('a row the caller cannot see fails the whole batch', async () => {
    const [own, hidden] = await Promise.all([tracker.make('project'), tracker.make('project')])
    const [ann, mine, other] = await Promise.all([
      tracker.memberOf(own),
      tracker.make('assignment', { projectId: own.id }),
      tracker.make('assignment', { projectId: hidden.id }),
    ])
    await rejected(tracker.remove('assignment', [mine.id, other.id], ann), 'missing')
    await done(tracker.get('assignment', mine.id, ann))
    await done(tracker.get('assignment', other.id, tracker.administrator))
  })

  test('a row with active dependents keeps the whole batch', async () => {
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

  test('an id that is no UUID is rejected in the words of the contract', async () => {
    const { errors } = await rejected(tracker.remove('project', ['none'], tracker.administrator), 'invalid')
    assert.match(errors.ids?.[0] ?? '', /^Ids .*UUID.*\.$/)
    await invalidWith(tracker.remove('project', ['none', 'none'], tracker.administrator), errors)
  })
})
