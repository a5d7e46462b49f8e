import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import type { Queries } from './database.ts'
import { createSettledTime } from './settled-time.ts'

describe('the settled time', () => {
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

  it('is now when nobody writes', async () => {
    const before = await clock()
    const settled = await createSettledTime(fresh.database)()
    assert.ok(settled >= before && settled <= (await clock()))
  })

  it('does not pass a transaction that has written and is still open', async () => {
    await writer.query('begin')
    await writer.query('insert into things values (1)')
    const writtenAt = await clock()
    let now = 0
    const settledUntil = createSettledTime(fresh.database, () => now)
    for (; now < 3000; now += 1000) assert.ok((await settledUntil()) < writtenAt)
    await writer.query('commit')
    assert.ok((await settledUntil()) > 0)
  })

  it('is asked of the store twice a second at most', async () => {
    let asked = 0
    const counting: Queries = {
      query(statement) {
        asked += 1
        return fresh.database.query(statement)
      },
    }
    const settledUntil = createSettledTime(counting, () => 0)
    await Promise.all(Array.from({ length: 20 }, () => settledUntil()))
    assert.equal(asked, 2)
  })
})
