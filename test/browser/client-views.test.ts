import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Assignment } from '#tracker-client'
import { hoursOf, secondsOf } from '../../web/src/assignment/timer.ts'
import { barsOf } from '../../web/src/screens/project/lanes.ts'
import {
  columns,
  columnsAfter,
  inOrder,
  linesOf,
  orderAfter,
  readColumns,
  readOrder,
} from '../../web/src/screens/project/list/list-columns.ts'
import { loadByDay, loadOf } from '../../web/src/screens/project/timeline/load.ts'
import { presets, readPeriod } from '../../web/src/screens/reports/periods.ts'
import { sumRowsOf } from '../../web/src/screens/reports/sums.ts'

/** The views read these fields; one that is added later need not be here. */
const assignment = (id: string, startDate: string, endDate: string, more = {}) =>
  ({
    id,
    name: id,
    description: null,
    startDate: `${startDate}T00:00:00.000Z`,
    endDate: `${endDate}T00:00:00.000Z`,
    amountHours: 8,
    projectId: 'p',
    workflowId: 's1',
    userId: 'u',
    assignmentTypeId: 't',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: null,
    deletedAt: null,
    active: true,
    ...more,
  }) as Assignment

describe('Bars over days', () => {
  test('that overlap lie in lanes of their own, and a lane is used again', () => {
    const bars = barsOf(
      [
        assignment('long', '2026-11-16', '2026-11-19'),
        assignment('short', '2026-11-16', '2026-11-17'),
        assignment('after', '2026-11-18', '2026-11-18'),
      ],
      '2026-11-16',
      7,
    )
    assert.deepEqual(
      bars.map(({ row, lane, first, last }) => [row.id, lane, first, last]),
      [
        ['long', 0, 0, 3],
        ['short', 1, 0, 1],
        ['after', 1, 2, 2],
      ],
    )
  })

  test('are cut at the edges of the window, and say so; those beyond it are left out', () => {
    const bars = barsOf(
      [
        assignment('before', '2026-11-01', '2026-11-15'),
        assignment('across', '2026-11-01', '2026-11-30'),
        assignment('behind', '2026-11-23', '2026-11-24'),
      ],
      '2026-11-16',
      7,
    )
    assert.deepEqual(
      bars.map(({ row, first, last, beginsBefore, endsAfter }) => [
        row.id,
        first,
        last,
        beginsBefore,
        endsAfter,
      ]),
      [['across', 0, 6, true, true]],
    )
  })
})

describe('The load of a day', () => {
  test('spreads estimates over working days, and over all days of a period without any', () => {
    const rows = [
      // Friday and Monday.
      assignment('a', '2026-11-20', '2026-11-23', { amountHours: 10 }),
      assignment('b', '2026-11-21', '2026-11-22', { amountHours: 6 }),
      assignment('c', '2026-11-01', '2026-11-02', { amountHours: 99 }),
    ]
    assert.deepEqual(loadByDay(rows, '2026-11-20', 4), [5, 3, 3, 5])
  })

  test('is shown in four steps', () => {
    const steps = [0, 8, 8.5, 12, 12.5].map((hours) => loadOf(hours, 8))
    assert.deepEqual(steps, ['free', 'fits', 'over', 'over', 'far-over'])
  })
})

describe('The list', () => {
  const names = {
    types: [],
    stageOf: (id: string) => id,
    typeOf: (id: string) => id,
    personOf: (id: string) => id,
  }
  const places = new Map([
    ['s1', 0],
    ['s2', 1],
  ])

  test('orders by its columns, equal ones by name with numbers as numbers', () => {
    const rows = [
      assignment('Task 10', '2026-11-16', '2026-11-17'),
      assignment('Task 9', '2026-11-16', '2026-11-17'),
      assignment('Task 1', '2026-11-16', '2026-11-18'),
    ]
    const order = (query: string) => readOrder(new URLSearchParams(query))
    const ids = (query: string) => inOrder(rows, order(query), { names, places }).map(({ id }) => id)
    assert.deepEqual(ids(''), ['Task 9', 'Task 10', 'Task 1'])
    assert.deepEqual(ids('sort=-end'), ['Task 1', 'Task 9', 'Task 10'])
    assert.deepEqual(ids('sort=nonsense'), ids(''))
    assert.equal(orderAfter(order('sort=hours'), 'hours'), '-hours')
    assert.equal(orderAfter(order('sort=-hours'), 'hours'), 'hours')
    assert.equal(orderAfter(order('sort=hours'), 'end'), '')
  })

  test('groups by stages in the order of the workflow', () => {
    const rows = [
      assignment('a', '2026-11-16', '2026-11-17', { workflowId: 's2' }),
      assignment('b', '2026-11-16', '2026-11-17'),
    ]
    const stage = { name: 'stage', label: 'Stage', keyOf: (row: (typeof rows)[0]) => row.workflowId } as const
    const lines = linesOf(rows, { ...stage, title: (key) => key }, { names, places })
    assert.deepEqual(
      lines.map(({ id }) => id),
      ['group-s1', 'b', 'group-s2', 'a'],
    )
  })

  test('keeps the usual columns out of the address', () => {
    const usual = readColumns(new URLSearchParams())
    const type = columns.find(({ name }) => name === 'type')
    assert.ok(type && usual.includes(type))
    const without = columnsAfter(usual, type)
    assert.doesNotMatch(without, /type/)
    assert.equal(columnsAfter(readColumns(new URLSearchParams({ columns: without })), type), '')
  })
})

describe('Periods of reports', () => {
  const periodOf = (name: string, day: string) => {
    const { from, to } = presets.find((one) => one.name === name)?.period(day) ?? { from: '', to: '' }
    return `${from} ${to}`
  }

  test('begin and end with their week, month, quarter and year, across the turn of a year', () => {
    assert.equal(periodOf('last-week', '2027-01-02'), '2026-12-21 2026-12-27')
    assert.equal(periodOf('last-month', '2027-01-31'), '2026-12-01 2026-12-31')
    assert.equal(periodOf('month', '2028-02-29'), '2028-02-01 2028-02-29')
    assert.equal(periodOf('quarter', '2026-11-22'), '2026-10-01 2026-12-31')
    assert.equal(periodOf('last-quarter', '2026-02-01'), '2025-10-01 2025-12-31')
    assert.equal(periodOf('last-year', '2026-02-01'), '2025-01-01 2025-12-31')
  })

  test('may be two days of one’s own, in any order; what is no day is left aside', () => {
    const { from, to, preset } = readPeriod(new URLSearchParams('from=2026-03-05&to=2026-03-01'))
    assert.deepEqual([from, to, preset], ['2026-03-01', '2026-03-05', ''])
    assert.equal(readPeriod(new URLSearchParams('from=2026-13-05&to=x')).preset, 'month')
  })
})

describe('Sums', () => {
  const person = (id: string) => ({ person: { id, name: id } })

  test('are next to everything recorded and planned; groups without hours only on request', () => {
    const inPeriod = [{ ...person('ann'), hours: 2, appointments: 1 }]
    const whole = {
      hours: [{ ...person('ann'), hours: 5, appointments: 3 }],
      assignments: [
        { ...person('ann'), assignments: 1, plannedHours: 8 },
        { ...person('bob'), assignments: 1, plannedHours: 4 },
      ],
    }
    const rows = (hasAll: boolean) =>
      sumRowsOf({ by: 'person', second: undefined }, inPeriod, whole, hasAll).map(
        ({ id, hours, recorded, planned }) => [id, hours, recorded, planned],
      )
    assert.deepEqual(rows(false), [['ann', 2, 5, 8]])
    assert.deepEqual(rows(true), [
      ['ann', 2, 5, 8],
      ['bob', 0, 0, 4],
    ])
  })
})

describe('A timer', () => {
  test('counts seconds, and becomes hundredths of an hour, at least one', () => {
    const running = {
      assignmentId: 'a',
      projectId: 'p',
      name: 'n',
      userId: 'u',
      since: '2026-11-22T10:00:00.000Z',
    }
    assert.equal(secondsOf(running, Date.parse('2026-11-22T11:30:00.000Z')), 5400)
    assert.equal(secondsOf(running, Date.parse('2026-11-22T09:00:00.000Z')), 0)
    assert.deepEqual([hoursOf(5400), hoursOf(54), hoursOf(0)], [1.5, 0.02, 0.01])
  })
})
