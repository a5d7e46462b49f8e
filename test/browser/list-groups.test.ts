import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RecordOf } from '../../web/src/api/api.ts'
import { columns, sortRows } from '../../web/src/screens/project/list/list-columns.ts'
import { cellsOf, linesOf, parseGrouping } from '../../web/src/screens/project/list/list-lines.ts'
import type { NameLookup } from '../../web/src/screens/project/name-lookup.ts'
import { valuesOf } from '../support/assertions.ts'

const labels = new Map([
  ['a', ['Bug', 'Urgent']],
  ['b', ['Urgent']],
])
const names: NameLookup = {
  types: [],
  stageOf: (id) => id,
  stageLookOf: () => undefined,
  typeOf: (id) => id,
  personOf: (id) => id,
  labelsOf: (id) => (labels.get(id) ?? []).map((name) => ({ name }) as RecordOf<'label'>),
  keyOf: () => '',
  blockReasonOf: ({ id }) => (id === 'b' ? { isWaiting: true, text: 'Waits for a' } : undefined),
}
const rows = ['a', 'b', 'c'].map(
  (id, index) => ({ id, name: id, priority: [null, 2, 4][index] }) as RecordOf<'assignment'>,
)
const groupingOf = (group: string, extensions = true) =>
  parseGrouping(new URLSearchParams({ group }), { extensions })
const lookups = { names, stagePositions: new Map(), doneStageIds: new Set<string>() }
const grouped = (group: string, assignments = rows) => linesOf(assignments, groupingOf(group), lookups)
/** Returns the titles of groups, each with the ids of its rows below. */
const outlineOf = (lines: ReturnType<typeof linesOf>) =>
  lines.map((line) => ('title' in line ? line.title : `- ${line.id}`))

describe('A list', () => {
  test('is grouped by priority and by labels', () => {
    assert.deepEqual(outlineOf(grouped('priority')), ['Urgent', '- c', 'Medium', '- b', 'No priority', '- a'])
    assert.deepEqual(outlineOf(grouped('labels')), ['Bug, Urgent', '- a', 'Urgent', '- b', 'No label', '- c'])
    for (const name of ['priority', 'labels']) assert.equal(groupingOf(name, false), undefined)
  })

  test('has the groups without a user or dates last', () => {
    const planned = { id: 'planned', name: 'planned', userId: 'ann', endDate: '2026-01-07T00:00:00Z' }
    const idea = { ...planned, id: 'idea', name: 'idea', isUnscheduled: true, isUnassigned: true }
    const assignments = [idea, planned] as RecordOf<'assignment'>[]
    const byPerson = grouped('person', assignments)
    assert.deepEqual(outlineOf(byPerson), ['ann', '- planned', 'Unassigned', '- idea'])
    const byWeek = outlineOf(grouped('week', assignments))
    assert.deepEqual(byWeek.slice(1), ['- planned', 'No dates', '- idea'])
    const shown = columns.filter(({ name }) => ['name', 'person', 'end'].includes(name))
    const cells = cellsOf({ lines: byPerson, columns: shown, grouping: groupingOf('person'), names })
    assert.deepEqual(cells.slice(1), [
      ['planned', 'ann', '2026-01-07'],
      ['idea', '', ''],
    ])
    const end = shown.find(({ name }) => name === 'end')
    assert.ok(end)
    const sorted = sortRows(assignments, { column: end, isDescending: false }, lookups)
    assert.deepEqual(valuesOf(sorted, 'id'), ['planned', 'idea'])
  })

  test('is exported with its groups', () => {
    const cellsWith = (...shown: string[]) =>
      cellsOf({
        lines: grouped('labels'),
        columns: columns.filter(({ name }) => shown.includes(name)),
        grouping: groupingOf('labels'),
        names,
      })
    assert.deepEqual(cellsWith('name'), [
      ['Labels', 'Name'],
      ['Bug, Urgent', 'a'],
      ['Urgent', 'b'],
      ['', 'c'],
    ])
    assert.deepEqual(cellsWith('labels', 'blocked'), [
      ['Blocked', 'Labels'],
      ['', 'Bug, Urgent'],
      ['Yes', 'Urgent'],
      ['', ''],
    ])
  })
})
