import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { freshTracker } from '../../../test/support/tracker.ts'
import type { Database } from '../../db/database.ts'
import { readListQuery } from '../../records/list-query.ts'
import { resourceNamed } from '../../resources/all.ts'
import { listView } from './answer-list.ts'
import { createKeptSnapshots } from './kept-snapshots.ts'
import { createListing } from './listing.ts'

const { tracker, administrator, makeAny, drop } = await freshTracker()
after(drop)

describe('a live listing', () => {
  it('never goes back to an older snapshot that comes in later than a newer one', async () => {
    const late = Promise.withResolvers<void>()
    let asked = 0
    const liveListsAnywhere: Database['liveListsAnywhere'] = {
      async query(statement, account) {
        asked += 1
        const isFirst = asked === 1
        const rows = await tracker.database.liveListsAnywhere.query(statement, account)
        if (isFirst) await late.promise
        return rows as never
      },
    }
    const listed = resourceNamed('impediment')
    const query = readListQuery(listed, {})
    const database = { ...tracker.database, liveListsAnywhere }
    const listing = createListing(
      { ...tracker, database },
      listView(tracker, listed, administrator, query),
      createKeptSnapshots(tracker.budgets).keeperOf(),
      (error) => {
        throw error
      },
    )
    const older = listing.takeSnapshot()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await makeAny('impediment', { name: 'Made in between' })
    await listing.takeSnapshot()
    late.resolve()
    await older
    assert.match(listing.newest().toString(), /Made in between/)
  })
})
