import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshContext } from '../../../test/support/fresh-context.ts'
import { changesSince, currentSnapshot } from '../../db/change-log.ts'
import type { Row } from '../../db/rows.ts'
import { sql } from '../../db/sql.ts'
import { remove } from '../../records/remove.ts'
import { update } from '../../records/update.ts'
import { resourceNamed } from '../../resources/all.ts'
import { type ChangedRows, changedRowsSince } from './changed-rows.ts'
import { mayAffect, type Scope, scopeOf } from './listing-scope.ts'

const assignment = resourceNamed('assignment')

describe('What a change can touch', () => {
  let fresh: Awaited<ReturnType<typeof freshContext>>
  let row: Row
  let others: Row
  before(async () => {
    fresh = await freshContext()
    row = await fresh.makeAny('assignment')
    others = await fresh.makeAny('assignment')
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
  const seen = (changes: ChangedRows, wanted: Scope['allowedValues'], caller = fresh.administrator) =>
    mayAffect(
      { resources: ['assignment', 'userProject'], scope: scopeOf(assignment, caller, wanted) },
      changes,
    )

  it('is a view that asks for a value that the row has or had before', async () => {
    const changes = await changesOf(() => change({ workflowId: others.workflowId }))
    assert.equal(seen(changes, {}), 'yes')
    for (const workflowId of [row.workflowId, others.workflowId])
      assert.equal(seen(changes, { workflowId: [workflowId] }), 'yes')
    assert.equal(seen(changes, { projectId: [others.projectId] }), 'no')
    assert.equal(seen(changes, { projectId: [row.projectId], userId: [others.userId] }), 'no')
    assert.equal(seen(changes, { id: [others.id] }), 'no')
    assert.equal(seen(changes, { id: [others.id, row.id] }), 'yes')
    await change({})
  })

  it('counts every value of a row that was changed more than once in between', async () => {
    const changes = await changesOf(async () => {
      await change({ workflowId: others.workflowId })
      await change({ workflowId: others.workflowId, userId: others.userId })
    })
    // Combines the states before both changes; neither change alone shows it.
    assert.equal(seen(changes, { workflowId: [row.workflowId], userId: [row.userId] }), 'yes')
    await change({})
  })

  it('is for members anything in their projects, and any change of their memberships', async () => {
    const member = fresh.asUser(await fresh.makeAny('user'))
    const inProject = await changesOf(() => change({ name: 'Renamed' }))
    assert.deepEqual(seen(inProject, {}, member), new Set([row.projectId]))
    assert.equal(seen(inProject, { projectId: [others.projectId] }, member), 'no')
    const moved = await changesOf(() => change({ projectId: others.projectId }))
    assert.deepEqual(seen(moved, {}, member), new Set([others.projectId, row.projectId]))
    await change({})
    let membership: Row | undefined
    const joined = await changesOf(async () => {
      membership = await fresh.make('userProject', { userId: member.id, projectId: row.projectId })
    })
    assert.equal(seen(joined, { projectId: [others.projectId] }, member), 'yes')
    assert.equal(seen(joined, {}, fresh.asUser(await fresh.makeAny('user'))), 'no')
    const left = await changesOf(() =>
      remove(fresh.context, resourceNamed('userProject'), fresh.administrator, { ids: [membership?.id] }),
    )
    assert.equal(seen(left, {}, member), 'yes')
  })

  it('is for everyone the rows of an assignment that moves to another project', async () => {
    const member = fresh.asUser(await fresh.makeAny('user'))
    for (const caller of [member, fresh.administrator]) {
      const appointments = {
        resources: ['appointment', 'assignment', 'userProject'],
        scope: scopeOf(resourceNamed('appointment'), caller, {}),
      }
      const renamed = await changesOf(() => change({ name: 'Renamed' }))
      assert.equal(mayAffect(appointments, renamed), 'no')
      const moved = await changesOf(() => change({ projectId: others.projectId }))
      assert.equal(mayAffect(appointments, moved), 'yes')
      await change({})
    }
  })

  it('is a row of an assignment in the project that the view asks for', async () => {
    const project = { name: 'Bug', color: 'red', projectId: row.projectId }
    const { id: labelId } = await fresh.make('label', project)
    const linked = await changesOf(() => fresh.make('assignmentLabel', { assignmentId: row.id, labelId }))
    const links = (projectId: unknown) => ({
      resources: ['assignmentLabel', 'assignment'],
      scope: scopeOf(resourceNamed('assignmentLabel'), fresh.administrator, { projectId: [projectId] }),
    })
    assert.equal(mayAffect(links(row.projectId), linked), 'yes')
    assert.equal(mayAffect(links(others.projectId), linked), 'no')
  })

  it('is every view if the history lacks the earlier row or is too long', async () => {
    const { database } = fresh.context
    const unknown = await changesOf(() =>
      database.transaction((transaction) =>
        transaction.query(
          sql`insert into changes (resource, row_id, action) values ('assignment', ${row.id}, 'remove')`,
        ),
      ),
    )
    assert.equal(seen(unknown, { projectId: [others.projectId] }), 'yes')
    const many = await changesOf(() =>
      Promise.all(Array.from({ length: 201 }, (_, n) => change({ amountHours: n % 9 }))),
    )
    assert.equal(seen(many, { projectId: [others.projectId] }), 'yes')
  })
})
