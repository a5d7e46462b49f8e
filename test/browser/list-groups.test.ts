import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RecordOf } from '../../web/src/api/api.ts'
import { cellsOf } from '../../web/src/screens/project/list/export-list.ts'
import { columns, linesOf, parseGrouping, sortRows } from '../../web/src/screens/project/list/list-columns.ts'
import type { NameLookup } from '../../web/src/screens/project/view-props.ts'

const labels = new Map([
  ['a', ['Bug', 'Urgent']],
  ['b', ['Urgent']],
])
const names: NameLookup = {
  types: [],
  stageOf: (id) => id,
  lookOf: () => undefined,
  typeOf: (id) => id,
  personOf: (id) => id,
  labelsOf: (id) => (labels.get(id) ?? []).map((name) => ({ name }) as RecordOf<'label'>),
  keyOf: () => '',
  hindranceOf: ({ id }) => (id === 'b' ? { isWaiting: true, text: 'Waits for a' } : undefined),
}
const rows = ['a', 'b', 'c'].map(
  (id, index) => ({ id, name: id, priority: [null, 2, 4][index] }) as RecordOf<'assignment'>,
)
const groupingOf = (group: string, extensions = true) =>
  parseGrouping(new URLSearchParams({ group }), { extensions })
const grouped = (group: string) =>
  linesOf(rows, groupingOf(group), { names, stagePositions: new Map(), doneIds: new Set() })
const titlesOf = (group: string) =>
  grouped(group).map((line) => ('title' in line ? line.title : `- ${line.id}`))

describe('A list', () => {
  test('is grouped by priority, the most urgent first, and by labels, each assignment once', () => {
    assert.deepEqual(titlesOf('priority'), ['Urgent', '- c', 'Medium', '- b', 'No priority', '- a'])
    assert.deepEqual(titlesOf('labels'), ['Bug, Urgent', '- a', 'Urgent', '- b', 'No label', '- c'])
    for (const name of ['priority', 'labels']) assert.equal(groupingOf(name, false), undefined)
  })

  test('has groups without a user and without dates, after all others, and empty cells for them in a saved table', () => {
    const planned = { id: 'p', name: 'p', userId: 'ann', endDate: '2026-01-07T00:00:00Z' }
    const some = [
      { ...planned, id: 'i', name: 'i', isUnscheduled: true, isUnassigned: true },
      planned,
    ] as RecordOf<'assignment'>[]
    const context = { names, stagePositions: new Map(), doneIds: new Set<string>() }
    const linesBy = (group: string) => linesOf(some, groupingOf(group), context)
    const titlesBy = (group: string) =>
      linesBy(group).map((line) => ('title' in line ? line.title : `- ${line.id}`))
    assert.deepEqual(titlesBy('person'), ['ann', '- p', 'Nobody', '- i'])
    assert.deepEqual(titlesBy('week').slice(1), ['- p', 'No dates', '- i'])
    const shown = columns.filter(({ name }) => ['name', 'person', 'end'].includes(name))
    const grouping = groupingOf('person')
    assert.deepEqual(cellsOf({ lines: linesBy('person'), columns: shown, grouping, names }).slice(1), [
      ['p', 'ann', '2026-01-07'],
      ['i', '', ''],
    ])
    const end = shown.find(({ name }) => name === 'end')
    assert.deepEqual(
      end && sortRows(some, { column: end, isDescending: false }, context).map(({ id }) => id),
      ['p', 'i'],
    )
  })

  test('is saved with its groups, unless a column has them, and without titles for missing values', () => {
    const saved = (...shown: string[]) =>
      cellsOf({
        lines: grouped('labels'),
        columns: columns.filter(({ name }) => shown.includes(name)),
        grouping: groupingOf('labels'),
        names,
      })
    assert.deepEqual(saved('name'), [
      ['Labels', 'Name'],
      ['Bug, Urgent', 'a'],
      ['Urgent', 'b'],
      ['', 'c'],
    ])
    assert.deepEqual(saved('labels', 'blocked'), [
      ['Blocked', 'Labels'],
      ['', 'Bug, Urgent'],
      ['Yes', 'Urgent'],
      ['', ''],
    ])
  })
})
