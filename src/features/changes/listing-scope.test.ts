import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshContext } from '../../../test/support/fresh-context.ts'
import { changesSince, currentSnapshot } from '../../db/change-log.ts'
import type { Row } from '../../db/rows.ts'
import { sql } from '../../db/sql.ts'
import { remove } from '../../records/remove.ts'
import { update } from '../../records/update.ts'
import { resourceNamed } from '../../resources/all.ts'
import { type ChangedRows, changedRowsSince, mayAffect, type Scope, scopeOf } from './listing-scope.ts'

const assignment = resourceNamed('assignment')

describe('A change', () => {
  let fresh: Awaited<ReturnType<typeof freshContext>>
  let row: Row
  let other: Row
  before(async () => {
    fresh = await freshContext()
    row = await fresh.makeAny('assignment')
    other = await fresh.makeAny('assignment')
  })
  after(() => fresh.drop())

  async function changesOf(work: () => Promise<unknown>): Promise<ChangedRows> {
    const { database } = fresh.context
    const snapshot = await currentSnapshot(database)
    await work()
    const { resources } = await changesSince(database, snapshot)
    return changedRowsSince(database.liveListReads, snapshot, new Set(resources))
  }
  const change = (values: Readonly<Record<string, unknown>>) =>
    update(fresh.context, assignment, fresh.administrator, { ...row, ...values })
  const verdict = (changes: ChangedRows, wanted: Scope['allowedValues'], caller = fresh.administrator) =>
    mayAffect(
      { resources: ['assignment', 'userProject'], scope: scopeOf(assignment, caller, wanted) },
      changes,
    )

  it('affects views whose filter allows the row as it is, or as it was before', async () => {
    const changes = await changesOf(() => change({ workflowId: other.workflowId }))
    assert.equal(verdict(changes, {}), 'yes')
    for (const workflowId of [row.workflowId, other.workflowId])
      assert.equal(verdict(changes, { workflowId: [workflowId] }), 'yes')
    assert.equal(verdict(changes, { projectId: [other.projectId] }), 'no')
    assert.equal(verdict(changes, { projectId: [row.projectId], userId: [other.userId] }), 'no')
    assert.equal(verdict(changes, { id: [other.id] }), 'no')
    assert.equal(verdict(changes, { id: [other.id, row.id] }), 'yes')
    await change({})
  })

  it('affects views whose filter allows a combination of the values that the row has had', async () => {
    const changes = await changesOf(async () => {
      await change({ workflowId: other.workflowId })
      await change({ workflowId: other.workflowId, userId: other.userId })
    })
    // The row had both values before the two changes. Neither change alone contains both.
    assert.equal(verdict(changes, { workflowId: [row.workflowId], userId: [row.userId] }), 'yes')
    await change({})
  })

  it('affects views of members if it concerns one of their projects', async () => {
    const member = fresh.asUser(await fresh.makeAny('user'))
    const inProject = await changesOf(() => change({ name: 'Renamed' }))
    assert.deepEqual(verdict(inProject, {}, member), new Set([row.projectId]))
    assert.equal(verdict(inProject, { projectId: [other.projectId] }, member), 'no')
    const moved = await changesOf(() => change({ projectId: other.projectId }))
    assert.deepEqual(verdict(moved, {}, member), new Set([other.projectId, row.projectId]))
    await change({})
    let membership: Row | undefined
    const joined = await changesOf(async () => {
      membership = await fresh.make('userProject', { userId: member.id, projectId: row.projectId })
    })
    assert.equal(verdict(joined, { projectId: [other.projectId] }, member), 'yes')
    assert.equal(verdict(joined, {}, fresh.asUser(await fresh.makeAny('user'))), 'no')
    const left = await changesOf(() =>
      remove(fresh.context, resourceNamed('userProject'), fresh.administrator, { ids: [membership?.id] }),
    )
    assert.equal(verdict(left, {}, member), 'yes')
  })

  it('affects views of rows whose assignment moves to another project', async () => {
    const member = fresh.asUser(await fresh.makeAny('user'))
    for (const caller of [member, fresh.administrator]) {
      const appointments = {
        resources: ['appointment', 'assignment', 'userProject'],
        scope: scopeOf(resourceNamed('appointment'), caller, {}),
      }
      const renamed = await changesOf(() => change({ name: 'Renamed' }))
      assert.equal(mayAffect(appointments, renamed), 'no')
      const moved = await changesOf(() => change({ projectId: other.projectId }))
      assert.equal(mayAffect(appointments, moved), 'yes')
      await change({})
    }
  })

  it('of a row that belongs to an assignment affects views of the project of the assignment', async () => {
    const label = { name: 'Bug', color: 'red', projectId: row.projectId }
    const { id: labelId } = await fresh.make('label', label)
    const linked = await changesOf(() => fresh.make('assignmentLabel', { assignmentId: row.id, labelId }))
    const links = (projectId: unknown) => ({
      resources: ['assignmentLabel', 'assignment'],
      scope: scopeOf(resourceNamed('assignmentLabel'), fresh.administrator, { projectId: [projectId] }),
    })
    assert.equal(mayAffect(links(row.projectId), linked), 'yes')
    assert.equal(mayAffect(links(other.projectId), linked), 'no')
  })

  it('affects every view if the history lacks the earlier row, or there are too many changes', async () => {
    const { database } = fresh.context
    const unknown = await changesOf(() =>
      database.transaction((transaction) =>
        transaction.query(
          sql`insert into changes (resource, row_id, action) values ('assignment', ${row.id}, 'remove')`,
        ),
      ),
    )
    assert.equal(verdict(unknown, { projectId: [other.projectId] }), 'yes')
    const many = await changesOf(async () => {
      // On a busy machine, 201 concurrent writes of one row would wait for each other for too long.
      for (let written = 0; written < 201; written += 1) await change({ amountHours: written % 9 })
    })
    assert.equal(verdict(many, { projectId: [other.projectId] }), 'yes')
  })
})
