import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { measureRunningTime } from '../../test/support/running-time.ts'
import { type ReplicatedStore, startReplicatedStore } from '../../test/support/standby.ts'
import { until } from '../../test/support/until.ts'
import { createConnections, preparedStatements, StandbyBehindError } from './connections.ts'
import { type Database, openDatabase } from './database.ts'
import { sql } from './sql.ts'
import { createWalPositionReader } from './standbys.ts'

describe('reading from a standby', () => {
  let store: ReplicatedStore
  /** Both are hosts on the same store. */
  let here: Database
  let there: Database
  before(async () => {
    store = await startReplicatedStore()
    const open = () =>
      openDatabase({ url: store.primaryUrl, readUrls: [store.standbyUrl], applicationName: 'test' })
    here = open()
    there = open()
    await here.singleWrites.query(sql`create table numbers (number int)`)
    await untilUsed()
  })
  after(async () => {
    await Promise.all([here.close(), there.close()])
    await store.stop()
  })

  const isStandby = sql`select pg_is_in_recovery() as "isStandby"`
  const isAtStandby = async (database: Database) => {
    const [row] = await database.standbyListReads.query<{ isStandby: boolean }>(isStandby, 'account')
    return row?.isStandby
  }
  const untilUsed = () =>
    until(
      async () => (await isAtStandby(here)) === true && (await isAtStandby(there)) === true,
      'the standby to be used',
    )
  let last = 0
  const writeThenRead = async () => {
    last += 1
    await here.singleWrites.query(sql`insert into numbers values (${last}::int)`)
    const statement = sql`select max(number)::int as number from numbers`
    const [row] = await there.standbyListReads.query<{ number: number }>(statement, 'account')
    return row?.number
  }

  test('reads that take a snapshot always go to the primary', async () => {
    for (const reads of [here.listReads, here.liveListReads]) {
      const [row] = await reads.query<{ isStandby: boolean }>(isStandby, 'account')
      assert.equal(row?.isStandby, false)
    }
    assert.equal(await isAtStandby(here), true)
  })

  test('always sees what was committed through another host', async () => {
    await store.atStandby('select pg_wal_replay_pause()')
    const before = there.standbyOutcomes?.behind ?? 0
    for (let round = 0; round < 10; round += 1) assert.equal(await writeThenRead(), last)
    assert.ok((there.standbyOutcomes?.behind ?? 0) > before)
    await store.atStandby('select pg_wal_replay_resume()')
    await untilUsed()
    for (let round = 0; round < 100; round += 1) assert.equal(await writeThenRead(), last)
  })

  test('a statement that conflicts with the replay of the standby is answered by the primary', async () => {
    const failed = there.standbyOutcomes?.failed ?? 0
    await untilUsed()
    // The statements of an account that was slow have more time than the replay waits.
    await there.standbyListReads.query(sql`select pg_sleep(0.1)`, 'slow one')
    const slow = there.standbyListReads.query<{ count: number }>(
      sql`select count(*)::int as count from numbers, (select pg_sleep(2)) as slept`,
      'slow one',
    )
    const isRunning = () =>
      store.atStandby(`select 1 from pg_stat_activity
        where query like '%pg_sleep(2)%' and state = 'active' and pid <> pg_backend_pid()`)
    await until(async () => (await isRunning()) !== undefined, 'the slow statement on the standby')
    await here.singleWrites.query(sql`delete from numbers where number < 50`)
    await store.primary.query('vacuum numbers')
    assert.ok(((await slow)[0]?.count ?? 0) > 0)
    assert.equal(there.standbyOutcomes?.failed, failed + 1)
    await untilUsed()
  })

  test('no read waits for a standby that hangs, or fails because a standby is gone', async () => {
    store.signal('SIGSTOP')
    const milliseconds = measureRunningTime()
    assert.equal(await writeThenRead(), last)
    assert.ok(milliseconds() < 2000)
    for (let round = 0; round < 10; round += 1) assert.equal(await writeThenRead(), last)
    store.signal('SIGCONT')
    await untilUsed()
    const reads = Array.from({ length: 50 }, () => writeThenRead())
    await store.kill()
    assert.equal((await Promise.all(reads)).length, 50)
    assert.equal(await writeThenRead(), last)
    await store.start()
    await untilUsed()
  })

  test('a standby that was promoted, or is on another timeline, is not trusted', async () => {
    const prepare = preparedStatements({ named: false })
    const limits = { statementMilliseconds: 1000 }
    const options = { applicationName: 'test', prepare, connectMilliseconds: 1000, isForStandbys: true }
    const connections = createConnections({ url: store.standbyUrl, ...options })
    const client = new pg.Client({ connectionString: store.standbyUrl, pipeline: true } as pg.ClientConfig)
    await client.connect()
    const position = await createWalPositionReader(here)()
    const read = (required: typeof position) =>
      connections.run<{ one: number }>(client, sql`select 1 as one`, limits, required)
    const isReplayed = () =>
      read(position).then(
        () => true,
        (error) => {
          if (error instanceof StandbyBehindError) return false
          throw error
        },
      )
    await until(isReplayed, 'the standby to have the position')
    assert.deepEqual(await read(position), [{ one: 1 }])
    await assert.rejects(read({ ...position, timeline: position.timeline + 1 }), StandbyBehindError)
    await client.query('select pg_promote()')
    await assert.rejects(read(position), StandbyBehindError)
    await client.end()
    for (let round = 0; round < 5; round += 1) assert.equal(await writeThenRead(), last)
    assert.equal(await isAtStandby(there), false)
  })
})

test('callers that ask for the position while a query is in flight share the next query', async () => {
  const answers: ((lsn: string) => void)[] = []
  const position = createWalPositionReader({
    query: <Row>() =>
      new Promise<Row[]>((resolve) => {
        answers.push((lsn) => resolve([{ lsn, timeline: 1 }] as Row[]))
      }),
  })
  const first = position()
  const others = [position(), position()]
  answers[0]?.('first')
  assert.equal((await first).lsn, 'first')
  await sleep(0)
  answers[1]?.('second')
  assert.deepEqual(
    (await Promise.all(others)).map(({ lsn }) => lsn),
    ['second', 'second'],
  )
  assert.equal(answers.length, 2)
})
