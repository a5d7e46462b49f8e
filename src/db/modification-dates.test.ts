import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { until } from '../../test/support/until.ts'
import type { Database, Queries } from './database.ts'
import { createModificationDates, type KnownDates, type LastChange } from './modification-dates.ts'

describe('a modification date', () => {
  let fresh: FreshDatabase
  let writer: pg.Client
  before(async () => {
    fresh = await freshDatabase()
    writer = new pg.Client({ connectionString: fresh.url })
    await writer.connect()
    await writer.query('create table things (id int)')
  })
  after(async () => {
    await writer.end()
    await fresh.drop()
  })
  const clock = async () =>
    Number((await writer.query('select extract(epoch from clock_timestamp())::float8 as at')).rows[0].at)
  /** Waits until the change has a date. A busy machine may check only after more than a second. */
  async function untilDated(knownDates: () => Promise<KnownDates>, change: LastChange): Promise<number> {
    let date: number | undefined
    await until(async () => {
      date = (await knownDates()).dateOf(change)
      return date !== undefined
    }, 'the date of a change')
    return date ?? 0
  }

  it('is available once its second has ended', async () => {
    const modificationDates = createModificationDates(fresh.database)
    const changedAt = Math.floor(await clock())
    assert.equal((await modificationDates()).dateOf({ lastChangeSecond: changedAt }), undefined)
    const date = await untilDated(modificationDates, { lastChangeSecond: changedAt })
    assert.ok(date > changedAt && date <= (await clock()))
    await sleep(600)
    assert.equal((await modificationDates()).dateOf({ lastChangeSecond: changedAt }), date)
  })

  it('is not available while a transaction that may have an earlier time is still open', async () => {
    await writer.query('begin')
    await writer.query('insert into things values (1)')
    const writtenAt = Math.floor(await clock())
    let now = 0
    const modificationDates = createModificationDates(fresh.database, () => now)
    await sleep(1100)
    for (; now < 3000; now += 1000)
      assert.equal((await modificationDates()).dateOf({ lastChangeSecond: writtenAt }), undefined)
    const stillOpenAt = await clock()
    await writer.query('commit')
    const laterDates = () => {
      now += 1000
      return modificationDates()
    }
    const date = await untilDated(laterDates, { lastChangeSecond: writtenAt })
    assert.ok(date > stillOpenAt, 'an answer from before the commit cannot have been sent at that date')
  })

  it('is not available for a change that is no longer in the log', async () => {
    assert.equal(
      (await createModificationDates(fresh.database)()).dateOf({ lastChangeSecond: null }),
      undefined,
    )
  })

  it('of a row is available once its transaction and all earlier ones have ended', async () => {
    const earlier = new pg.Client({ connectionString: fresh.url })
    await earlier.connect()
    await earlier.query('begin')
    await earlier.query('insert into things values (2)')
    const { rows } = await writer.query('insert into things values (3) returning xmin::text')
    const change = { lastTransaction: Number(rows[0].xmin) }
    let now = 0
    const modificationDates = createModificationDates(fresh.database, () => now)
    await sleep(1100)
    for (; now < 3000; now += 1000) assert.equal((await modificationDates()).dateOf(change), undefined)
    const stillOpenAt = await clock()
    await earlier.query('commit')
    await earlier.end()
    const laterDates = () => {
      now += 1000
      return modificationDates()
    }
    const date = await untilDated(laterDates, change)
    assert.ok(date > stillOpenAt, 'a response without the row may have been sent at that date')
  })

  it('of a row remains correct when transaction numbers wrap around, and on another server', async () => {
    let now = 0
    const server = { transaction: '4294967295', startedAt: 1 }
    // Every earlier transaction has ended, and a day has passed at each query.
    const store: Queries & Pick<Database, 'onCommit'> = {
      onCommit: () => () => undefined,
      query: async () =>
        [
          {
            hasPassed: true,
            second: now * 86_400,
            transaction: server.transaction,
            serverStartedAt: server.startedAt,
          },
        ] as never,
    }
    const modificationDates = createModificationDates(store, () => now * 1000)
    const dayOf = async (lastTransaction: number) => {
      now += 1
      await modificationDates()
      now += 1
      const date = (await modificationDates()).dateOf({ lastTransaction })
      return date === undefined ? undefined : Math.floor(date / 86_400)
    }
    assert.equal(await dayOf(4_294_967_290), 1)
    assert.equal(await dayOf(4), undefined)
    for (let times = 0; times < 100; times += 1) await dayOf(4)
    assert.equal(await dayOf(4_294_967_290), 1, 'the date of an old row has changed')
    server.transaction = '4294967306'
    assert.equal(await dayOf(4), 207)
    assert.equal(await dayOf(12), undefined)
    server.startedAt = 2
    assert.equal(await dayOf(4), 211)
  })

  it('can be requested by many callers at once', async () => {
    let now = 0
    const slow: Queries & Pick<Database, 'onCommit'> = {
      onCommit: () => () => undefined,
      async query(statement) {
        await sleep(50)
        return fresh.database.query(statement)
      },
    }
    const modificationDates = createModificationDates(slow, () => now)
    const callers = Array.from({ length: 10 }, () => {
      now += 1000
      return modificationDates()
    })
    for (const { second, dateOf } of await Promise.all(callers)) {
      assert.equal(dateOf({ lastChangeSecond: null }), undefined)
      assert.ok(Math.abs(second - Math.floor(await clock())) < 60, 'Each of them knows the time.')
    }
  })

  it('costs two statements per half second', async () => {
    let statementCount = 0
    const counting: Queries & Pick<Database, 'onCommit'> = {
      onCommit: () => () => undefined,
      // The answers come at once, because on a busy machine a store may answer after the next refresh.
      query: async () => {
        statementCount += 1
        return [{ hasPassed: false, second: 1, transaction: '1', serverStartedAt: 1 }] as never
      },
    }
    const modificationDates = createModificationDates(counting, () => 0)
    await Promise.all(Array.from({ length: 20 }, () => modificationDates()))
    assert.equal(statementCount, 2)
  })
})
