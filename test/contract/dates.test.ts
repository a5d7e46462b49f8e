import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { microsecondsOf } from './moments.ts'
import { done, invalid, invalidWith, recordIn } from './outcomes.ts'
import { a, type Entity } from './resources.ts'

/** The sent text, and the timestamp in UTC that it means. */
const good: readonly (readonly [string, string])[] = [
  ['2026-04-05', '2026-04-05T00:00:00Z'],
  ['2028-02-29', '2028-02-29T00:00:00Z'],
  ['2026-04-05T06:07', '2026-04-05T06:07:00Z'],
  ['2026-04-05T06:07:08', '2026-04-05T06:07:08Z'],
  ['2026-04-05T06:07:08Z', '2026-04-05T06:07:08Z'],
  ['2026-04-05T06:07:08.9', '2026-04-05T06:07:08.9Z'],
  ['2026-04-05T06:07:08.123456Z', '2026-04-05T06:07:08.123456Z'],
  ['2026-04-05T06:07:08.1234560Z', '2026-04-05T06:07:08.123456Z'],
  ['2026-04-05T06:07:08.123456789Z', '2026-04-05T06:07:08.123456Z'],
  ['2026-04-05T06:07:08.999999999', '2026-04-05T06:07:08.999999Z'],
  ['2026-04-05T06:07:08.12345678901234567890+00:00', '2026-04-05T06:07:08.123456Z'],
  ['2026-04-05T06:07:08+02:00', '2026-04-05T04:07:08Z'],
  ['2026-04-05T06:07:08.000001-05:30', '2026-04-05T11:37:08.000001Z'],
  ['2026-04-05T00:30+01:00', '2026-04-04T23:30:00Z'],
  ['1999-12-31T23:59:59.999999Z', '1999-12-31T23:59:59.999999Z'],
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

const dateFields: readonly (readonly [Entity, string[]])[] = [
  ['appointment', ['keepDate']],
  ['assignment', ['startDate', 'endDate']],
]

onEveryHost('Dates', (tracker) => {
  for (const [entity, fields] of dateFields) {
    const values = (value: string) => Object.fromEntries(fields.map((field) => [field, value]))

    for (const [sent, meant] of good)
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

  test('an assignment that ends before it starts is rejected in the words of the contract', async () => {
    for (const [startDate, endDate] of [
      ['2026-05-02', '2026-05-01'],
      ['2026-05-01T10:00:00.000001Z', '2026-05-01T10:00:00Z'],
      ['2026-05-01T10:00:00Z', '2026-05-01T11:00:00+02:00'],
      ['2026-05-01T00:00:01', '2026-05-01'],
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
      ...['name', 'amountHours', 'endDate'],
    )
    assert.deepEqual(errors.endDate, endsTooEarly.endDate)
  })
})
