import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainedContext, type Plan, sumOver } from '../../../test/support/explained-context.ts'
import { isDistributed } from '../../../test/support/fresh-database.ts'
import type { Caller } from '../../model/caller.ts'
import { groupsMax, parseReportQuery, type Report, reports } from './parse-report-query.ts'
import { runReport } from './run-report.ts'

const assignmentCount = 5000
const appointmentsPerAssignment = 4

/** A sharded store is skipped, because its plans name shards. */
describe('The hours of each assignment of a project', { skip: isDistributed }, () => {
  it('are read by one statement that looks at each appointment once', async (t) => {
    const fresh = await explainedContext()
    t.after(fresh.drop)
    const { client } = fresh
    const user = await fresh.makeAny('user')
    const [large, small] = [await fresh.makeAny('assignment'), await fresh.makeAny('assignment')]
    await fresh.addCopiesOfAssignment(large.id, assignmentCount - 1)
    for (const { projectId } of [large, small])
      await fresh.make('userProject', { userId: user.id, projectId })
    await client.query(
      `insert into appointments (id, keep_date, amount_hours, assignment_id, user_id)
       select gen_random_uuid(), '2026-01-05', 0.25, id, $1 from assignments, generate_series(1, ${appointmentsPerAssignment})`,
      [user.id],
    )
    await client.query('vacuum analyze')
    const report = reports.find(({ name }) => name === 'hours') as Report
    /** Checks the report, and returns the number of appointments that its statement has read. */
    const rowsReadFor = async (caller: Caller, projectId: unknown) => {
      const query = parseReportQuery({ groupBy: 'assignment', projectId })
      const plans: Plan[] = []
      await runReport(
        report,
        caller,
        query,
        fresh.explaining((plan) => plans.push(plan)),
      )
      assert.equal(plans.length, 1)
      const { groups, totalGroups, total } = await runReport(
        report,
        caller,
        query,
        fresh.context.database.listReads,
      )
      const expected = projectId === large.projectId ? assignmentCount : 1
      assert.deepEqual(
        [groups.length, totalGroups, total.hours],
        [Math.min(expected, groupsMax), expected, expected],
      )
      return sumOver(plans[0] as Plan, appointmentsIn)
    }
    for (const caller of [fresh.administrator, fresh.asUser(user)]) {
      const ofLarge = await rowsReadFor(caller, large.projectId)
      assert.ok(
        ofLarge <= (assignmentCount + 1) * appointmentsPerAssignment,
        `${ofLarge} appointments for the large project`,
      )
      const ofSmall = await rowsReadFor(caller, small.projectId)
      assert.ok(ofSmall <= 10 * appointmentsPerAssignment, `${ofSmall} appointments for the small project`)
    }
  })
})

const appointmentsIn = (part: Plan): number =>
  part['Relation Name'] === 'appointments'
    ? (part['Actual Rows'] + (part['Rows Removed by Filter'] ?? 0)) * part['Actual Loops']
    : 0
