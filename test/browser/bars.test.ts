import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Bar,
  barsOf,
  fitBars,
  neededLines,
  nextBar,
  shareLines,
  stackedBarsOf,
} from '../../web/src/screens/project/bars.ts'
import {
  describeWeeks,
  loadLevelOf,
  plannedHoursByDay,
  weekLoadsOf,
} from '../../web/src/screens/project/timeline/workload.ts'

type Row = Parameters<typeof barsOf>[0][number]

/** The bars read only these fields. */
const assignment = (id: string, startDate: string, endDate: string, amountHours = 0) =>
  ({ id, startDate: `${startDate}T00:00:00.000Z`, endDate: `${endDate}T00:00:00.000Z`, amountHours }) as Row

const idsOf = (bars: readonly Bar[] = []) => bars.map(({ row }) => row.id)
const daysOf = (bars: readonly Bar[]) =>
  new Set(
    bars.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, day) => first + day)),
  )

describe('Bars in a calendar', () => {
  test('are on different lines if they overlap', () => {
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
      bars.map(({ row, line, first, last }) => ({ id: row.id, line, first, last })),
      [
        { id: 'long', line: 0, first: 0, last: 3 },
        { id: 'short', line: 1, first: 0, last: 1 },
        { id: 'after', line: 1, first: 2, last: 2 },
      ],
    )
  })

  test('have room for their name up to the next bar on the line, or up to the edge', () => {
    const rows = [
      assignment('first', '2026-11-16', '2026-11-16'),
      assignment('next', '2026-11-20', '2026-11-20'),
      assignment('last', '2026-11-29', '2026-11-29'),
    ]
    const bars = barsOf(rows, '2026-11-16', 14, { nameDaysOf: () => ({ within: 2, outside: 2 }) })
    assert.deepEqual(
      bars.map(({ row, line, namePlace, nameRoom }) => ({ id: row.id, line, namePlace, nameRoom })),
      [
        { id: 'first', line: 0, namePlace: 'after', nameRoom: 3 },
        { id: 'next', line: 0, namePlace: 'after', nameRoom: 6 },
        { id: 'last', line: 0, namePlace: 'before', nameRoom: 6 },
      ],
    )
  })

  test('have the name before them only without room for most of it', () => {
    const placeIn = (within: number) =>
      barsOf([assignment('late', '2026-11-23', '2026-11-26')], '2026-11-16', 14, {
        nameDaysOf: () => ({ within, outside: 5 }),
      })[0]?.namePlace
    assert.deepEqual([4, 4.9, 5.1].map(placeIn), ['within', 'within', 'before'])
  })

  test('cut a name that fits nowhere in the bar, unless there is more than twice the room next to it', () => {
    const places = (nameDays: number) =>
      barsOf(
        [
          assignment('start', '2026-11-16', '2026-11-17'),
          assignment('across', '2026-11-16', '2026-11-27'),
          assignment('half', '2026-11-16', '2026-11-20'),
          assignment('end', '2026-11-28', '2026-11-28'),
        ],
        '2026-11-16',
        14,
        { nameDaysOf: () => ({ within: nameDays, outside: nameDays }) },
      ).map(({ row, namePlace }) => `${row.id} ${namePlace}`)
    assert.deepEqual(places(9), ['across within', 'half after', 'start after', 'end before'])
    assert.deepEqual(places(20), ['across within', 'half within', 'start after', 'end before'])
  })

  test('have lines of their own on phones, and their names above them, from the side with room', () => {
    const rows = [
      assignment('long', '2026-11-16', '2026-11-20'),
      assignment('first', '2026-11-16', '2026-11-16'),
      assignment('continued', '2026-11-20', '2026-11-30'),
      assignment('short', '2026-11-22', '2026-11-22'),
    ]
    const bars = stackedBarsOf(rows, '2026-11-16', 7, () => ({ within: 2, outside: 3 }))
    assert.deepEqual(
      bars.map(({ row, line, namePlace, nameRoom }) => ({ id: row.id, line, namePlace, nameRoom })),
      [
        { id: 'long', line: 0, namePlace: 'above', nameRoom: 7 },
        { id: 'first', line: 1, namePlace: 'above', nameRoom: 7 },
        { id: 'continued', line: 2, namePlace: 'above', nameRoom: 3 },
        { id: 'short', line: 3, namePlace: 'above-end', nameRoom: 7 },
      ],
    )
  })

  test('replace the button for more bars on days where only one would be hidden', () => {
    const rows = [
      assignment('long', '2026-11-16', '2026-11-22'),
      assignment('alone', '2026-11-16', '2026-11-17'),
      assignment('one', '2026-11-19', '2026-11-20'),
      assignment('two', '2026-11-20', '2026-11-21'),
    ]
    const [week] = fitBars([barsOf(rows, '2026-11-16', 7)], [2], () => false)
    assert.deepEqual(idsOf(week?.shown), ['long', 'alone'])
    assert.deepEqual(idsOf(week?.hidden), ['one', 'two'])
    assert.equal(week?.shown[1]?.line, 1)
  })

  test('get more lines in the weeks that need them, while the month still fits', () => {
    const minimum = 2
    const share = (needed: readonly number[], capacity: number) =>
      shareLines(
        needed.map((all) => ({ own: 0, all })),
        capacity,
        minimum,
      )
    assert.deepEqual(share([0, 1, 2, 6, 4], 12), [0, 1, 2, 5, 4])
    assert.deepEqual(share([0, 1, 2, 9, 9], 13), [0, 1, 2, 5, 5])
    assert.deepEqual(share([0, 1, 2, 6, 4], 40), [0, 1, 2, 6, 4])
    assert.deepEqual(share([5, 5, 5, 5, 5, 5], 3), [2, 2, 2, 2, 2, 2])
  })

  describe('of the viewer', () => {
    const isOwn = ({ id }: Row) => id.startsWith('own')
    const rankOf = ({ id }: Row) => (id === 'own open' ? 0 : id === 'own done' ? 1 : 2)
    const rows = [
      assignment('own open', '2026-11-22', '2026-11-22'),
      assignment('own done', '2026-11-21', '2026-11-22'),
      assignment('long', '2026-11-16', '2026-11-21'),
      assignment('short', '2026-11-21', '2026-11-21'),
      assignment('before', '2026-11-19', '2026-11-20'),
    ]
    const bars = barsOf(rows, '2026-11-16', 7, { rankOf })

    test('are never hidden in a month that shows the work of others', () => {
      const nextBars = barsOf([assignment('next', '2026-11-23', '2026-11-24')], '2026-11-23', 7, { rankOf })
      for (let lineCount = 1; lineCount <= 5; lineCount += 1) {
        const weeks = fitBars([bars, nextBars], [lineCount, 2], isOwn)
        const hidesOwn = weeks.some(({ hidden }) => hidden.some(({ row }) => isOwn(row)))
        const showsOthers = weeks.some(({ shown }) => shown.some(({ row }) => !isOwn(row)))
        assert.equal(showsOthers, !hidesOwn, `${lineCount} lines`)
        assert.equal(hidesOwn, lineCount < 3, `${lineCount} lines`)
        const [{ shown, hidden } = { shown: [], hidden: [] }] = weeks
        // The button is in the last line.
        const lastDays = daysOf(shown.filter(({ line }) => line === lineCount - 1))
        assert.deepEqual(
          [...daysOf(hidden)].filter((day) => lastDays.has(day)),
          [],
          `${lineCount} lines`,
        )
        assert.equal(shown.length + hidden.length, rows.length)
      }
    })

    test('get their lines before those of others', () => {
      assert.deepEqual(neededLines(bars, isOwn), { own: 3, all: 3 })
      const quiet = { own: 1, all: 6 }
      assert.deepEqual(shareLines([quiet, { own: 5, all: 9 }, quiet], 10, 2), [3, 5, 2])
      // In a low window, even those for a bar of others in each week.
      assert.deepEqual(shareLines([quiet, { own: 5, all: 9 }, quiet], 7, 2), [1, 5, 1])
    })
  })

  test('are cut at the edges of the period and marked as cut', () => {
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
      bars.map(({ row, first, last, beginsBefore, endsAfter }) => ({
        id: row.id,
        first,
        last,
        beginsBefore,
        endsAfter,
      })),
      [{ id: 'across', first: 0, last: 6, beginsBefore: true, endsAfter: true }],
    )
  })
})

describe('A key on a bar', () => {
  const bar = (name: string, lane: number, line: number, first: number, last: number) => {
    const top = 150 * lane + 30 * line
    return { name, lane, start: 40 * first, end: 40 * (last + 1) - 6, top, bottom: top + 26 }
  }
  const bars = [
    bar('long', 0, 0, 2, 12),
    bar('early', 0, 1, 0, 1),
    bar('middle', 0, 1, 4, 5),
    bar('same day', 0, 2, 4, 4),
    bar('far', 1, 0, 25, 26),
    bar('before', 3, 0, 0, 3),
    bar('below', 3, 1, 8, 9),
  ]
  const bottom = [bar('top', 0, 0, 8, 9), bar('left', 0, 1, 0, 1), bar('under', 1, 0, 8, 9)]
  const cases = [
    { key: 'ArrowRight', path: 'early long middle same-day', of: 'leads to the next bar of the lane by day' },
    {
      key: 'ArrowLeft',
      path: 'same-day middle long early',
      of: 'leads to the previous bar of the lane by day',
    },
    { key: 'ArrowDown', path: 'long middle same-day far below', of: 'skips no lane, but lanes without bars' },
    { key: 'ArrowUp', path: 'before far long', of: 'leads back across lanes' },
    { key: 'ArrowDown', path: 'top under', of: 'prefers a bar right below to one of its lane at a distance' },
    { key: 'Enter', path: 'long', of: 'leads nowhere if it is no arrow' },
  ]
  for (const { key, path, of } of cases)
    test(`${of}: ${key}`, () => {
      const names = path.split(' ').map((name) => name.replace('-', ' '))
      const all = names[0] === 'top' ? bottom : bars
      const reached: string[] = []
      for (let at = all.find(({ name }) => name === names[0]); at; at = nextBar(all, at, key))
        reached.push(at.name)
      assert.deepEqual(reached, names)
    })
})

describe('The load of a day', () => {
  test('spreads estimates over working days, or over all days of a period without working days', () => {
    const rows = [
      assignment('Friday to Monday', '2026-11-20', '2026-11-23', 10),
      assignment('weekend', '2026-11-21', '2026-11-22', 6),
      assignment('long ago', '2026-11-01', '2026-11-02', 99),
    ]
    assert.deepEqual(plannedHoursByDay(rows, '2026-11-20', 4), [5, 3, 3, 5])
  })

  test('is marked only above the target, and more strongly far above it', () => {
    assert.deepEqual(
      [0, 8, 8.5, 12, 12.5].map((hours) => loadLevelOf(hours, 8)),
      ['within', 'within', 'over', 'over', 'far-over'],
    )
  })

  test('is summed by week, with the first day of the week that has hours', () => {
    const [first, second] = weekLoadsOf([0, 0, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0.5], 8)
    assert.deepEqual(first, { startIndex: 0, firstBusyIndex: 2, hours: 32, target: 40 })
    assert.deepEqual(second, { startIndex: 7, firstBusyIndex: 13, hours: 0.5, target: 40 })
  })

  test('is described by what exceeds the hours of a week, or of several, and otherwise by what is planned', () => {
    const describeLoad = (...weekHours: number[]) =>
      describeWeeks(
        '2026-11-23',
        weekHours.map((hours, week) => ({
          startIndex: 7 * week,
          firstBusyIndex: 7 * week,
          hours,
          target: 40,
        })),
      ).replaceAll(/\s/g, ' ')
    assert.deepEqual(
      [describeLoad(0, 0), describeLoad(36, 6), describeLoad(6, 42.6), describeLoad(42.6, 50, 1)],
      ['', '42 h planned', '2.6 h over, 30 Nov – 6 Dec', '12.6 h over in 2 weeks'],
    )
  })
})
