import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { addressOf } from '../../test/support/fresh-database.ts'
import { freshTracker } from '../../test/support/tracker.ts'
import { assignment } from '../resources/assignment.ts'
import { render, type Sql } from '../store/sql.ts'
import { list } from './list.ts'
import { readListQuery } from './read-list-query.ts'

/** Of other people, in a project that the member does not see. */
const othersRows = 5000

describe('A search for two letters, which no index knows,', () => {
  it('looks into the texts of visible rows only, and into each once for count and page', async (t) => {
    const fresh = await freshTracker()
    const client = new pg.Client({ connectionString: addressOf(fresh.tracker.database) })
    await client.connect()
    t.after(async () => {
      await client.end()
      await fresh.drop()
    })
    const user = await fresh.makeAny('user')
    const [own, foreign] = [await fresh.makeAny('assignment'), await fresh.makeAny('assignment')]
    await fresh.make('userProject', { userId: user.id, projectId: own.projectId })
    await client.query(
      `insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
      select gen_random_uuid(), 'Of others', start_date, end_date, 1, project_id, workflow_id, user_id, assignment_type_id
      from (select * from assignments where id = $1) as one, generate_series(1, ${othersRows})`,
      [foreign.id],
    )
    await client.query('analyze')
    let lookedInto = 0
    const reads = {
      async query<Row>(statement: Sql): Promise<Row[]> {
        const { text, values } = render(statement)
        const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...values])
        lookedInto = textsLookedInto(rows[0]['QUERY PLAN'][0].Plan)
        return [{ id: null, totalCount: 0, lastChangeSecond: null } as Row]
      },
    }
    await list(
      fresh.tracker,
      assignment,
      fresh.asUser(user),
      readListQuery(assignment, { search: 'zq' }),
      reads,
    )
    assert.equal(lookedInto, 1)
    await list(
      fresh.tracker,
      assignment,
      fresh.administrator,
      readListQuery(assignment, { search: 'zq' }),
      reads,
    )
    assert.equal(lookedInto, othersRows + 2)
  })
})

interface PlanNode {
  readonly Plans?: readonly PlanNode[]
  readonly Filter?: string
  readonly [figure: string]: unknown
}

/** The rows that were compared with the text, found or not. */
function textsLookedInto({ Plans = [], Filter, ...figures }: PlanNode): number {
  const own = Filter?.includes('~~*')
    ? Number(figures['Actual Rows']) + Number(figures['Rows Removed by Filter'] ?? 0)
    : 0
  return Plans.reduce((sum, plan) => sum + textsLookedInto(plan), own)
}
