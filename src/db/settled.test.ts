import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { waitUntilSettled } from './change-log.ts'
import { sql } from './sql.ts'

let fresh: FreshDatabase
before(async () => {
  fresh = await freshDatabase()
})
after(() => fresh.drop())

it('A write settles only after its transaction has ended', async () => {
  const { database } = fresh
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
  const writing = database.transaction(async (transaction) => {
    // The transaction now has a number, and no newer transaction has ended.
    await transaction.query(sql`select pg_current_xact_id()`)
    begin()
    await mayEnd
  })
  await hasBegun
  const settled = waitUntilSettled(database)
  assert.equal(await Promise.race([settled, sleep(200).then(() => 'still waiting')]), 'still waiting')
  end()
  await writing
  assert.equal(await settled, true)
})
