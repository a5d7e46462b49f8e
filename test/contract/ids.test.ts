import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { done, invalid, invalidWith, recordIn, refused } from './outcomes.ts'
import { a, entities } from './resources.ts'

const zero = '00000000-0000-0000-0000-000000000000'
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

onEveryHost('Ids', (tracker) => {
  for (const entity of entities) {
    test(`${a(entity)} keeps the id it is given`, async () => {
      const id = randomUUID()
      assert.equal((await tracker.make(entity, { id })).id, id)
      assert.equal((await recordIn(tracker.get(entity, id, tracker.administrator))).id, id)
    })

    test(`the id of ${a(entity)} is written in lower case, and found in any`, async () => {
      const id = randomUUID()
      assert.equal((await tracker.make(entity, { id: id.toUpperCase() })).id, id)
      assert.equal((await recordIn(tracker.get(entity, id.toUpperCase(), tracker.administrator))).id, id)
    })

    for (const [words, values] of [
      ['no id', {}],
      ['null as its id', { id: null }],
      ['the zero UUID as its id', { id: zero }],
    ] as const)
      test(`${a(entity)} with ${words} gets a new one`, async () => {
        assert.match((await tracker.make(entity, values)).id, uuid7)
      })

    test(`${a(entity)} with a malformed id is rejected`, async () => {
      for (const id of [`${randomUUID()}0`, `urn:uuid:${randomUUID()}`])
        await invalidWith(
          tracker.create(entity, await tracker.valid(entity, { id }), tracker.administrator),
          {
            id: ['Id must be a UUID.'],
          },
        )
    })

    test(`the id of ${a(entity)} is taken once, whatever its capitals`, async () => {
      const { id } = await tracker.make(entity)
      for (const taken of [id, id.toUpperCase()]) {
        const body = await tracker.valid(entity, { id: taken })
        await refused(tracker.create(entity, body, tracker.administrator), 'duplicate')
      }
    })

    test(`the id of a removed ${entity} stays taken`, async () => {
      const { id } = await tracker.makeRemoved(entity)
      const body = await tracker.valid(entity, { id })
      await refused(tracker.create(entity, body, tracker.administrator), 'duplicate')
    })

    test(`a malformed or missing id is rejected when getting ${a(entity)}`, async () => {
      await invalidWith(tracker.get(entity, 'none', tracker.administrator), { id: ['Id must be a UUID.'] })
      await invalid(tracker.get(entity, '', tracker.administrator), 'id')
    })

    test(`getting or updating ${a(entity)} that never was finds nothing`, async () => {
      const id = randomUUID()
      await refused(tracker.get(entity, id, tracker.administrator), 'missing')
      const body = await tracker.valid(entity, { id })
      await refused(tracker.update(entity, body, tracker.administrator), 'missing')
    })

    test(`an update finds its ${entity} by an id in any capitals`, async () => {
      const row = await tracker.make(entity)
      const body = tracker.change(entity, row, { id: row.id.toUpperCase() })
      await done(tracker.update(entity, body, tracker.administrator))
    })

    test(`an update of ${a(entity)} needs a well-formed id`, async () => {
      const body = await tracker.valid(entity, { id: 'none' })
      await invalidWith(tracker.update(entity, body, tracker.administrator), { id: ['Id must be a UUID.'] })
      for (const id of [null, zero]) {
        const nothing = await tracker.update(entity, { ...body, id }, tracker.administrator)
        assert.ok(nothing.kinds.includes('invalid') || nothing.kinds.includes('missing'), nothing.message)
      }
    })
  }

  test('an id is a duplicate even when it belongs to a row the caller cannot see', async () => {
    const [hidden, own] = await Promise.all([tracker.make('project'), tracker.make('project')])
    const [task, ann] = await Promise.all([
      tracker.make('assignment', { projectId: hidden.id }),
      tracker.memberOf(own),
    ])
    await refused(tracker.get('assignment', task.id, ann), 'missing')
    const project = await tracker.valid('project', { id: hidden.id })
    await refused(tracker.create('project', project, ann), 'duplicate')
    const assignment = await tracker.valid('assignment', { id: task.id, projectId: own.id })
    await refused(tracker.create('assignment', assignment, ann), 'duplicate')
  })

  test('two users who create a row with the same id at once: one learns that it is taken', async () => {
    const body = await tracker.valid('organization', { id: randomUUID() })
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => tracker.create('organization', body, tracker.administrator)),
    )
    assert.equal(answers.filter(({ kinds }) => kinds.includes('ok')).length, 1)
    assert.equal(answers.filter(({ kinds }) => kinds.includes('duplicate')).length, 3)
  })
})
