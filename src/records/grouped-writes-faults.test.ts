import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshContext, outcomesOf } from '../../test/support/fresh-context.ts'
import { isDistributed } from '../../test/support/fresh-database.ts'
import { measureRunningTime } from '../../test/support/running-time.ts'
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

/** Waits for writes that must not wait for a lock. */
async function allUnblocked(writes: readonly Promise<Row>[]): Promise<readonly Row[]> {
  const milliseconds = measureRunningTime()
  const rows = await Promise.all(writes)
  assert.ok(milliseconds() < 3000, 'They waited.')
  return rows
}

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

  it('do not wait for others that refer to a row that is being removed', async () => {
    const blockedBody = { ...body, projectId: (await makeAny('project')).id }
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const removal = context.database.transaction(async (transaction) => {
      const joined = { ...context, database: joinTransaction(context.database, transaction) }
      await remove(joined, resourceNamed('project'), caller, { ids: [blockedBody.projectId] })
      locked.resolve()
      await released.promise
      throw new Error('No.')
    })
    await locked.promise
    const blocked = Array.from({ length: 6 }, () => create(context, assignment, caller, blockedBody))
    const unblocked = Array.from({ length: 20 }, () => create(context, assignment, caller, body))
    let isAnyBlockedDone = false
    for (const write of blocked) write.finally(() => (isAnyBlockedDone = true)).catch(() => undefined)
    const rows = await allUnblocked(unblocked)
    assert.equal(isAnyBlockedDone, false)
    // A batch that waited would fail after its lock timeout, and each of its writes would then run alone.
    if (!isDistributed) assert.ok((await transactionsOf(rows)) < 10)
    released.resolve()
    await assert.rejects(removal, /No\./)
    assert.deepEqual(outcomesOf(await Promise.allSettled(blocked)), Array(6).fill('ok'))
  })

  /** Creates an assignment in a transaction that ends when the returned function is called. */
  const holdCreate = async (values: Values) => {
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const holder = context.database.transaction(async (transaction) => {
      const joined = { ...context, database: joinTransaction(context.database, transaction) }
      await create(joined, assignment, caller, values)
      locked.resolve()
      await released.promise
    })
    await locked.promise
    return () => {
      released.resolve()
      return holder
    }
  }
  const createUnblocked = (count: number) =>
    Array.from({ length: count }, () => create(context, assignment, caller, body))

  it('do not wait for an id that another transaction holds', async () => {
    const id = newId()
    const release = await holdCreate({ ...body, projectId: (await makeAny('project')).id, id })
    // The counter of this project is free. Otherwise no batch would include the id.
    const freeBody = { ...body, projectId: (await makeAny('project')).id }
    await create(context, assignment, caller, freeBody)
    const earlier = createUnblocked(4)
    const settled = Promise.allSettled([create(context, assignment, caller, { ...freeBody, id })])
    await allUnblocked([...earlier, ...createUnblocked(12)])
    await release()
    assert.deepEqual(outcomesOf(await settled), ['duplicate'])
  })

  it('do not wait for a counter that another transaction holds', async () => {
    const blockedBody = { ...body, projectId: (await makeAny('project')).id }
    const release = await holdCreate(blockedBody)
    const earlier = createUnblocked(4)
    const blocked = Array.from({ length: 6 }, () => create(context, assignment, caller, blockedBody))
    const settled = Promise.allSettled(blocked)
    await allUnblocked([...earlier, ...createUnblocked(12)])
    await release()
    assert.deepEqual(outcomesOf(await settled), Array(6).fill('ok'))
    // They wait for the counter in one batch, so there are fewer transactions.
    if (!isDistributed) assert.ok((await transactionsOf(await Promise.all(blocked))) < 6)
  })

  it('are contended if their counter is locked and they must not wait for it', { skip }, async () => {
    const fieldNames = Object.keys(assignment.fields).filter((name) => name !== 'number')
    const lockedBody = { ...body, projectId: (await makeAny('project')).id }
    const rows = [lockedBody, body, lockedBody].map((row: Values, index) => {
      const values = Object.fromEntries(fieldNames.map((name) => [name, row[name]]))
      return { index, ids: [newId()], values, stored: values }
    })
    await create(context, assignment, caller, lockedBody)
    const outcomes = await context.database.transaction(async (transaction) => {
      await transaction.query(sql`select next_assignment_number(${lockedBody.projectId}::uuid)`)
      const callers = { each: rows.map(() => caller) }
      return createMany(context.database.singleWrites, assignment, callers, rows, { waitsForCounter: false })
    })
    assert.deepEqual(
      outcomes.map(({ problem }) => problem?.kind),
      ['contended', undefined, 'contended'],
    )
  })

  it('do not fail because another write of the same statement fails', async () => {
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

  it('that belong to a transaction stay in it', async () => {
    const ids: string[] = []
    const rolledBack = context.database.transaction(async (transaction) => {
      const joined = { ...context, database: joinTransaction(context.database, transaction) }
      const rows = await Promise.all(
        Array.from({ length: 6 }, () => create(joined, assignment, caller, body)),
      )
      ids.push(...rows.map(({ id }) => id))
      throw new Error('No.')
    })
    await Promise.allSettled([
      rolledBack,
      ...Array.from({ length: 6 }, () => create(context, assignment, caller, body)),
    ])
    assert.equal(ids.length, 6)
    assert.deepEqual(
      await context.database.query(sql`select from history where row_id = any(${ids}::uuid[])`),
      [],
    )
  })

  it('are each reported with the statement that wrote them', { skip }, async () => {
    const texts = new Set<string>()
    context.database.onStatement((ended) => {
      if (ended.kind === 'write') texts.add(ended.text() ?? '')
    })
    await Promise.all(Array.from({ length: 10 }, () => create(context, assignment, caller, body)))
    assert.ok([...texts].some((text) => text.includes('json_to_recordset')))
    assert.ok([...texts].every((text) => text.includes('insert into "assignments"')))
  })

  it('are measured as waiting, not as running, until it is their turn', { skip }, async () => {
    const { id } = await create(context, assignment, caller, body)
    const waits: EndedStatement[] = []
    context.database.onStatement((ended) => {
      // A call that only waited for its turn has sent no statement.
      const hasOnlyWaited = ended.kind === 'write' && ended.text() === undefined
      if (hasOnlyWaited) waits.push(ended)
    })
    await Promise.all(Array.from({ length: 10 }, () => update(context, assignment, caller, { ...body, id })))
    const sum = (secondsOf: (ended: EndedStatement) => number) =>
      waits.reduce((total, ended) => total + secondsOf(ended), 0)
    assert.equal(waits.length, 9)
    assert.ok(sum(({ waitSeconds }) => waitSeconds) > 0.9 * sum(({ seconds }) => seconds))
  })
})
