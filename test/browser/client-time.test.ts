/// <reference lib="dom" />
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ticksFor } from '../../web/src/screens/reports/periods.ts'
import { assignmentsOf, type Given, projectsOf, weeksOf } from '../../web/src/screens/reports/report.ts'
import { mondayOf, readWeek } from '../../web/src/time/days.ts'
import { plannedHours, sumHours } from '../../web/src/time/hours.ts'

const planned = (startDate: string, endDate: string, amountHours: number) => ({
  startDate,
  endDate,
  amountHours,
})

describe('Planned hours', () => {
  test('are spread over the working days of the period, whatever the time of day it begins', () => {
    const work = planned('2026-11-19T15:00:00Z', '2026-11-25T08:00:00Z', 10)
    assert.equal(plannedHours(work, '2026-11-16', '2026-11-23'), 4)
    assert.equal(plannedHours(work, '2026-11-23', '2026-11-30'), 6)
    assert.equal(plannedHours(work, '2026-11-21', '2026-11-23'), 0)
  })

  test('beyond the period are none', () => {
    const work = planned('2026-11-19', '2026-11-25', 10)
    assert.equal(plannedHours(work, '2026-11-26', '2026-12-30'), 0)
    assert.equal(plannedHours(work, '2026-10-01', '2026-11-19'), 0)
  })

  test('of a weekend are spread over its days', () => {
    assert.equal(plannedHours(planned('2026-11-21', '2026-11-22', 6), '2026-11-22', '2026-11-23'), 3)
  })

  test('of a period of centuries are counted at once', () => {
    const hours = plannedHours(planned('1000-01-01', '2999-12-31', 1000), '1000-01-01', '3000-01-01')
    assert.equal(hours, 1000)
  })
})

describe('Weeks', () => {
  test('begin on Monday, also across years', () => {
    assert.equal(mondayOf('2026-11-22'), '2026-11-16')
    assert.equal(mondayOf('2026-11-16'), '2026-11-16')
    assert.equal(mondayOf('2027-01-01'), '2026-12-28')
  })

  test('in an address may be any day of it, and whatever is no day means this week', () => {
    assert.equal(readWeek('2026-11-18'), '2026-11-16')
    for (const text of [null, '', 'x', '2026-13-01', '2026-11-18T00:00'])
      assert.match(readWeek(text), /^\d{4}-\d\d-\d\d$/)
  })
})

test('Sums of hours do not drift', () => {
  assert.equal(sumHours(Array.from({ length: 10 }, () => ({ amountHours: 0.1 }))), 1)
})

test('Lines of a chart are at round numbers, and the last covers everything', () => {
  for (const [greatest, lines] of [
    [0, [0, 0.5, 1]],
    [7, [0, 2, 4, 6, 8]],
    [53.3, [0, 20, 40, 60]],
    [400, [0, 100, 200, 300, 400]],
  ] as const)
    assert.deepEqual(ticksFor(greatest), lines, String(greatest))
})

test('A report counts each hour once, by week, assignment and project', () => {
  const assignment = (id: string, projectId: string, amountHours: number) => ({
    id,
    projectId,
    name: id,
    ...planned('2026-11-16', '2026-11-27', amountHours),
  })
  const entry = (assignmentId: string, keepDate: string, amountHours: number) => ({
    assignmentId,
    keepDate,
    amountHours,
  })
  const given = {
    mondays: ['2026-11-16', '2026-11-23'],
    assignments: [assignment('a', 'p', 10), assignment('b', 'p', 20), assignment('c', 'q', 4)],
    appointments: [
      entry('a', '2026-11-22T23:00:00Z', 1),
      entry('b', '2026-11-23', 2),
      entry('c', '2026-11-16', 4.5),
    ],
  } as unknown as Given
  const short = (rows: ReturnType<typeof weeksOf>) => rows.map((row) => [row.name, row.recorded, row.planned])
  assert.deepEqual(short(weeksOf(given)), [
    ['2026-11-16', 5.5, 17],
    ['2026-11-23', 2, 17],
  ])
  assert.deepEqual(short(assignmentsOf(given)), [
    ['b', 2, 20],
    ['a', 1, 10],
    ['c', 4.5, 4],
  ])
  assert.deepEqual(short(projectsOf(given, new Map([['p', { name: 'P' }]]))), [
    ['P', 3, 30],
    ['Project', 4.5, 4],
  ])
})
