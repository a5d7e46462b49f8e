import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Input } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { newWord, once } from './make-rows.ts'
import { done, invalid, invalidWith, recordIn, rejected } from './outcomes.ts'
import { a, creatable, type Entity, pascalCase, requiredOnCreate, resources } from './resources.ts'
import { microsecondsOf } from './timestamps.ts'

onEveryHost('Texts', (tracker) => {
  for (const entity of creatable.filter(
    (candidate) => Object.keys(resources[candidate].lengths).length > 0,
  )) {
    const { lengths: charactersMax } = resources[entity]
    const fields = Object.keys(charactersMax)
    const textsOf = (text: (charactersMax: number) => string) =>
      Object.fromEntries(fields.map((field) => [field, text(charactersMax[field] ?? 0)]))
    const fillTexts = (character: string, excess = 0) => {
      const word = newWord()
      return textsOf(
        (characters) =>
          word.slice(0, characters) + character.repeat(Math.max(0, characters - word.length) + excess),
      )
    }
    const assertRejected = async (values: Input) =>
      invalid(tracker.create(entity, await tracker.valid(entity, values), tracker.administrator), ...fields)
    const limits = fields.map((field) => `${field} ${charactersMax[field]}`).join(', ')

    test(`${a(entity)} is stored with trimmed texts (${fields.join(', ')}) and their inner blanks`, async () => {
      const word = newWord()
      const trimmed = textsOf((characters) => `${word.slice(0, characters - 5)}  two`)
      const row = await tracker.make(
        entity,
        Object.fromEntries(fields.map((field) => [field, `\t ${trimmed[field]} \n`])),
      )
      const stored = await recordIn(tracker.get(entity, row.id, tracker.administrator))
      for (const field of fields) assert.deepEqual([row[field], stored[field]], Array(2).fill(trimmed[field]))
    })

    test(`${a(entity)} has limited lengths, counted in characters after trimming: ${limits}`, async () => {
      for (const character of ['x', '𝄞']) {
        const longest = fillTexts(character)
        const padded = fields.map((field) => [field, `  ${longest[field]} `])
        const row = await tracker.make(entity, Object.fromEntries(padded))
        for (const field of fields) assert.equal(row[field], longest[field])
        await assertRejected(fillTexts(character, 1))
      }
    })

    test(`${a(entity)} may not contain NUL`, async () => {
      const texts = textsOf(() => 'one\u0000two')
      await assertRejected(texts)
      const change = tracker.change(entity, await tracker.make(entity), texts)
      await invalid(tracker.update(entity, change, tracker.administrator), ...fields)
    })

    test(`an update of ${a(entity)} has the same limits: ${limits}`, async () => {
      const row = await tracker.make(entity)
      const change = tracker.change(entity, row, fillTexts('x', 1))
      await invalid(tracker.update(entity, change, tracker.administrator), ...fields)
    })
  }

  test('a password may not contain NUL', async () => {
    const body = await tracker.valid('user', { password: 'Secret\u0000-123' })
    await invalid(tracker.create('user', body, tracker.administrator), 'password')
  })

  test('texts are stored unchanged, in any script', async () => {
    const name = `Ωmega "quoted" <b>'\\n' 漢字 👩‍👩‍👧 ﷽ é`
    const row = await tracker.make('organization', { name })
    assert.equal(row.name, name)
    assert.equal((await recordIn(tracker.get('organization', row.id, tracker.administrator))).name, name)
  })
})

/** A sum of doubles, and a 32-bit float. Some generated clients send such numbers. */
const nearHundredths = [
  { sent: 0.1 + 0.2, stored: 0.3 },
  { sent: Math.fround(12.01), stored: 12.01 },
] as const

interface NumberField {
  readonly entity: Entity
  readonly field: string
  readonly good: readonly number[]
  readonly bad: readonly number[]
  /** Values that are stored as the nearest hundredth. */
  readonly near: readonly { readonly sent: number; readonly stored: number }[]
}

const numberFields: readonly NumberField[] = [
  {
    entity: 'assignment',
    field: 'amountHours',
    good: [0, 0.01, 0.25, 1, 7.5, 1234.56, 99999.99, 100000],
    bad: [-0.01, -1, 0.001, 12.010002, 1.005, 100000.01, 100001, 1e300],
    near: nearHundredths,
  },
  {
    entity: 'appointment',
    field: 'amountHours',
    good: [0.01, 0.25, 1, 1.1, 2.75, 99999.99, 100000],
    bad: [0, -0.25, 0.005, 2.125, 100000.01, 1e9],
    near: nearHundredths,
  },
  {
    entity: 'workflow',
    field: 'order',
    good: [0, 1, 2147483647],
    bad: [-1, 0.5, 2147483648, 1e300],
    near: [],
  },
]

const isInt32 = (value: number) => Math.abs(value) < 2 ** 31

onEveryHost('Numbers', (tracker) => {
  for (const { entity, field, good, bad, near } of numberFields) {
    for (const value of good)
      test(`${value} is stored as the ${field} of ${a(entity)}`, async () => {
        const row = await tracker.make(entity, { [field]: value })
        assert.equal(row[field], value)
        assert.equal((await recordIn(tracker.get(entity, row.id, tracker.administrator)))[field], value)
      })

    const sendable =
      field === 'order' && tracker.hasTypedFields ? bad.filter(Number.isInteger).filter(isInt32) : bad
    for (const value of sendable)
      test(`${value} is rejected as the ${field} of ${a(entity)}`, async () => {
        const body = await tracker.valid(entity, { [field]: value })
        await invalid(tracker.create(entity, body, tracker.administrator), field)
      })

    for (const { sent, stored } of near)
      test(`${sent} is stored as ${stored}, the ${field} of ${a(entity)}`, async () => {
        const row = await tracker.make(entity, { [field]: sent })
        assert.equal(row[field], stored)
      })

    test(`an update of ${a(entity)} has the same limits of ${field}`, async () => {
      const row = await tracker.make(entity)
      const change = tracker.change(entity, row, { [field]: bad[0] })
      await invalid(tracker.update(entity, change, tracker.administrator), field)
    })
  }
})

/** The sent text and its timestamp in UTC. */
const good = [
  { sent: '2026-04-05', meant: '2026-04-05T00:00:00Z' },
  { sent: '2028-02-29', meant: '2028-02-29T00:00:00Z' },
  { sent: '2026-04-05T06:07', meant: '2026-04-05T06:07:00Z' },
  { sent: '2026-04-05T06:07:08', meant: '2026-04-05T06:07:08Z' },
  { sent: '2026-04-05T06:07:08Z', meant: '2026-04-05T06:07:08Z' },
  { sent: '2026-04-05T06:07:08.9', meant: '2026-04-05T06:07:08.9Z' },
  { sent: '2026-04-05T06:07:08.123456Z', meant: '2026-04-05T06:07:08.123456Z' },
  { sent: '2026-04-05T06:07:08.1234560Z', meant: '2026-04-05T06:07:08.123456Z' },
  { sent: '2026-04-05T06:07:08.123456789Z', meant: '2026-04-05T06:07:08.123456Z' },
  { sent: '2026-04-05T06:07:08.999999999', meant: '2026-04-05T06:07:08.999999Z' },
  { sent: '2026-04-05T06:07:08.12345678901234567890+00:00', meant: '2026-04-05T06:07:08.123456Z' },
  { sent: '2026-04-05T06:07:08+02:00', meant: '2026-04-05T04:07:08Z' },
  { sent: '2026-04-05T06:07:08.000001-05:30', meant: '2026-04-05T11:37:08.000001Z' },
  { sent: '2026-04-05T00:30+01:00', meant: '2026-04-04T23:30:00Z' },
  { sent: '1999-12-31T23:59:59.999999Z', meant: '1999-12-31T23:59:59.999999Z' },
]

const bad = [
  '',
  'tomorrow',
  '2026-02-30',
  '2027-02-29',
  '2026-04-31T10:00:00Z',
  '2026-13-01',
  '2026-00-10',
  '2026-4-5',
  '05/04/2026',
  '2026-04-05T25:00',
  '2026-04-05T10:60',
  '2026-04-05T10:00:61Z',
  '2026-02-30T10:00:00.123456789Z',
  '2026-04-05T10:00:00.Z',
  '2026-04-05T10:00:00+2',
  '1775347200',
  '9999-12-31T23:59:59-02:00',
]

const dateFields: readonly { readonly entity: Entity; readonly fields: readonly string[] }[] = [
  { entity: 'appointment', fields: ['keepDate'] },
  { entity: 'assignment', fields: ['startDate', 'endDate'] },
]

onEveryHost('Dates', (tracker) => {
  for (const { entity, fields } of dateFields) {
    const values = (value: string) => Object.fromEntries(fields.map((field) => [field, value]))

    for (const { sent, meant } of good)
      test(`${sent} as ${fields.join(' and ')} of ${a(entity)} means ${meant}`, async () => {
        const row = await tracker.make(entity, values(sent))
        for (const field of fields) assert.equal(microsecondsOf(row[field]), microsecondsOf(meant))
        assert.deepEqual(await recordIn(tracker.get(entity, row.id, tracker.administrator)), row)
      })

    for (const sent of bad)
      test(`'${sent}' is rejected as ${fields.join(' and ')} of ${a(entity)}`, async () => {
        const body = await tracker.valid(entity, values(sent))
        await invalid(tracker.create(entity, body, tracker.administrator), ...fields)
      })
  }

  const endsTooEarly = { endDate: ['End date must be on or after start date.'] }

  test('an assignment that ends before it starts is rejected with the message of the contract', async () => {
    for (const { startDate, endDate } of [
      { startDate: '2026-05-02', endDate: '2026-05-01' },
      { startDate: '2026-05-01T10:00:00.000001Z', endDate: '2026-05-01T10:00:00Z' },
      { startDate: '2026-05-01T10:00:00Z', endDate: '2026-05-01T11:00:00+02:00' },
      { startDate: '2026-05-01T00:00:01', endDate: '2026-05-01' },
    ]) {
      const body = await tracker.valid('assignment', { startDate, endDate })
      await invalidWith(tracker.create('assignment', body, tracker.administrator), endsTooEarly)
    }
  })

  test('an assignment may end when it starts', async () => {
    await tracker.make('assignment', { startDate: '2026-05-01', endDate: '2026-05-01' })
    await tracker.make('assignment', { startDate: '2026-05-01T12:00+02:00', endDate: '2026-05-01T10:00Z' })
  })

  test('an update cannot make an assignment end before it starts', async () => {
    const row = await tracker.make('assignment')
    const change = tracker.change('assignment', row, { startDate: '2026-06-02', endDate: '2026-06-01' })
    await invalidWith(tracker.update('assignment', change, tracker.administrator), endsTooEarly)
    const later = tracker.change('assignment', row, { startDate: '2026-06-01', endDate: '2026-06-02' })
    await done(tracker.update('assignment', later, tracker.administrator))
  })

  test('an end before the start is reported together with every other violation', async () => {
    const values = { name: ' ', amountHours: -1, startDate: '2026-05-02', endDate: '2026-05-01' }
    const body = await tracker.valid('assignment', values)
    const { errors } = await invalid(
      tracker.create('assignment', body, tracker.administrator),
      'name',
      'amountHours',
      'endDate',
    )
    assert.deepEqual(errors.endDate, endsTooEarly.endDate)
  })
})

const zero = '00000000-0000-0000-0000-000000000000'
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

onEveryHost('Ids', (tracker) => {
  for (const entity of creatable) {
    test(`${a(entity)} is stored with the id in its body`, async () => {
      const id = randomUUID()
      assert.equal((await tracker.make(entity, { id })).id, id)
      assert.equal((await recordIn(tracker.get(entity, id, tracker.administrator))).id, id)
    })

    test(`the id of ${a(entity)} is written in lower case`, async () => {
      const id = randomUUID()
      assert.equal((await tracker.make(entity, { id: id.toUpperCase() })).id, id)
      assert.equal((await recordIn(tracker.get(entity, id.toUpperCase(), tracker.administrator))).id, id)
    })

    for (const { title, values } of [
      { title: 'no id', values: {} },
      { title: 'null as its id', values: { id: null } },
      { title: 'the zero UUID as its id', values: { id: zero } },
    ] as const)
      test(`${a(entity)} with ${title} gets a new id`, async () => {
        assert.match((await tracker.make(entity, values)).id, uuid7)
      })

    test(`${a(entity)} with a malformed id is rejected`, async () => {
      for (const id of [`${randomUUID()}0`, `urn:uuid:${randomUUID()}`])
        await invalidWith(
          tracker.create(entity, await tracker.valid(entity, { id }), tracker.administrator),
          { id: ['Id must be a UUID.'] },
        )
    })

    test(`the id of ${a(entity)} is unique, regardless of capitals`, async () => {
      const { id } = await tracker.make(entity)
      for (const taken of [id, id.toUpperCase()]) {
        const body = await tracker.valid(entity, { id: taken })
        await rejected(tracker.create(entity, body, tracker.administrator), 'duplicate')
      }
    })

    test(`the id of a removed ${entity} stays taken`, async () => {
      const { id } = await tracker.makeRemoved(entity)
      const body = await tracker.valid(entity, { id })
      await rejected(tracker.create(entity, body, tracker.administrator), 'duplicate')
    })

    test(`a malformed or missing id is rejected when getting ${a(entity)}`, async () => {
      await invalidWith(tracker.get(entity, 'none', tracker.administrator), { id: ['Id must be a UUID.'] })
      await invalid(tracker.get(entity, '', tracker.administrator), 'id')
    })

    test(`getting or updating ${a(entity)} that does not exist is answered as missing`, async () => {
      const id = randomUUID()
      await rejected(tracker.get(entity, id, tracker.administrator), 'missing')
      const body = await tracker.valid(entity, { id })
      await rejected(tracker.update(entity, body, tracker.administrator), 'missing')
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
        const answer = await tracker.update(entity, { ...body, id }, tracker.administrator)
        assert.ok(answer.kinds.includes('invalid') || answer.kinds.includes('missing'), answer.message)
      }
    })
  }

  test('an id is a duplicate even when it belongs to a row the caller cannot see', async () => {
    const [hidden, ownProject] = await Promise.all([tracker.make('project'), tracker.make('project')])
    const [task, ann] = await Promise.all([
      tracker.make('assignment', { projectId: hidden.id }),
      tracker.memberOf(ownProject),
    ])
    await rejected(tracker.get('assignment', task.id, ann), 'missing')
    const project = await tracker.valid('project', { id: hidden.id })
    await rejected(tracker.create('project', project, ann), 'duplicate')
    const assignment = await tracker.valid('assignment', { id: task.id, projectId: ownProject.id })
    await rejected(tracker.create('assignment', assignment, ann), 'duplicate')
  })

  test('when several callers create a row with the same id at once, one succeeds', async () => {
    const body = await tracker.valid('organization', { id: randomUUID() })
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => tracker.create('organization', body, tracker.administrator)),
    )
    assert.equal(answers.filter(({ kinds }) => kinds.includes('ok')).length, 1)
    assert.equal(answers.filter(({ kinds }) => kinds.includes('duplicate')).length, 3)
  })
})

/** An update without login and password does not change them. */
const requiredOnUpdate = (entity: Entity) => [
  'id',
  ...requiredOnCreate(entity).filter((field) => field !== 'login' && field !== 'password'),
  ...resources[entity].byCaller,
]

onEveryHost('Required fields', (tracker) => {
  for (const entity of creatable) {
    const required = requiredOnCreate(entity)
    const shared = once(() => tracker.make(entity))

    test(`an empty ${entity} gets an error for every required field: ${required.join(', ')}`, async () => {
      const { errors } = await invalid(tracker.create(entity, {}, tracker.administrator), ...required)
      for (const [field, [sentence]] of Object.entries(errors))
        assert.match(sentence ?? '', new RegExp(`^${pascalCase(field)} .*\\.$`))
    })

    test(`an empty update of ${a(entity)} gets an error for every required field, including id`, async () => {
      await invalid(tracker.update(entity, {}, tracker.administrator), ...requiredOnUpdate(entity))
    })

    test(`null in the required fields of ${a(entity)} counts as missing`, async () => {
      const nulls = Object.fromEntries(required.map((field) => [field, null]))
      await invalid(tracker.create(entity, nulls, tracker.administrator), ...required)
    })

    test(`${a(entity)} with only the required fields is created`, async () => {
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

      test(`an update of ${a(entity)} without ${field} is ${requiredOnUpdate(entity).includes(field) ? 'rejected' : 'accepted'}`, async () => {
        const { [field]: _, ...body } = tracker.change(entity, await shared())
        const answer = tracker.update(entity, body, tracker.administrator)
        if (requiredOnUpdate(entity).includes(field)) await invalid(answer, field)
        else await done(answer)
      })
    }

    for (const field of resources[entity].byCaller) {
      test(`${a(entity)} whose ${field} is left out belongs to its creator`, async () => {
        const { [field]: _, ...body } = await tracker.valid(entity)
        const { id } = tracker.administrator
        for (const noOwner of [{}, { [field]: null }, { [field]: zero }]) {
          const row = await recordIn(tracker.create(entity, { ...body, ...noOwner }, tracker.administrator))
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
    await done(tracker.update('organization', change, tracker.administrator))
  })
})
