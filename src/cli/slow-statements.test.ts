import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { sql } from '../db/sql.ts'
import { type StatementListener, startWork } from '../db/work.ts'
import { type SlowStatement, watchSlowStatements } from './shared-store.ts'

describe('slow statements', () => {
  let store: FreshDatabase
  const reported: SlowStatement[] = []
  let clock = 0
  before(async () => {
    store = await freshDatabase()
    watchSlowStatements(store.database, { slowMilliseconds: 30, now: () => clock }, (slow) =>
      reported.push(slow),
    )
  })
  after(() => store.drop())
  const sleepy = (text: string) => sql`select pg_sleep(0.04), ${text}::text as secret`

  test('are reported with their operation and without values', async () => {
    const { database } = store
    const work = startWork('ListProjects', 'rest')
    await database.complete(work, () => database.query(sleepy('hush')))
    const [slow] = reported.splice(0)
    assert.equal(slow?.operation, 'ListProjects')
    assert.equal(slow?.kind, 'read')
    assert.equal(slow?.statement, 'select pg_sleep(0.04), $1::text as secret')
    assert.ok((slow?.milliseconds ?? 0) >= 40)
    assert.ok(work.storeSeconds >= 0.04)
  })

  test('of a transaction are reported one by one, and before the transaction', async () => {
    clock = 3000
    await store.database.transaction((transaction) => transaction.query(sleepy('e')))
    const [slow] = reported.splice(0)
    assert.equal(slow?.kind, 'in transaction')
    assert.match(slow?.statement ?? '', /^select pg_sleep/)
  })

  test('that had to wait for their turn report for how long', async () => {
    clock = 5000
    const { database } = store
    const waits = Array.from({ length: 8 }, () => database.listReads.query(sleepy('f'), 'one account'))
    await Promise.allSettled(waits)
    const last = startWork('ListUsers', 'rest')
    const queued = Array.from({ length: 4 }, () => database.listReads.query(sleepy('g'), 'one account'))
    await database.complete(last, () => database.listReads.query(sleepy('h'), 'one account'))
    await Promise.all(queued)
    assert.ok(last.waitSeconds > 0.03, `${last.waitSeconds}`)
    assert.ok(last.storeSeconds >= 0.04, `${last.storeSeconds}`)
  })

  test('started by a request are not attributed to it after it has ended', async () => {
    clock = 9000
    reported.length = 0
    const { database } = store
    const { promise: later, resolve } = Promise.withResolvers<void>()
    const work = startWork('ListTypes', 'rest')
    let following: Promise<unknown> | undefined
    await database.complete(work, async () => {
      following = later.then(() => database.query(sleepy('i')))
    })
    resolve()
    await following
    assert.equal(reported[0]?.operation, undefined)
    assert.equal(work.storeSeconds, 0)
  })
})

test('One slow statement per second is reported, with the number left out', () => {
  const reported: SlowStatement[] = []
  let clock = 10
  let end: StatementListener = () => undefined
  const database = {
    onStatement(listener: StatementListener) {
      end = listener
    },
  }
  watchSlowStatements(database, { slowMilliseconds: 30, now: () => clock }, (slow) => reported.push(slow))
  const ended = (seconds: number, startedAt = clock) =>
    end({
      kind: 'read',
      startedAt,
      seconds,
      waitSeconds: 0,
      isFailed: false,
      work: undefined,
      text: () => 'select',
    })
  for (const seconds of [0.04, 0.029, 0.05, 0.06]) ended(seconds)
  // A statement of the start itself, for which no request waits.
  ended(3, 9)
  clock = 1010
  ended(0.07)
  assert.deepEqual(
    reported.map(({ milliseconds, leftOut }) => [milliseconds, leftOut]),
    [
      [40, 0],
      [70, 2],
    ],
  )
})
