import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshContext, outcomesOf } from '../../test/support/fresh-context.ts'
import { isDistributed } from '../../test/support/fresh-database.ts'
import { joinTransaction } from '../db/database.ts'
import { newId, type Row, type Values } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import type { EndedStatement } from '../db/work.ts'
import { resourceNamed } from '../resources/all.ts'
import { create } from './create.ts'
import { remove } from './remove.ts'
import { update } from './update.ts'
import { createMany } from './write-many.ts'

const { context, administrator: caller, makeAny, drop } = await freshContext()
after(drop)
const assignment = resourceNamed('assignment')

/** A sharded store does not batch writes. */
const skip = isDistributed

/** Returns the number of transactions that wrote the rows. */
async function transactionsOf(rows: readonly Row[]): Promise<number> {
  const ids = rows.map(({ id }) => id)
  const [counted] = await context.database.query<{ transactions: number }>(sql`
    select count(distinct transaction)::int as transactions from history where row_id = any(${ids}::uuid[])`)
  return counted?.transactions ?? 0
}

describe('writes that come at the same time', () => {
  let body: Omit<Row, 'id'>
  before(async () => {
    const { id: _, ...values } = await makeAny('assignment')
    body = values
  })

  it('do not wait for a row that another of them refers to and that is being removed', async () => {
    const held = { ...body, projectId: (await makeAny('project')).id }
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
    const holding = context.database.transaction(async (transaction) => {
      const own = { ...context, database: joinTransaction(context.database, transaction) }
      await remove(own, resourceNamed('project'), caller, { ids: [held.projectId] })
      locked()
      await until
      throw new Error('No.')
    })
    await isLocked
    const waiting = Array.from({ length: 6 }, () => create(context, assignment, caller, held))
    const free = Array.from({ length: 20 }, () => create(context, assignment, caller, body))
    let isAnyHeldDone = false
    for (const one of waiting) one.finally(() => (isAnyHeldDone = true)).catch(() => undefined)
    const isFree = await Promise.race([Promise.all(free), sleep(3000)])
    assert.equal(isFree?.length, 20)
    assert.equal(isAnyHeldDone, false)
    // A batch that waited would fail after its lock timeout, and each of its writes would then run alone.
    if (!isDistributed) assert.ok((await transactionsOf(isFree)) < 10)
    letGo()
    await assert.rejects(holding, /No\./)
    assert.deepEqual(outcomesOf(await Promise.allSettled(waiting)), Array(6).fill('ok'))
  })

  it('do not wait for an id or a counter that another transaction holds', async () => {
    const held = { ...body, projectId: (await makeAny('project')).id }
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>()
    const id = newId()
    const taking = context.database.transaction(async (transaction) => {
      const own = { ...context, database: joinTransaction(context.database, transaction) }
      await create(own, assignment, caller, { ...held, id })
      taken()
      await until
    })
    await isTaken
    const free = (count: number) =>
      Array.from({ length: count }, () => create(context, assignment, caller, body))
    const before = free(4)
    const same = create(context, assignment, caller, { ...held, id })
    const counted = Array.from({ length: 6 }, () => create(context, assignment, caller, held))
    const settled = Promise.allSettled([same, ...counted])
    const done = await Promise.race([Promise.all([...before, ...free(12)]), sleep(3000)])
    assert.equal(done?.length, 16)
    letGo()
    await taking
    const outcomes = await settled
    assert.deepEqual(outcomesOf(outcomes), ['duplicate', ...Array(6).fill('ok')])
    // Rows of one counter wait for it together.
    const rows = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (!isDistributed) assert.ok((await transactionsOf(rows)) < 6)
  })

  it('skip rows whose counter is locked', { skip }, async () => {
    const given = Object.keys(assignment.fields).filter((name) => name !== 'number')
    const held = { ...body, projectId: (await makeAny('project')).id }
    const rows = [held, body, held].map((row: Values, index) => {
      const values = Object.fromEntries(given.map((name) => [name, row[name]]))
      return { index, ids: [newId()], values, stored: values }
    })
    await create(context, assignment, caller, held)
    const outcomes = await context.database.transaction(async (transaction) => {
      await transaction.query(sql`select next_assignment_number(${held.projectId}::uuid)`)
      const callers = { each: rows.map(() => caller) }
      return createMany(context.database.singleWrites, assignment, callers, rows, { waitsForCounter: false })
    })
    assert.deepEqual(
      outcomes.map(({ problem }) => problem?.kind),
      ['contended', undefined, 'contended'],
    )
  })

  it('do not fail because one of them does', async () => {
    await context.database.transaction((transaction) =>
      transaction.query(sql`alter table assignments add constraint no_poison check (name <> 'Poison')`),
    )
    const settled = await Promise.allSettled(
      Array.from({ length: 12 }, (_, number) =>
        create(context, assignment, caller, { ...body, name: number === 7 ? 'Poison' : 'Good' }),
      ),
    )
    assert.deepEqual(
      settled.map(({ status }) => status),
      Array.from({ length: 12 }, (_, number) => (number === 7 ? 'rejected' : 'fulfilled')),
    )
  })

  it('in a transaction stay in it', async () => {
    const ids: string[] = []
    const undone = context.database.transaction(async (transaction) => {
      const own = { ...context, database: joinTransaction(context.database, transaction) }
      const rows = await Promise.all(Array.from({ length: 6 }, () => create(own, assignment, caller, body)))
      ids.push(...rows.map(({ id }) => id))
      throw new Error('No.')
    })
    await Promise.allSettled([
      undone,
      ...Array.from({ length: 6 }, () => create(context, assignment, caller, body)),
    ])
    assert.equal(ids.length, 6)
    assert.deepEqual(
      await context.database.query(sql`select from history where row_id = any(${ids}::uuid[])`),
      [],
    )
  })

  it('are counted for the request that each belongs to', { skip }, async () => {
    const texts = new Set<string>()
    context.database.onStatement((ended) => {
      if (ended.kind === 'write') texts.add(ended.text() ?? '')
    })
    await Promise.all(Array.from({ length: 10 }, () => create(context, assignment, caller, body)))
    assert.ok([...texts].some((text) => text.includes('json_to_recordset')))
    assert.ok([...texts].every((text) => text.includes('insert into "assignments"')))
  })

  it('count as waiting, not as time of the store, until it is their turn', { skip }, async () => {
    const { id } = await create(context, assignment, caller, body)
    const waits: EndedStatement[] = []
    context.database.onStatement((ended) => {
      if (ended.kind === 'write' && ended.text() === undefined) waits.push(ended)
    })
    await Promise.all(Array.from({ length: 10 }, () => update(context, assignment, caller, { ...body, id })))
    const sum = (secondsOf: (ended: EndedStatement) => number) =>
      waits.reduce((all, ended) => all + secondsOf(ended), 0)
    assert.equal(waits.length, 9)
    assert.ok(sum(({ waitSeconds }) => waitSeconds) > 0.9 * sum(({ seconds }) => seconds))
  })
})
