import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyResult, explainedContext, type Plan, sumOver } from '../../test/support/explained-context.ts'
import type { Caller } from '../model/caller.ts'
import { assignment } from '../resources/assignment.ts'
import { list } from './list.ts'
import { parseListQuery } from './list-query.ts'
import { parseQuery } from './query/parse-query.ts'
import { runQuery } from './query/run-query.ts'

/** Assignments of other users, in a project that the member does not see. */
const othersRows = 5000

describe('A search for two letters, which no trigram index supports', () => {
  it('compares the texts of visible rows only', async (t) => {
    const fresh = await explainedContext()
    t.after(fresh.drop)
    const user = await fresh.makeAny('user')
    const visible = await fresh.makeAny('assignment')
    const hidden = await fresh.makeAny('assignment')
    await fresh.make('userProject', { userId: user.id, projectId: visible.projectId })
    await fresh.addCopiesOfAssignment(hidden.id, othersRows)
    await fresh.client.query('vacuum analyze')
    let comparedTexts = 0
    const reads = fresh.explaining((plan) => {
      comparedTexts = countComparedTexts(plan)
    }, emptyResult)
    const member = fresh.asUser(user)
    const search = parseListQuery(assignment, { search: 'zq' })
    /** Runs a query, and returns how many texts it has compared. */
    const ask = async (caller: Caller, filter: string, keys: Readonly<Record<string, string>> = {}) => {
      await runQuery(assignment, caller, parseQuery(assignment, caller, { filter, ...keys }), reads)
      return comparedTexts
    }
    await list(fresh.context, assignment, member, search, reads)
    assert.equal(comparedTexts, 1)
    await list(fresh.context, assignment, fresh.administrator, search, reads)
    assert.equal(comparedTexts, othersRows + 2)

    for (const filter of [
      "name contains 'zq'",
      "name startsWith 'zq'",
      "amountHours lt 9 and (name contains 'zq' or description contains 'assignment')",
      "not (name contains 'assignment')",
    ])
      for (const keys of [{}, { count: 'true' }, { sort: '-startDate', count: 'true' }])
        assert.equal(await ask(member, filter, keys), 1, `${filter} ${JSON.stringify(keys)}`)
    assert.equal(await ask(member, "amountHours gt 9 and name contains 'zq'"), 0, 'numbers first')
    assert.equal(await ask(fresh.administrator, "name contains 'zq'", { count: 'true' }), othersRows + 2)
    // In the order of an index, the search stops as soon as a page is full.
    assert.ok((await ask(fresh.administrator, "name contains 'f '")) < 1000)
  })
})

/**
 * Counts the rows that were compared with the text, whether they matched or not. After a vacuum the planner
 * may read all rows by an index and compare them then.
 */
const countComparedTexts = (plan: Plan): number =>
  sumOver(plan, (part) => {
    const condition = `${part.Filter} ${part['Recheck Cond']}`
    const removed = (part['Rows Removed by Filter'] ?? 0) + (part['Rows Removed by Index Recheck'] ?? 0)
    return condition.includes('~~*') ? part['Actual Rows'] + removed : 0
  })
