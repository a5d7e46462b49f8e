import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change, Notification } from '../../clients/typescript/src/tracker.ts'
import {
  combineUpdates,
  groupChanges,
  joinRuns,
  kindOf,
  namesInChanges,
  ticksIn,
  withoutCancelled,
} from '../../web/src/assignment/group-changes.ts'
import { groupNotifications } from '../../web/src/screens/inbox/group-notifications.ts'

describe('Changes in the history', () => {
  /** Returns a change whose id is its time in seconds. */
  const change = (seconds: number, values: Partial<Change> = {}): Change => ({
    id: String(seconds),
    at: new Date(seconds * 1000).toISOString(),
    resource: 'assignment',
    rowId: 'a',
    action: 'update',
    projectId: 'p',
    callerId: 'ann',
    clientId: null,
    host: 'rest',
    sessionId: null,
    requestId: null,
    before: null,
    after: null,
    ...values,
  })
  const idsOf = (changes: readonly Change[]) =>
    groupChanges(changes).map((group) => group.map(({ id }) => id))

  const link = { resource: 'assignmentLabel', action: 'create' } as const
  const ofAssignment = (assignmentId: string) => ({ after: { assignmentId } })

  test('are grouped if one user set fields and links of one assignment within five minutes', () => {
    const comment = { resource: 'comment', action: 'create' } as const
    assert.deepEqual(
      idsOf([
        change(900),
        change(890, { rowId: 'b' }),
        change(880, { ...link, rowId: 'x', ...ofAssignment('a') }),
        change(601, { action: 'create' }),
        change(595, { rowId: 'b' }),
        change(594, { rowId: 'b', callerId: 'bob' }),
        change(593, { rowId: 'b' }),
        change(589, { rowId: 'b' }),
        change(200, { ...comment, rowId: 'd', ...ofAssignment('b') }),
        change(199, { ...comment, rowId: 'e', ...ofAssignment('b') }),
        change(198, { action: 'remove', rowId: 'b' }),
        change(197, { rowId: 'b' }),
      ]),
      [['900', '880', '601'], ['890', '595'], ['594'], ['593', '589'], ['200'], ['199'], ['198'], ['197']],
    )
  })

  test('of a text are the tasks that were ticked or cleared, unless anything else has changed', () => {
    const text = 'Before\n- [ ] Paint\n  1. [x] Buy *paint*\n'
    const done = text.replace('[ ]', '[x]')
    const paint = { text: 'Paint', isDone: true }
    assert.deepEqual(ticksIn(text, done), [paint])
    assert.deepEqual(ticksIn(text, done.replace('1. [x]', '1. [ ]')), [
      paint,
      { text: 'Buy *paint*', isDone: false },
    ])
    for (const other of [
      `${done}more`,
      done.replace('Paint', 'Print'),
      done.replace('Before', '[x]'),
      `${done}\n`,
    ])
      assert.deepEqual(ticksIn(text, other), [])
  })

  test('of links are grouped by the assignment that their creation names', () => {
    const changes = [
      change(300, { ...link, action: 'remove', rowId: 'y' }),
      change(299, { ...link, rowId: 'y', ...ofAssignment('a') }),
      change(298, { ...link, rowId: 'x', ...ofAssignment('a') }),
      change(297, { ...link, action: 'remove', rowId: 'unknown' }),
    ]
    assert.deepEqual(idsOf(changes), [['300', '299', '298'], ['297']])
    const [group] = groupChanges(changes)
    assert.deepEqual(group && withoutCancelled(group).map(({ id }) => id), ['298'])
  })

  test('of members are grouped, unless one of them was restored in between', () => {
    const removal = { resource: 'userProject', action: 'remove' } as const
    assert.deepEqual(
      idsOf([
        change(300, { ...removal, rowId: 'x' }),
        change(299, { ...removal, rowId: 'y' }),
        change(298, { ...removal, action: 'restore', rowId: 'x' }),
        change(297, { ...removal, rowId: 'x' }),
      ]),
      [['300', '299'], ['298'], ['297']],
    )
  })

  test('of one link are kept if they only change it', () => {
    const update = { resource: 'assignmentImpediment', rowId: 'x' } as const
    const [group] = groupChanges([
      change(300, { ...update, after: { description: 'C' } }),
      change(290, { ...update, after: { description: 'B' } }),
    ])
    assert.deepEqual(group && withoutCancelled(group).map(({ id }) => id), ['300', '290'])
    assert.equal(group && kindOf(group), 'assignmentImpediment.update description')
  })

  test('name a renamed and removed record by its newest name', () => {
    const label = { resource: 'label', rowId: 'x' } as const
    const names = namesInChanges([
      change(300, { ...label, action: 'remove', before: { name: 'New' } }),
      change(290, { ...label, before: { name: 'Old' }, after: { name: 'New' } }),
      change(280, { ...label, action: 'create', after: { name: 'Old' } }),
    ])
    assert.deepEqual([...names], [['x', 'New']])
  })

  test('of recorded hours are grouped by their assignment', () => {
    const hours = { resource: 'appointment', action: 'create' } as const
    assert.deepEqual(
      idsOf([
        change(300, { ...hours, rowId: 'x', ...ofAssignment('a') }),
        change(299, { ...hours, rowId: 'y', ...ofAssignment('b') }),
        change(298, { ...hours, rowId: 'z', ...ofAssignment('a') }),
        change(297, {}),
      ]),
      [['300', '298'], ['299'], ['297']],
    )
  })

  test('of one kind by one user to at least three assignments are joined', () => {
    const creation = (seconds: number, rowId: string, values = {}) =>
      change(seconds, { action: 'create', rowId, ...values })
    const groups = groupChanges([
      creation(900, 'a'),
      change(899, { ...link, rowId: 'x', ...ofAssignment('b') }),
      creation(898, 'b'),
      creation(601, 'c'),
      change(600, { rowId: 'm', after: { name: 'M' } }),
      creation(599, 'd'),
      creation(598, 'e'),
      creation(597, 'f', { callerId: 'bob' }),
      change(596, { after: { workflowId: '1', updatedAt: '2' } }),
      change(595, { rowId: 'b', after: { workflowId: '1' } }),
      change(594, { rowId: 'g', after: { priority: 1 } }),
    ])
    const idsOfRuns = (canJoin = true) =>
      joinRuns(groups, () => canJoin).map((run) => run.map(([newest]) => newest.id).join())
    assert.deepEqual(idsOfRuns(), ['900,899,601', '600', '599', '598', '597', '596', '595', '594'])
    assert.equal(idsOfRuns(false).length, groups.length)
    assert.deepEqual(
      [groups[1], groups[7], groups[9]].map((group) => group && kindOf(group)),
      ['assignment.create', 'assignment.update workflowId', 'assignment.update priority'],
    )
  })

  test('of one kind are joined even with others between them, except creations of assignments', () => {
    const label = (seconds: number) =>
      change(seconds, { resource: 'label', action: 'create', rowId: `${seconds}` })
    const creation = (seconds: number) => change(seconds, { action: 'create', rowId: `${seconds}` })
    const groups = groupChanges([label(9), creation(8), label(7), creation(6), label(5), creation(4)])
    const runs = joinRuns(groups, () => true).map((run) => run.map(([newest]) => newest.id).join())
    assert.deepEqual(runs, ['9,7,5', '8', '6', '4'])
  })

  test('of a group are combined into the first and the last value', () => {
    const group = [
      change(3, { before: { name: 'B', hours: 2 }, after: { name: 'C', hours: 1 } }),
      change(2, { before: { hours: 1 }, after: { hours: 2 } }),
      change(1, { before: { name: 'A' }, after: { name: 'B' } }),
    ] as const
    const { before, after } = combineUpdates(group)
    assert.deepEqual(before, { name: 'A' })
    assert.deepEqual(after, { name: 'C' })
    assert.equal(combineUpdates([group[1]]), group[1])
  })
})

test('Notifications within a minute are ordered by their kinds', () => {
  const notification = (kind: Notification['kind'], at: string): Notification => ({
    id: kind,
    kind,
    at: `2026-11-24T${at}Z`,
    assignmentId: 'a',
    assignmentName: 'Paint',
    projectId: 'p',
    actorId: null,
    commentId: null,
    workflowId: null,
    readAt: null,
  })
  const kindsOf = (notifications: readonly Notification[]) =>
    groupNotifications(notifications).map((group) => group.notifications.map(({ kind }) => kind).join())
  const [assigned, blocked] = [notification('assigned', '10:00:30'), notification('blocked', '10:00:20')]
  assert.deepEqual(kindsOf([assigned, blocked]), ['blocked,assigned'])
  assert.deepEqual(kindsOf([blocked, assigned]), ['blocked,assigned'])
  const later = notification('mentioned', '10:01:00')
  assert.deepEqual(kindsOf([later, assigned, blocked]), ['mentioned,blocked,assigned'])
})
