import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTracker } from '#tracker-client'
import { loadRecordedHours, withQueued } from '../../web/src/assignment/load-recorded-hours.ts'

/** A small limit for these tests. That of the server is 1,000. */
const groupsMax = 2

describe('The recorded hours of a project', () => {
  const stages = [{ id: 'todo' }, { id: 'doing' }, { id: 'done' }]
  /** Loads the hours of assignments, which are named after their stage, and lists the requested reports. */
  const load = async (assignments: readonly string[]) => {
    const requested: string[] = []
    const sendReport: typeof fetch = async (input) => {
      const stage = new URL(String(input)).searchParams.get('workflowId') ?? ''
      requested.push(stage || 'all stages')
      const groups = assignments
        .map((id, index) => ({ assignment: { id, name: id }, hours: index + 1 }))
        .filter(({ assignment }) => assignment.id.startsWith(stage))
      return Response.json({ result: { groups: groups.slice(0, groupsMax), totalGroups: groups.length } })
    }
    const tracker = openTracker({ address: 'http://tracker', fetch: sendReport })
    const scope = { projectId: 'website', stages }
    const hours = await loadRecordedHours(tracker, scope, new AbortController().signal)
    return { requested, hours: Object.fromEntries(hours) }
  }

  test('come from one report if it has all assignments', async () => {
    const { requested, hours } = await load(['todo 1', 'done 1'])
    assert.deepEqual(requested, ['all stages'])
    assert.deepEqual(hours, { 'todo 1': 1, 'done 1': 2 })
  })

  test('come from a report of each stage if one report has too many', async () => {
    const { requested, hours } = await load(['todo 1', 'doing 1', 'done 1', 'done 2'])
    assert.deepEqual(requested, ['all stages', 'todo', 'doing', 'done'])
    assert.deepEqual(hours, { 'todo 1': 1, 'doing 1': 2, 'done 1': 3, 'done 2': 4 })
  })

  test('lack only the last assignments of a stage that has too many itself', async () => {
    const { hours } = await load(['todo 1', 'done 1', 'done 2', 'done 3'])
    assert.deepEqual(hours, { 'todo 1': 1, 'done 1': 2, 'done 2': 3 })
  })

  test('include new and changed entries that wait for the network', () => {
    const changeTo = (amountHours: number, change = {}) => {
      const entry = { assignmentId: 'todo 1', keepDate: '2026-11-29', amountHours }
      return { kind: 'hours', entry, ...change } as const
    }
    const hoursWith = (...queued: Parameters<typeof withQueued>[1]) =>
      withQueued([['todo 1', 4]], queued).get('todo 1')
    assert.equal(hoursWith(changeTo(0.1), changeTo(0.2), { kind: 'stage' }), 4.3)
    assert.equal(hoursWith(changeTo(1.5, { formerHours: 1 })), 4.5)
    assert.equal(hoursWith(changeTo(1, { formerHours: 1.5 })), 3.5)
    assert.equal(hoursWith(changeTo(2, { isSent: true })), 4)
  })
})
