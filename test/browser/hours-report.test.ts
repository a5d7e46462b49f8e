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

test('The lines of a chart are at round numbers, and no value is above the last line', () => {
  for (const { greatest, lines } of [
    { greatest: 0, lines: [0, 0.5, 1] },
    { greatest: 7, lines: [0, 2, 4, 6, 8] },
    { greatest: 53.3, lines: [0, 20, 40, 60] },
    { greatest: 400, lines: [0, 100, 200, 300, 400] },
  ])
    assert.deepEqual(ticksFor(greatest), lines, String(greatest))
})

test('A report counts each hour once, by week, assignment, project and person', () => {
  const assignment = (id: string, projectId: string, amountHours: number) => ({
    id,
    projectId,
    name: id,
    userId: 'ann',
    isUnassigned: id === 'call',
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
    assignments: [
      assignment('design', 'relaunch', 10),
      assignment('texts', 'relaunch', 20),
      assignment('call', 'unknown', 4),
    ],
    appointments: [
      entry('design', '2026-11-22T23:00:00Z', 1),
      entry('texts', '2026-11-23', 2),
      entry('call', '2026-11-16', 4.5, 'bob'),
    ],
  } as unknown as ReportData
  const sumsOf = (rows: ReturnType<typeof hoursByWeek>) =>
    rows.map(({ name, recorded, planned }) => ({ name, recorded, planned }))
  assert.deepEqual(sumsOf(hoursByWeek(data)), [
    { name: '2026-11-16', recorded: 5.5, planned: 17 },
    { name: '2026-11-23', recorded: 2, planned: 17 },
  ])
  assert.deepEqual(sumsOf(hoursByAssignment(data)), [
    { name: 'texts', recorded: 2, planned: 20 },
    { name: 'design', recorded: 1, planned: 10 },
    { name: 'call', recorded: 4.5, planned: 4 },
  ])
  assert.deepEqual(sumsOf(hoursByProject(data, new Map([['relaunch', { name: 'Relaunch' }]]))), [
    { name: 'Relaunch', recorded: 3, planned: 30 },
    { name: 'Project', recorded: 4.5, planned: 4 },
  ])
  assert.deepEqual(sumsOf(hoursByPerson(data, (id) => id.toUpperCase())), [
    { name: 'ANN', recorded: 3, planned: 30 },
    { name: 'BOB', recorded: 4.5, planned: 0 },
    { name: 'Unassigned', recorded: 0, planned: 4 },
  ])
})

test('The hours of a column have as many decimals as the most exact of them', () => {
  const formatted = (...column: readonly number[]) => column.map(alignHours(column))
  assert.deepEqual(formatted(1, 12, 0), ['1 h', '12 h', '–'])
  assert.deepEqual(formatted(1, 2.5), ['1.0 h', '2.5 h'])
  assert.deepEqual(formatted(1234, 0.25, 2.5), ['1,234.00 h', '0.25 h', '2.50 h'])
})
