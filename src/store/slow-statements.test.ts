import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { type SlowStatement, watchSlowStatements } from './slow-statements.ts'
import { sql } from './sql.ts'
import { startWork } from './work.ts'

describe('slow statements', () => {
  let store: FreshDatabase
  const told: SlowStatement[] = []
  let clock = 0
  before(async () => {
    store = await freshDatabase()
    watchSlowStatements(store.database, { slowMilliseconds: 30, now: () => clock }, (slow) => told.push(slow))
  })
  after(() => store.drop())
  const sleepy = (text: string) => sql`select pg_sleep(0.04), ${text}::text as secret`

  test('are told with their operation and without values', async () => {
    const { database } = store
    const work = startWork('ListProjects')
    await database.complete(work, () => database.query(sleepy('hush')))
    await database.query(sql`select 1`)
    const [slow, ...others] = told.splice(0)
    assert.equal(others.length, 0)
    assert.equal(slow?.operation, 'ListProjects')
    assert.equal(slow?.kind, 'read')
    assert.equal(slow?.statement, 'select pg_sleep(0.04), $1::text as secret')
    assert.ok((slow?.milliseconds ?? 0) >= 40)
    assert.ok(work.storeSeconds >= 0.04)
  })

  test('are told one a second at most, and how many were left out', async () => {
    clock = 1000
    const { database } = store
    await Promise.all([sleepy('a'), sleepy('b'), sleepy('c')].map((each) => database.query(each)))
    clock = 2000
    await database.query(sleepy('d'))
    assert.deepEqual(
      told.splice(0).map(({ leftOut, operation }) => [leftOut, operation]),
      [
        [0, undefined],
        [2, undefined],
      ],
    )
  })

  test('of a transaction are told one by one, and before the transaction', async () => {
    clock = 3000
    await store.database.transaction((transaction) => transaction.query(sleepy('e')))
    const [slow] = told.splice(0)
    assert.equal(slow?.kind, 'in transaction')
    assert.match(slow?.statement ?? '', /^select pg_sleep/)
  })

  test('that had to wait for their turn say for how long', async () => {
    clock = 5000
    const { database } = store
    const waits = Array.from({ length: 8 }, () => database.lists.query(sleepy('f'), 'one account'))
    await Promise.allSettled(waits)
    const last = startWork('ListUsers')
    const queued = Array.from({ length: 4 }, () => database.lists.query(sleepy('g'), 'one account'))
    await database.complete(last, () => database.lists.query(sleepy('h'), 'one account'))
    await Promise.all(queued)
    assert.ok(last.waitSeconds > 0.03, `${last.waitSeconds}`)
    assert.ok(last.storeSeconds >= 0.04, `${last.storeSeconds}`)
  })

  test('that a request has started for everybody are not told as the request’s, once it is over', async () => {
    clock = 9000
    told.length = 0
    const { database } = store
    const { promise: later, resolve } = Promise.withResolvers<void>()
    const work = startWork('ListTypes')
    let following: Promise<unknown> | undefined
    await database.complete(work, async () => {
      following = later.then(() => database.query(sleepy('i')))
    })
    resolve()
    await following
    assert.equal(told[0]?.operation, undefined)
    assert.equal(work.storeSeconds, 0)
  })
})
