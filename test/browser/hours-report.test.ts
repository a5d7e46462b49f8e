import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alignHours } from '../../web/src/screens/reports/align-hours.ts'
import {
  hoursByAssignment,
  hoursByPerson,
  hoursByProject,
  hoursByWeek,
  type ReportData,
} from '../../web/src/screens/reports/report.ts'
import { ticksFor } from '../../web/src/screens/reports/ticks.ts'

test('Lines of a chart are at round numbers, and the last one is above all values', () => {
  for (const [greatest, lines] of [
    [0, [0, 0.5, 1]],
    [7, [0, 2, 4, 6, 8]],
    [53.3, [0, 20, 40, 60]],
    [400, [0, 100, 200, 300, 400]],
  ] as const)
    assert.deepEqual(ticksFor(greatest), lines, String(greatest))
})

test('A report counts each hour once, by week, assignment, project and person', () => {
  const assignment = (id: string, projectId: string, amountHours: number) => ({
    id,
    projectId,
    name: id,
    userId: 'ann',
    isUnassigned: id === 'c',
    startDate: '2026-11-16',
    endDate: '2026-11-27',
    amountHours,
  })
  const entry = (assignmentId: string, keepDate: string, amountHours: number, userId = 'ann') => ({
    assignmentId,
    keepDate,
    amountHours,
    userId,
  })
  const data = {
    mondays: ['2026-11-16', '2026-11-23'],
    assignments: [assignment('a', 'p', 10), assignment('b', 'p', 20), assignment('c', 'q', 4)],
    appointments: [
      entry('a', '2026-11-22T23:00:00Z', 1),
      entry('b', '2026-11-23', 2),
      entry('c', '2026-11-16', 4.5, 'bob'),
    ],
  } as unknown as ReportData
  const short = (rows: ReturnType<typeof hoursByWeek>) =>
    rows.map((row) => [row.name, row.recorded, row.planned])
  assert.deepEqual(short(hoursByWeek(data)), [
    ['2026-11-16', 5.5, 17],
    ['2026-11-23', 2, 17],
  ])
  assert.deepEqual(short(hoursByAssignment(data)), [
    ['b', 2, 20],
    ['a', 1, 10],
    ['c', 4.5, 4],
  ])
  assert.deepEqual(short(hoursByProject(data, new Map([['p', { name: 'P' }]]))), [
    ['P', 3, 30],
    ['Project', 4.5, 4],
  ])
  assert.deepEqual(short(hoursByPerson(data, (id) => id.toUpperCase())), [
    ['ANN', 3, 30],
    ['BOB', 4.5, 0],
    ['Nobody', 0, 4],
  ])
})

test('The hours of a column have as many decimals as the most exact of them', () => {
  const formatted = (...column: readonly number[]) => column.map(alignHours(column))
  assert.deepEqual(formatted(1, 12, 0), ['1 h', '12 h', '–'])
  assert.deepEqual(formatted(1, 2.5), ['1.0 h', '2.5 h'])
  assert.deepEqual(formatted(1234, 0.25, 2.5), ['1,234.00 h', '0.25 h', '2.50 h'])
})
