import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addHours,
  hoursByAssignment,
  hoursByPerson,
  hoursByProject,
  hoursByWeek,
  type ReportData,
  ticksFor,
} from '../../web/src/screens/reports/report.ts'

test('The lines of a chart are at round numbers', () => {
  for (const { greatest, lines } of [
    { greatest: 0, lines: [0, 0.5, 1] },
    { greatest: 7, lines: [0, 2, 4, 6, 8] },
    { greatest: 53.3, lines: [0, 20, 40, 60] },
    { greatest: 400, lines: [0, 100, 200, 300, 400] },
  ])
    assert.deepEqual(ticksFor(greatest), lines, String(greatest))
})

test('A report counts each hour once', () => {
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
      assignment('done', 'relaunch', 6),
    ],
    appointments: [
      entry('design', '2026-11-22T23:00:00Z', 1),
      entry('texts', '2026-11-23', 2),
      entry('call', '2026-11-16', 4.5, 'bob'),
    ],
    isDone: ({ id }: { readonly id: string }) => id === 'done',
  } as unknown as ReportData
  const sumsOf = (rows: ReturnType<typeof hoursByWeek>) =>
    rows.map(({ name, recorded, planned, left, over }) => [name, recorded, planned, left, over].join(' '))
  assert.deepEqual(sumsOf(hoursByWeek(data)), ['2026-11-16 5.5 20 12 0.5', '2026-11-23 2 20 15 0'])
  assert.deepEqual(sumsOf(hoursByAssignment(data)), [
    'call 4.5 4 0 0.5',
    'texts 2 20 18 0',
    'design 1 10 9 0',
    'done 0 6 0 0',
  ])
  // By week, hours are left and over for each assignment, too, so that the sums are the same.
  assert.deepEqual(addHours(hoursByWeek(data)), addHours(hoursByAssignment(data)))
  assert.deepEqual(addHours(hoursByAssignment(data)), { planned: 40, recorded: 7.5, left: 27, over: 0.5 })
  assert.deepEqual(
    sumsOf(hoursByProject(data, hoursByAssignment(data), new Map([['relaunch', { name: 'Relaunch' }]]))),
    ['Project 4.5 4 0 0.5', 'Relaunch 3 36 27 0'],
  )
  assert.deepEqual(sumsOf(hoursByPerson(data, hoursByAssignment(data), (id) => id.toUpperCase())), [
    'BOB 4.5 0 0 0',
    'ANN 3 36 27 0',
    'Unassigned 0 4 0 0.5',
  ])
})
