import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { addressOf, isDistributed } from '../../test/support/fresh-database.ts'
import { freshTracker } from '../../test/support/tracker.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed } from '../resources/all.ts'
import { writerOfInput } from '../store/many-rows.ts'
import type { Values } from '../store/rows.ts'
import { render, type Sql } from '../store/sql.ts'
import { updateAlike } from './write-each.ts'

/** Of one project, so that its members see them all. */
const assignments = 5000
const rowsTogether = 16
/** To check, to lock and to keep: a few for each row. */
const readMax = 10 * rowsTogether

/** A store of several nodes takes several statements. */
describe('Changes of several people in one statement', { skip: isDistributed }, () => {
  it('read little, however many assignments their projects have', async (t) => {
    const fresh = await freshTracker()
    const client = new pg.Client({ connectionString: addressOf(fresh.tracker.database) })
    await client.connect()
    t.after(async () => {
      await client.end()
      await fresh.drop()
    })
    const { id, projectId } = await fresh.makeAny('assignment')
    await client.query(
      `insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
      select gen_random_uuid(), 'One of many', start_date, end_date, 1, project_id, workflow_id, user_id, assignment_type_id
      from (select * from assignments where id = $1) as one, generate_series(1, ${assignments})`,
      [id],
    )
    const found = await client.query<{ id: string }>(
      `select id from assignments order by id limit ${rowsTogether}`,
    )
    const written: { caller: Caller; id: string; values: Values }[] = []
    for (const { id: assignmentId } of found.rows) {
      const person = await fresh.makeAny('user')
      await fresh.make('userProject', { userId: person.id, projectId })
      const values = { keepDate: '2026-01-05T00:00:00Z', amountHours: 1, assignmentId, userId: person.id }
      const row = await fresh.make('appointment', values)
      written.push({ caller: fresh.asUser(person), id: row.id, values: { ...values, amountHours: 2 } })
    }
    await client.query('analyze')
    let read = 0
    let changed = 0
    const explaining = {
      async query<Row>(statement: Sql): Promise<Row[]> {
        const { text, values } = render(statement)
        const explained = `explain (analyze, timing off, format json) ${text}`
        const { rows } = await client.query(explained, [...values])
        read += assignmentsReadBy(rows[0]['QUERY PLAN'][0].Plan)
        changed = (await client.query('select from appointments where amount_hours = 2')).rowCount ?? 0
        return []
      },
    }
    const eachCaller = { id: writerOfInput as unknown as string, isAdministrator: false }
    const items = written.map(({ id, values }, index) => ({ index, ids: [id], values, stored: values }))
    const writers = { each: written.map(({ caller }) => caller) }
    await updateAlike(explaining, resourceNamed('appointment'), eachCaller, items, new Map(), writers)
    assert.equal(changed, rowsTogether)
    assert.ok(read <= readMax, `${read} assignments`)
  })
})

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

function assignmentsReadBy({ Plans: parts = [], ...plan }: Plan): number {
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
  const own = plan['Relation Name'] === 'assignments' ? rows * plan['Actual Loops'] : 0
  return parts.reduce((sum, part) => sum + assignmentsReadBy(part), own)
}
