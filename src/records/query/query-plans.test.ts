import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { blocksOf, explainedContext } from '../../../test/support/explained-context.ts'
import { preparedStatements } from '../../db/connections.ts'
import type { Row } from '../../db/rows.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { resourceNamed } from '../../resources/all.ts'
import { parseQuery } from './parse-query.ts'
import { runQuery } from './run-query.ts'

const rowCount = 30_000

/** The whole table has about five hundred. */
const blocksMax = 150

describe('A page of a query over many rows', () => {
  let fresh: Awaited<ReturnType<typeof explainedContext>>
  let member: Caller
  let busy: Row
  let quiet: Row
  before(async () => {
    fresh = await explainedContext()
    busy = await fresh.makeAny('assignment')
    quiet = await fresh.makeAny('assignment')
    member = { id: String(busy.userId), isAdministrator: false }
    await fresh.make('userProject', { userId: busy.userId, projectId: busy.projectId })
    await fresh.make('appointment', {
      keepDate: '2026-01-05',
      amountHours: 1,
      assignmentId: quiet.id,
      userId: quiet.userId,
    })
    await fresh.client.query(
      `insert into appointments (id, keep_date, amount_hours, assignment_id, user_id, created_at)
       select gen_random_uuid(), timestamptz '2020-01-01' + interval '1 hour' * n, 1, $1, $2, now() - interval '1 second' * n
       from generate_series(1, ${rowCount}) as n`,
      [busy.id, busy.userId],
    )
    await fresh.client.query('vacuum analyze')
  })
  after(() => fresh.drop())

  const appointment = resourceNamed('appointment')
  const pageOf = (caller: Caller, query: Readonly<Record<string, string>>) =>
    runQuery(appointment, caller, parseQuery(appointment, caller, query), fresh.context.database.listReads)

  async function blocksReadBy(caller: Caller, query: Readonly<Record<string, string>>) {
    let blocks = 0
    const reads = fresh.explaining((plan) => {
      blocks += blocksOf(plan)
    })
    await runQuery(appointment, caller, parseQuery(appointment, caller, query), reads)
    return blocks
  }

  for (const [description, query] of [
    ['in the order of ids', {}],
    ['in the descending order of ids', { sort: '-id' }],
    ['in the order of dates', { sort: 'keepDate' }],
    ['with all its references', { expand: 'assignment.project.organization,assignment.user,user' }],
    ['of some days', { filter: "keepDate ge '2021-01-01' and keepDate lt '2021-01-03'" }],
  ] as const)
    it(`${description} reads few blocks`, async () => {
      for (const caller of [fresh.administrator, member]) {
        const first = await pageOf(caller, { ...query, pageSize: '20' })
        assert.equal(first.rows.length, 20)
        for (const page of [query, { ...query, cursor: first.nextCursor ?? '' }]) {
          const blocks = await blocksReadBy(caller, page)
          assert.ok(blocks <= blocksMax, `${blocks} blocks of ${JSON.stringify(page)}`)
        }
      }
    })

  it('of a reference with few rows reads few blocks', async () => {
    for (const filter of [
      `assignmentId eq '${quiet.id}'`,
      `userId eq '${quiet.userId}' and amountHours lt 9`,
    ]) {
      const blocks = await blocksReadBy(fresh.administrator, { filter, sort: '-amountHours', count: 'true' })
      assert.ok(blocks <= blocksMax, `${blocks} blocks of ${filter}`)
    }
  })

  it('is sent as an unnamed statement, because few queries have the same SQL', async () => {
    const statements: Sql[] = []
    const reads = {
      async query<Result>(statement: Sql): Promise<Result[]> {
        statements.push(statement)
        return []
      },
    }
    await runQuery(appointment, member, parseQuery(appointment, member, {}), reads)
    const prepare = preparedStatements({ named: true })
    const areNamed = [...statements, sql`select 1`].map((statement) => 'name' in prepare(statement))
    assert.deepEqual(areNamed, [false, true])
  })
})
