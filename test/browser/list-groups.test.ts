import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RecordOf } from '../../web/src/api/api.ts'
import { cellsOf } from '../../web/src/screens/project/list/export-list.ts'
import { columns, linesOf, parseGrouping } from '../../web/src/screens/project/list/list-columns.ts'
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
  blockedOf: ({ id }) => (id === 'b' ? 'Waits for a' : ''),
}
const rows = ['a', 'b', 'c'].map(
  (id, index) => ({ id, name: id, priority: [null, 2, 4][index] }) as RecordOf<'assignment'>,
)
const groupingOf = (group: string, extensions = true) =>
  parseGrouping(new URLSearchParams({ group }), { extensions })
const grouped = (group: string) => linesOf(rows, groupingOf(group), { names, stagePositions: new Map() })
const titlesOf = (group: string) =>
  grouped(group).map((line) => ('title' in line ? line.title : `- ${line.id}`))

describe('A list', () => {
  test('is grouped by priority, the most urgent first, and by labels, each assignment once', () => {
    assert.deepEqual(titlesOf('priority'), ['Urgent', '- c', 'Medium', '- b', 'No priority', '- a'])
    assert.deepEqual(titlesOf('labels'), ['Bug, Urgent', '- a', 'Urgent', '- b', 'No label', '- c'])
    for (const name of ['priority', 'labels']) assert.equal(groupingOf(name, false), undefined)
  })

  test('is saved with its groups, unless a column says them, and without titles of what is missing', () => {
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
