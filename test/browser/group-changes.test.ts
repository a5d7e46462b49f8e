import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change } from '../../clients/typescript/src/tracker.ts'
import { combineUpdates, groupChanges } from '../../web/src/assignment/group-changes.ts'

describe('Changes in the history', () => {
  const change = (seconds: number, values: Partial<Change>): Change => ({
    ...{
      id: String(seconds),
      at: new Date(seconds * 1000).toISOString(),
      resource: 'assignment',
      rowId: 'a',
    },
    ...{ action: 'update', projectId: 'p', callerId: 'ann', clientId: null, host: 'rest' },
    ...{ sessionId: null, requestId: null, before: null, after: null },
    ...values,
  })
  const idsOf = (changes: readonly Change[]) =>
    groupChanges(changes).map((group) => group.map(({ id }) => id))

  test('are grouped if one user has made them to one row, or to links of one kind, within a minute', () => {
    const link = { resource: 'assignmentLabel', action: 'create' } as const
    const comment = { resource: 'comment', action: 'create' } as const
    assert.deepEqual(
      idsOf([
        ...[change(500, {}), change(490, {}), change(480, { callerId: 'bob' }), change(470, { rowId: 'b' })],
        ...[
          change(400, { rowId: 'b' }),
          change(300, { ...link, rowId: 'x' }),
          change(299, { ...link, rowId: 'y' }),
        ],
        ...[change(298, { ...link, action: 'remove', rowId: 'y' })],
        ...[change(200, { ...comment, rowId: 'd' }), change(199, { ...comment, rowId: 'e' })],
      ]),
      [['500', '490'], ['480'], ['470'], ['400'], ['300', '299'], ['298'], ['200'], ['199']],
    )
  })

  test('of one group are combined to the first and the last value, without unchanged fields', () => {
    const group = [
      change(3, { before: { name: 'B', hours: 2 }, after: { name: 'C', hours: 1 } }),
      change(2, { before: { hours: 1 }, after: { hours: 2 } }),
      change(1, { before: { name: 'A' }, after: { name: 'B' } }),
    ] as const
    const { before, after } = combineUpdates(group)
    assert.deepEqual([before, after], [{ name: 'A' }, { name: 'C' }])
    assert.equal(combineUpdates([group[1]]), group[1])
  })
})
