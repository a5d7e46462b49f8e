import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import type { Database, Queries } from './database.ts'
import { createModificationDates } from './modification-dates.ts'

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

  it('is available once its second has ended', async () => {
    const modificationDates = createModificationDates(fresh.database)
    const changedAt = Math.floor(await clock())
    assert.equal((await modificationDates()).dateOf(changedAt), undefined)
    await sleep(2300)
    const date = (await modificationDates()).dateOf(changedAt) ?? 0
    assert.ok(date > changedAt && date <= (await clock()))
    await sleep(600)
    assert.equal((await modificationDates()).dateOf(changedAt), date)
  })

  it('is not available while a transaction that may have an earlier time is still open', async () => {
    await writer.query('begin')
    await writer.query('insert into things values (1)')
    const writtenAt = Math.floor(await clock())
    let now = 0
    const modificationDates = createModificationDates(fresh.database, () => now)
    await sleep(1100)
    for (; now < 3000; now += 1000) assert.equal((await modificationDates()).dateOf(writtenAt), undefined)
    await writer.query('commit')
    const committedAt = await clock()
    await modificationDates()
    await sleep(1100)
    now += 1000
    const date = (await modificationDates()).dateOf(writtenAt) ?? 0
    assert.ok(date > committedAt, 'an answer from before the commit cannot have been sent at that date')
  })

  it('is not available for a change that is no longer in the log', async () => {
    assert.equal((await createModificationDates(fresh.database)()).dateOf(null), undefined)
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
      assert.equal(dateOf(null), undefined)
      assert.ok(Math.abs(second - Math.floor(await clock())) < 60, 'Each of them knows the time.')
    }
  })

  it('costs two statements per half second', async () => {
    let statementCount = 0
    const counting: Queries & Pick<Database, 'onCommit'> = {
      onCommit: () => () => undefined,
      query(statement) {
        statementCount += 1
        return fresh.database.query(statement)
      },
    }
    const modificationDates = createModificationDates(counting, () => 0)
    await Promise.all(Array.from({ length: 20 }, () => modificationDates()))
    assert.equal(statementCount, 2)
  })
})
