import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { freshContext } from '../../../test/support/fresh-context.ts'
import type { Database } from '../../db/database.ts'
import { parseListQuery } from '../../records/list-query.ts'
import { resourceNamed } from '../../resources/all.ts'
import { createListing } from './listing.ts'
import { listView } from './routes.ts'
import { createSnapshotMemory } from './streams.ts'

const { context, administrator, makeAny, drop } = await freshContext()
after(drop)

describe('A live listing', () => {
  it('never replaces a newer snapshot with an older one that arrives later', async () => {
    const delayed = Promise.withResolvers<void>()
    const hasRead = Promise.withResolvers<void>()
    let queryCount = 0
    const standbyLiveListReads: Database['standbyLiveListReads'] = {
      async query(statement, account) {
        queryCount += 1
        const isFirst = queryCount === 1
        const rows = await context.database.standbyLiveListReads.query(statement, account)
        if (isFirst) {
          hasRead.resolve()
          await delayed.promise
        }
        return rows as never
      },
    }
    const resource = resourceNamed('impediment')
    const query = parseListQuery(resource, {})
    const database = { ...context.database, standbyLiveListReads }
    const listing = createListing(
      { ...context, database },
      listView(context, resource, administrator, query),
      createSnapshotMemory(context.budgets).reservationFor(),
      (error) => {
        throw error
      },
    )
    const older = listing.takeSnapshot()
    await hasRead.promise
    await makeAny('impediment', { name: 'Made in between' })
    await listing.takeSnapshot()
    delayed.resolve()
    await older
    assert.match(listing.newest().toString(), /Made in between/)
  })
})
