import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { sql } from '../db/sql.ts'
import { type StatementListener, startWork } from '../db/work.ts'
import { type SlowStatement, watchSlowStatements } from './shared-store.ts'

describe('Slow statements', () => {
  let store: FreshDatabase
  const reported: SlowStatement[] = []
  /** The time of the reports. Tests advance it, because at most one report per second is made. */
  let clock = 0
  before(async () => {
    store = await freshDatabase()
    watchSlowStatements(store.database, { slowMilliseconds: 30, now: () => clock }, (slow) =>
      reported.push(slow),
    )
  })
  after(() => store.drop())
  const slowQuery = (text: string) => sql`select pg_sleep(0.04), ${text}::text as secret`

  test('are reported with their operation and without values', async () => {
    const { database } = store
    const work = startWork('ListProjects', 'rest')
    await database.complete(work, () => database.query(slowQuery('hush')))
    const [slow] = reported.splice(0)
    assert.equal(slow?.operation, 'ListProjects')
    assert.equal(slow?.kind, 'read')
    assert.equal(slow?.statement, 'select pg_sleep(0.04), $1::text as secret')
    assert.ok((slow?.milliseconds ?? 0) >= 40)
    assert.ok(work.storeSeconds >= 0.04)
  })

  test('of a transaction are reported one by one, before the transaction itself', async () => {
    clock = 3000
    await store.database.transaction((transaction) => transaction.query(slowQuery('e')))
    const [slow] = reported.splice(0)
    assert.equal(slow?.kind, 'in transaction')
    assert.match(slow?.statement ?? '', /^select pg_sleep/)
  })

  test('add their time in a queue to the waiting time of the request', async () => {
    clock = 5000
    const { database } = store
    const warmup = Array.from({ length: 8 }, () => database.listReads.query(slowQuery('f'), 'one account'))
    await Promise.allSettled(warmup)
    const last = startWork('ListUsers', 'rest')
    const queued = Array.from({ length: 4 }, () => database.listReads.query(slowQuery('g'), 'one account'))
    await database.complete(last, () => database.listReads.query(slowQuery('h'), 'one account'))
    await Promise.all(queued)
    assert.ok(last.waitSeconds > 0.03, `${last.waitSeconds}`)
    assert.ok(last.storeSeconds >= 0.04, `${last.storeSeconds}`)
  })

  test('of a request are not attributed to it after it has ended', async () => {
    clock = 9000
    reported.length = 0
    const { database } = store
    const { promise: requestEnded, resolve: endRequest } = Promise.withResolvers<void>()
    const work = startWork('ListTypes', 'rest')
    let lateStatement: Promise<unknown> | undefined
    await database.complete(work, async () => {
      lateStatement = requestEnded.then(() => database.query(slowQuery('i')))
    })
    endRequest()
    await lateStatement
    assert.equal(reported[0]?.operation, undefined)
    assert.equal(work.storeSeconds, 0)
  })
})

test('At most one slow statement per second is reported', () => {
  const reported: SlowStatement[] = []
  let clock = 10
  let notify: StatementListener = () => undefined
  const database = {
    onStatement(listener: StatementListener) {
      notify = listener
    },
  }
  watchSlowStatements(database, { slowMilliseconds: 30, now: () => clock }, (slow) => reported.push(slow))
  const endStatement = (seconds: number, startedAt = clock) =>
    notify({
      kind: 'read',
      startedAt,
      seconds,
      waitSeconds: 0,
      isFailed: false,
      work: undefined,
      text: () => 'select',
    })
  for (const seconds of [0.04, 0.029, 0.05, 0.06]) endStatement(seconds)
  // This statement began before the log was started.
  endStatement(3, 9)
  clock = 1010
  endStatement(0.07)
  assert.deepEqual(
    reported.map(({ milliseconds, leftOut }) => [milliseconds, leftOut]),
    [
      [40, 0],
      [70, 2],
    ],
  )
})
