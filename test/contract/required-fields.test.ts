import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { once } from './make-rows.ts'
import { invalid, recordIn, refused } from './outcomes.ts'
import { a, type Entity, entities, pascalCase, requiredOnCreate, resources } from './resources.ts'

/** A user's login and password stay as they are when an update leaves them out. */
const requiredOnUpdate = (entity: Entity) => [
  'id',
  ...requiredOnCreate(entity).filter((field) => field !== 'login' && field !== 'password'),
  ...resources[entity].byCaller,
]

onEveryHost('Required fields', (tracker) => {
  for (const entity of entities) {
    const required = requiredOnCreate(entity)
    const shared = once(() => tracker.make(entity))

    test(`an empty ${entity} gets an error for every field it needs: ${required.join(', ')}`, async () => {
      const { errors } = await invalid(tracker.create(entity, {}, tracker.administrator), ...required)
      for (const [field, [sentence]] of Object.entries(errors))
        assert.match(sentence ?? '', new RegExp(`^${pascalCase(field)} .*\\.$`))
    })

    test(`an empty update of ${a(entity)} gets an error for every field it needs, id among them`, async () => {
      await invalid(tracker.update(entity, {}, tracker.administrator), ...requiredOnUpdate(entity))
    })

    test(`null in the required fields of ${a(entity)} counts as missing`, async () => {
      const nulls = Object.fromEntries(required.map((field) => [field, null]))
      await invalid(tracker.create(entity, nulls, tracker.administrator), ...required)
    })

    test(`${a(entity)} with nothing but the required fields is created`, async () => {
      const body = await tracker.valid(entity)
      assert.deepEqual(
        Object.keys(body)
          .filter((field) => ![...required, ...resources[entity].byCaller].includes(field))
          .sort(),
        [],
      )
      await recordIn(tracker.create(entity, body, tracker.administrator))
    })

    for (const field of required) {
      test(`${a(entity)} without ${field} is rejected under ${field}`, async () => {
        const { [field]: _, ...body } = await tracker.valid(entity)
        await invalid(tracker.create(entity, body, tracker.administrator), field)
      })

      test(`an update of ${a(entity)} without ${field} is ${requiredOnUpdate(entity).includes(field) ? 'refused' : 'accepted'}`, async () => {
        const { [field]: _, ...body } = tracker.change(entity, await shared())
        const answer = tracker.update(entity, body, tracker.administrator)
        if (requiredOnUpdate(entity).includes(field)) await invalid(answer, field)
        else await refused(answer, 'ok')
      })
    }

    for (const field of resources[entity].byCaller) {
      test(`${a(entity)} whose ${field} is left out belongs to its creator`, async () => {
        const { [field]: _, ...body } = await tracker.valid(entity)
        const { id } = tracker.administrator
        for (const nothing of [{}, { [field]: null }, { [field]: '00000000-0000-0000-0000-000000000000' }]) {
          const row = await recordIn(tracker.create(entity, { ...body, ...nothing }, tracker.administrator))
          assert.equal(row[field], id)
          assert.deepEqual(await recordIn(tracker.get(entity, row.id, tracker.administrator)), row)
        }
        await invalid(tracker.create(entity, { ...body, [field]: 'none' }, tracker.administrator), field)
      })

      test(`an update of ${a(entity)} without ${field} is rejected`, async () => {
        const { [field]: _, ...body } = tracker.change(entity, await shared())
        await invalid(tracker.update(entity, body, tracker.administrator), field)
      })
    }

    for (const field of required.filter((name) => name in resources[entity].lengths || name === 'password')) {
      test(`${a(entity)} whose ${field} is only white space is rejected under ${field}`, async () => {
        const body = await tracker.valid(entity, { [field]: ' \t\n  ' })
        await invalid(tracker.create(entity, body, tracker.administrator), field)
        const blank = await tracker.valid(entity, { [field]: '' })
        await invalid(tracker.create(entity, blank, tracker.administrator), field)
      })
    }

    if (resources[entity].own.includes('name'))
      test(`an update cannot blank the name of ${a(entity)}`, async () => {
        const row = await tracker.make(entity)
        await invalid(
          tracker.update(entity, tracker.change(entity, row, { name: ' ' }), tracker.administrator),
          'name',
        )
        await invalid(
          tracker.update(entity, tracker.change(entity, row, { name: null }), tracker.administrator),
          'name',
        )
      })
  }

  test('every violation of a body is reported at once', async () => {
    const body = {
      id: 'none',
      name: ' ',
      description: 'x'.repeat(2001),
      startDate: '2026-02-30',
      endDate: 'soon',
      amountHours: -1,
      projectId: 'none',
      workflowId: 'none',
      userId: 'none',
    }
    const assignment = [...Object.keys(body), 'assignmentTypeId']
    await invalid(tracker.create('assignment', body, tracker.administrator), ...assignment)
    await invalid(tracker.update('assignment', body, tracker.administrator), ...assignment)
  })

  test('unknown keys of a body are ignored', async () => {
    const row = await tracker.make('organization', { colour: 'red', Name: 'Other', organizationid: 5 })
    assert.equal(row.name, resources.organization.sample.name)
    assert.ok(!('colour' in row))
    const change = tracker.change('organization', row, { name: 'Changed', colour: 'blue' })
    await refused(tracker.update('organization', change, tracker.administrator), 'ok')
  })
})
