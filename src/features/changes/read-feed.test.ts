import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { insertAccount } from '../../../test/support/insert-account.ts'
import { slowSeconds } from '../../db/limited-reads.ts'
import { insertRow, newId } from '../../db/rows.ts'
import { sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { impediment } from '../../resources/catalogs.ts'
import { type FeedPosition, newestPosition, readFeed } from './read-feed.ts'

const changesPerPage = 100

describe('A reader of the feed', () => {
  let fresh: FreshDatabase
  let caller: Caller
  let other: pg.Client
  before(async () => {
    fresh = await freshDatabase()
    other = new pg.Client({ connectionString: fresh.url })
    await other.connect()
    caller = { id: (await insertAccount(fresh.database)).id, isAdministrator: true }
  })
  after(async () => {
    await other.end()
    await fresh.drop()
  })

  /**
   * Makes a change, and then a transaction without changes. A standby may not know of the latter, and would
   * use its number for another transaction after a promotion. Returns the number of the newest transaction
   * with a change.
   */
  async function changeThenEmptyTransaction(): Promise<number> {
    await fresh.database.transaction((transaction) =>
      insertRow(transaction, impediment, undefined, { id: newId(), name: 'Rain' }),
    )
    await other.query('begin; select pg_current_xact_id(); rollback')
    const [row] = await fresh.database.query<{ newest: number }>(
      sql`select max(transaction::text::bigint) as newest from changes`,
    )
    return row?.newest ?? assert.fail()
  }
  const nextTransactionOf = ({ since }: FeedPosition) => Number(since.split(':')[1])

  test('starts at a position that is also valid on a promoted standby', async () => {
    const newest = await changeThenEmptyTransaction()
    assert.equal(nextTransactionOf(await newestPosition(fresh.database.liveListReads, caller)), newest + 1)
  })

  test('is at a position that is also valid on a promoted standby after reading everything', async () => {
    const newest = await changeThenEmptyTransaction()
    const page = await readFeed(
      { caller, filter: {}, position: undefined, pageSize: 100 },
      fresh.database.liveListReads,
    )
    assert.ok(page.isCurrent)
    assert.equal(nextTransactionOf(page.position), newest + 1)
  })

  test('determines the settled transactions once per page, not once per change', async () => {
    await fresh.database.transaction(async (transaction) => {
      for (let count = 0; count < changesPerPage; count += 1)
        await insertRow(transaction, impediment, undefined, { id: newId(), name: 'Rain' })
    })
    // Simulates a store of several nodes, where this function is slow because it checks all locks. Once per
    // change, it would exceed the time limit of the read.
    await other.query(`create or replace function settled_snapshot() returns pg_snapshot language plpgsql stable as $$
      begin perform pg_sleep(${(1.2 * slowSeconds) / changesPerPage}); return pg_current_snapshot(); end $$`)
    const page = await readFeed(
      { caller, filter: {}, position: undefined, pageSize: changesPerPage },
      fresh.database.liveListReads,
    )
    assert.equal(page.changes.length, changesPerPage)
  })
})
