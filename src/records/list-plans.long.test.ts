import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { blocksOf, emptyResult, explainedContext } from '../../test/support/explained-context.ts'
import { column } from '../db/columns.ts'
import { render } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import type { Resource } from '../resources/define-resource.ts'
import { list } from './list.ts'
import { parseListQuery } from './list-query.ts'

/** Far more than there are active rows. */
const removedRows = 20_000

/** A scan of the whole table reads several hundred. */
const blocksMax = 100

describe('A list of few active rows among many removed ones', () => {
  let fresh: Awaited<ReturnType<typeof explainedContext>>
  let member: Caller
  before(async () => {
    fresh = await explainedContext()
    const user = await fresh.makeAny('user')
    member = fresh.asUser(user)
    const assignment = await fresh.makeAny('assignment')
    const [userId, assignmentId] = [user.id, assignment.id]
    await fresh.make('userProject', { userId, projectId: assignment.projectId })
    await fresh.make('userAssignment', { userId, assignmentId })
    await fresh.make('appointment', { userId, assignmentId, keepDate: '2026-01-05', amountHours: 1 })
    const { id: impedimentId } = await fresh.makeAny('impediment')
    await fresh.make('assignmentImpediment', { assignmentId, impedimentId })
    for (const resource of resources) await addRemovedRows(resource)
    // The table is deliberately not vacuumed: between many removals and the next list there is not always
    // time for that.
    await fresh.client.query('analyze')
  })
  after(() => fresh.drop())

  /** Adds copies of an active row. They get new keys and numbers. */
  async function addRemovedRows({ table, columns, name }: Resource) {
    const plainColumns = columns
      .filter((each) => !['id', 'active', 'deletedAt', 'key', 'number'].includes(each))
      .map((each) => render(column(each)).text)
    const secrets = name === 'user' ? ['password_hash'] : []
    const copied = [...plainColumns, ...secrets].join(', ')
    await fresh.client.query(`
      insert into ${table} (id, active, deleted_at, ${copied})
      select gen_random_uuid(), false, now(), ${copied}
      from (select * from ${table} limit 1) as original, generate_series(1, ${removedRows})`)
  }

  async function blocksReadBy(resource: Resource, caller: Caller, query: Readonly<Record<string, string>>) {
    let blocks = 0
    const reads = fresh.explaining((plan) => {
      blocks += blocksOf(plan)
    }, emptyResult)
    await list(fresh.context, resource, caller, parseListQuery(resource, query), reads)
    return blocks
  }

  const zero = '00000000-0000-4000-8000-000000000000'
  for (const resource of resources) {
    const filtered = resource.filters.flatMap((filter): Record<string, string>[] =>
      typeof filter === 'string'
        ? [{ [filter]: zero }]
        : [{ dateFrom: '2026-01-01' }, { dateFrom: '2026-01-01', dateTo: '2026-02-01' }],
    )
    const queries = [
      {},
      { sortOrder: 'desc' },
      { sortColumn: 'createdAt', pageSize: '100' },
      { search: 'abc' },
      { ids: zero },
      ...filtered,
    ]
    for (const query of queries) {
      it(`of ${resource.plural} with ${JSON.stringify(query)} reads few blocks for every caller`, async () => {
        for (const caller of [fresh.administrator, ...(resource.name === 'user' ? [] : [member])]) {
          const blocks = await blocksReadBy(resource, caller, query)
          assert.ok(blocks <= blocksMax, `${blocks} blocks`)
        }
      })
    }
  }
  it('reads few blocks even if other resources have changed', async () => {
    await fresh.client.query(`
      insert into changes (resource, row_id, action)
      select resource, gen_random_uuid(), 'update'
      from (values ('assignment', 100000), ('appointment', 20000)) as changed (resource, count),
        generate_series(1, count) order by resource desc`)
    await fresh.client.query('analyze changes')
    const blocks = await blocksReadBy(resourceNamed('assignment'), member, {})
    assert.ok(blocks <= blocksMax, `${blocks} blocks`)
  })
})
