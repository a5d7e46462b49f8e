import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainedContext, type Plan, sumOver } from '../../test/support/explained-context.ts'
import { isDistributed } from '../../test/support/fresh-database.ts'
import type { Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed } from '../resources/all.ts'
import { updateSameFields } from './write-many.ts'

/** All belong to one project, so that its members see them all. */
const assignmentCount = 5000
const rowsTogether = 16
/** Allows a few reads per row, to check it, lock it and record its change. */
const readMax = 10 * rowsTogether

/** A sharded store is skipped, because it runs several statements. */
describe('Changes by several callers in one statement', { skip: isDistributed }, () => {
  it('read few rows, however many assignments their projects have', async (t) => {
    const fresh = await explainedContext()
    t.after(fresh.drop)
    const { client } = fresh
    const { id, projectId } = await fresh.makeAny('assignment')
    await fresh.addCopiesOfAssignment(id, assignmentCount)
    const found = await client.query<{ id: string }>(
      `select id from assignments order by id limit ${rowsTogether}`,
    )
    const writes: { caller: Caller; id: string; values: Values }[] = []
    for (const { id: assignmentId } of found.rows) {
      const person = await fresh.makeAny('user')
      await fresh.make('userProject', { userId: person.id, projectId })
      const values = { keepDate: '2026-01-05T00:00:00Z', amountHours: 1, assignmentId, userId: person.id }
      const row = await fresh.make('appointment', values)
      writes.push({ caller: fresh.asUser(person), id: row.id, values: { ...values, amountHours: 2 } })
    }
    await client.query('analyze')
    let read = 0
    let changed = 0
    const explaining = fresh.explaining(async (plan) => {
      read += assignmentsReadBy(plan)
      // `explain (analyze)` has executed the update.
      changed = (await client.query('select from appointments where amount_hours = 2')).rowCount ?? 0
    })
    const items = writes.map(({ id, values }, index) => ({ index, ids: [id], values, stored: values }))
    const callers = { each: writes.map(({ caller }) => caller) }
    await updateSameFields(explaining, resourceNamed('appointment'), callers, items, new Map())
    assert.equal(changed, rowsTogether)
    assert.ok(read <= readMax, `${read} assignments`)
  })
})

const assignmentsReadBy = (plan: Plan): number =>
  sumOver(plan, (part) => {
    const rows = part['Actual Rows'] + (part['Rows Removed by Filter'] ?? 0)
    return part['Relation Name'] === 'assignments' ? rows * part['Actual Loops'] : 0
  })
