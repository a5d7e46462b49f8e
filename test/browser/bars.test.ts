import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { barsOf, fitBars, shareLines } from '../../web/src/screens/project/bars.ts'

type Row = Parameters<typeof barsOf>[0][number]

/** The bars read only these fields. */
const assignment = (id: string, startDate: string, endDate: string) =>
  ({ id, startDate: `${startDate}T00:00:00.000Z`, endDate: `${endDate}T00:00:00.000Z` }) as Row

describe('Bars over days', () => {
  test('that overlap are in different lines, and a free line is used again', () => {
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
      bars.map(({ row, line, first, last }) => [row.id, line, first, last]),
      [
        ['long', 0, 0, 3],
        ['short', 1, 0, 1],
        ['after', 1, 2, 2],
      ],
    )
  })

  test('have room for a name up to the next bar of their line, or to the edge', () => {
    const rows = [
      assignment('first', '2026-11-16', '2026-11-16'),
      assignment('next', '2026-11-20', '2026-11-20'),
      assignment('last', '2026-11-29', '2026-11-29'),
    ]
    const bars = barsOf(rows, '2026-11-16', 14, { nameDaysOf: () => ({ within: 2, outside: 2 }) })
    assert.deepEqual(
      bars.map(({ row, line, namePlace, nameRoom }) => [row.id, line, namePlace, nameRoom]),
      [
        ['first', 0, 'after', 3],
        ['next', 0, 'after', 6],
        ['last', 0, 'before', 6],
      ],
    )
  })

  test('take the line of the button for more if they would be the only hidden ones of their days', () => {
    const rows = [
      assignment('long', '2026-11-16', '2026-11-22'),
      assignment('alone', '2026-11-16', '2026-11-17'),
      assignment('one', '2026-11-19', '2026-11-20'),
      assignment('two', '2026-11-20', '2026-11-21'),
    ]
    const { shown, hidden } = fitBars(barsOf(rows, '2026-11-16', 7), 2)
    const idsOf = (bars: typeof hidden) => bars.map(({ row }) => row.id)
    assert.deepEqual(
      [idsOf(shown), idsOf(hidden)],
      [
        ['long', 'alone'],
        ['one', 'two'],
      ],
    )
    assert.equal(shown[1]?.line, 1)
  })

  test('get more lines in the weeks that need them, as far as the month fits', () => {
    assert.deepEqual(shareLines([0, 1, 2, 6, 4], 11, 2), [0, 1, 2, 5, 3])
    assert.deepEqual(shareLines([0, 1, 2, 6, 4], 40, 2), [0, 1, 2, 6, 4])
    assert.deepEqual(shareLines([5, 5, 5, 5, 5, 5], 3, 2), [2, 2, 2, 2, 2, 2])
  })

  test('are cut at the edges of the period and marked as cut, or left out if they are outside of it', () => {
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
