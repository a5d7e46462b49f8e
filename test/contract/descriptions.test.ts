import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { done, invalid, recordIn } from './outcomes.ts'
import { a, entities, resources } from './resources.ts'

const described = entities.filter((entity) => resources[entity].own.includes('description'))

onEveryHost('Descriptions', (tracker) => {
  for (const entity of described) {
    const update = async (values: object) => {
      const row = await tracker.make(entity, { description: 'As it was' })
      const { description: _, ...otherFields } = tracker.change(entity, row)
      await done(tracker.update(entity, { ...otherFields, ...values }, tracker.administrator))
      return (await recordIn(tracker.get(entity, row.id, tracker.administrator))).description
    }

    test(`${a(entity)} created without a description has none`, async () => {
      assert.equal((await tracker.make(entity)).description, null)
    })

    test(`${a(entity)} created with null as its description has none`, async () => {
      assert.equal((await tracker.make(entity, { description: null })).description, null)
    })

    test(`the description of ${a(entity)} is trimmed`, async () => {
      assert.equal((await tracker.make(entity, { description: '  two\nlines ' })).description, 'two\nlines')
      assert.equal((await tracker.make(entity, { description: '   ' })).description, '')
    })

    // A typed message cannot distinguish an absent field from one that is to be cleared.
    const effect = tracker.hasTypedFields ? 'clears it' : 'does not change it'
    test(`an update of ${a(entity)} that leaves out the description ${effect}`, async () => {
      assert.equal(await update({}), tracker.hasTypedFields ? null : 'As it was')
    })

    test(`an update with another description changes the description of the ${entity}`, async () => {
      assert.equal(await update({ description: 'Otherwise' }), 'Otherwise')
    })

    test(`an update with null clears the description of the ${entity}`, async () => {
      assert.equal(await update({ description: null }), null)
    })

    const max = resources[entity].lengths.description ?? 0
    test(`the description of ${a(entity)} has at most ${max} characters`, async () => {
      const longest = '🏗'.repeat(max)
      assert.equal((await tracker.make(entity, { description: `  ${longest}  ` })).description, longest)
      const body = await tracker.valid(entity, { description: `${longest}x` })
      await invalid(tracker.create(entity, body, tracker.administrator), 'description')
    })
  }
})
