import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { once } from './make-rows.ts'
import { done, idsIn, invalidWith } from './outcomes.ts'

const june = { dateFrom: '2026-06-10', dateTo: '2026-06-20' }

/** When an appointment is kept, and whether [10 June, 20 June) holds it. */
const appointments: readonly (readonly [string, boolean])[] = [
  ['2026-06-09T23:59:59.999999Z', false],
  ['2026-06-10T00:00:00Z', true],
  ['2026-06-10T01:00:00+02:00', false],
  ['2026-06-15T12:00:00Z', true],
  ['2026-06-19T23:59:59.999999Z', true],
  ['2026-06-20T00:00:00Z', false],
  ['2026-06-20T01:00:00+02:00', true],
]

/** Start and end of an assignment, and whether it overlaps [10 June, 20 June). */
const assignments: readonly (readonly [string, string, boolean])[] = [
  ['2026-06-01', '2026-06-09T23:59:59.999999Z', false],
  ['2026-06-01', '2026-06-10', true],
  ['2026-06-12', '2026-06-13', true],
  ['2026-06-01', '2026-06-30', true],
  ['2026-06-19T23:59:59.999999Z', '2026-06-30', true],
  ['2026-06-20', '2026-06-30', false],
  ['2026-06-10', '2026-06-10', true],
]

const accepted = [
  ...['2026-06-10', '2026-06-10T00:00', '2026-06-10T00:00:00', '2026-06-10T00:00:00.0', '2026-06-10T00:00Z'],
  ...['2026-06-10T00:00:00.0000000', '2026-06-10T00:00:00.0000000Z', '2026-06-10T02:00:00+02:00'],
  ...['2026-06-09T18:30-05:30', '2026-06-10T00:00:00.000000+00:00', '2026-06-10T00:00:00.000000999Z'],
  ...['2026-06-10T02:00:00.000000000+02:00', '2026-06-10T00:00:00.00000000000000000000'],
]

const refusedDates = [
  ...['yesterday', '2026-13-01', '2026-02-30', '2027-02-29', '2026-02-30T10:00:00Z', '2026-6-1', '2026-06'],
  ...['01/06/2026', '2026-06-10T24:30', '2026-06-10T10:60', '2026-06-10T10:00:00.', '1780272000'],
  ...['2026-06-10T10:00:00 02:00', '2026-06-10T10:00+25:00', '2026-06-10TZ', '20260610'],
]

onEveryHost('Dates that filter a list', (tracker) => {
  const keep = async (keepDate: string) => (await tracker.make('appointment', { keepDate })).id
  const plan = async (startDate: string, endDate: string) =>
    (await tracker.make('assignment', { startDate, endDate })).id
  const isListed = async (entity: 'appointment' | 'assignment', ids: string, query: Query) =>
    (await idsIn(tracker.list(entity, { ...query, ids }, tracker.administrator))).length === 1

  for (const [keepDate, expected] of appointments)
    test(`an appointment at ${keepDate} is ${expected ? '' : 'not '}kept from 10 to 20 June`, async () => {
      assert.equal(await isListed('appointment', await keep(keepDate), june), expected)
    })

  for (const [startDate, endDate, expected] of assignments)
    test(`an assignment from ${startDate} to ${endDate} does ${expected ? '' : 'not '}overlap 10 to 20 June`, async () => {
      assert.equal(await isListed('assignment', await plan(startDate, endDate), june), expected)
    })

  test('each of the two dates may be given alone', async () => {
    const [early, late] = await Promise.all([keep('2026-06-09'), keep('2026-06-20')])
    const { dateFrom, dateTo } = june
    assert.equal(await isListed('appointment', early, { dateFrom }), false)
    assert.equal(await isListed('appointment', late, { dateFrom }), true)
    assert.equal(await isListed('appointment', early, { dateTo }), true)
    assert.equal(await isListed('appointment', late, { dateTo }), false)
    const [before, after] = await Promise.all([
      plan('2026-06-01', '2026-06-09'),
      plan('2026-06-20', '2026-06-21'),
    ])
    assert.equal(await isListed('assignment', before, { dateFrom }), false)
    assert.equal(await isListed('assignment', after, { dateFrom }), true)
    assert.equal(await isListed('assignment', before, { dateTo }), true)
    assert.equal(await isListed('assignment', after, { dateTo }), false)
  })

  const aroundMidnight = once(() =>
    Promise.all([keep('2026-06-09T23:59:59.999999Z'), keep('2026-06-10T00:00:00Z')]),
  )

  for (const dateFrom of accepted)
    test(`${dateFrom} is a timestamp, and the start of 10 June`, async () => {
      const [before, at] = await aroundMidnight()
      const list = (query: Query) =>
        idsIn(tracker.list('appointment', { ...query, ids: `${before},${at}` }, tracker.administrator))
      assert.deepEqual(await list({ dateFrom }), [at])
      assert.deepEqual(await list({ dateTo: dateFrom }), [before])
    })

  for (const value of refusedDates)
    test(`${value} is rejected as a timestamp`, async () => {
      for (const entity of ['appointment', 'assignment'] as const)
        await invalidWith(tracker.list(entity, { dateFrom: value, dateTo: value }, tracker.administrator), {
          dateFrom: ['DateFrom must be an ISO-8601 date and time.'],
          dateTo: ['DateTo must be an ISO-8601 date and time.'],
        })
    })

  test('a range that ends before it starts is rejected under dateTo', async () => {
    for (const [dateFrom, dateTo] of [
      ['2026-06-11', '2026-06-10'],
      ['2026-06-10T00:00:00.000001Z', '2026-06-10'],
      ['2026-06-10T10:00:00Z', '2026-06-10T11:00:00+02:00'],
    ] as const)
      for (const entity of ['appointment', 'assignment'] as const) {
        const { errors } = await tracker.list(entity, { dateFrom, dateTo }, tracker.administrator)
        assert.deepEqual(Object.keys(errors), ['dateTo'])
        assert.match(errors.dateTo?.[0] ?? '', /^DateTo .*\.$/)
      }
  })

  test('an empty range is no mistake', async () => {
    const moment = { dateFrom: '2026-06-10T10:00Z', dateTo: '2026-06-10T12:00+02:00' }
    assert.equal(await isListed('appointment', await keep('2026-06-10T10:00:00Z'), moment), false)
    assert.equal(await isListed('assignment', await plan('2026-06-10', '2026-06-11'), moment), true)
    await done(tracker.list('appointment', moment, tracker.administrator))
  })

  test('one malformed date is reported by itself', async () => {
    const query = { dateFrom: '2026-06-10', dateTo: 'later' }
    await invalidWith(tracker.list('appointment', query, tracker.administrator), {
      dateTo: ['DateTo must be an ISO-8601 date and time.'],
    })
  })
})
