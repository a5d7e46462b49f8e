import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { freshContext } from '../../../test/support/fresh-context.ts'
import type { Database } from '../../db/database.ts'
import { parseListQuery } from '../../records/list-query.ts'
import { resourceNamed } from '../../resources/all.ts'
import { listView } from './list-routes.ts'
import { createListing } from './listing.ts'
import { createSnapshotMemory } from './stream-limits.ts'

const { context, administrator, makeAny, drop } = await freshContext()
after(drop)

describe('a live listing', () => {
  it('never goes back to an older snapshot that comes in later than a newer one', async () => {
    const late = Promise.withResolvers<void>()
    let asked = 0
    const liveListReadsAnywhere: Database['liveListReadsAnywhere'] = {
      async query(statement, account) {
        asked += 1
        const isFirst = asked === 1
        const rows = await context.database.liveListReadsAnywhere.query(statement, account)
        if (isFirst) await late.promise
        return rows as never
      },
    }
    const listed = resourceNamed('impediment')
    const query = parseListQuery(listed, {})
    const database = { ...context.database, liveListReadsAnywhere }
    const listing = createListing(
      { ...context, database },
      listView(context, listed, administrator, query),
      createSnapshotMemory(context.budgets).reservationFor(),
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
