import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { insertAccount } from '../../../test/support/insert-account.ts'
import { insertRow, newId } from '../../db/rows.ts'
import { sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import type { Context } from '../../records/context.ts'
import { impediment } from '../../resources/catalogs.ts'
import { formatPosition, newestPosition } from '../changes/read-feed.ts'
import { replayDeliveries } from './deliveries.ts'
import { claimWebhooks, fillQueue, findDueDeliveries, recordAttempt, withdrawDeliveries } from './queue.ts'

describe('The queue of a webhook', () => {
  let fresh: FreshDatabase
  let caller: Caller
  before(async () => {
    fresh = await freshDatabase()
    caller = { id: (await insertAccount(fresh.database)).id, isAdministrator: true }
  })
  after(() => fresh.drop())
  const now = Date.now()
  const minute = 60_000

  /** Creates a webhook with a change to deliver. Returns a function with which an instance claims it. */
  async function createWebhook() {
    const { database } = fresh
    const id = newId()
    const position = await newestPosition(database.liveListReads, caller)
    await database.query(sql`
      insert into webhooks (id, user_id, url, secret, previous_secret, previous_until, position, since)
      values (${id}, ${caller.id}, 'https://example.com', 'whsec_new', 'whsec_before',
        to_timestamp(${now / 1000}::float8), ${formatPosition(position)}, ${position.since})`)
    await database.transaction((transaction) =>
      insertRow(transaction, impediment, undefined, { id: newId(), name: 'Rain' }),
    )
    return (at: number) => claimOf(id, at)
  }
  async function claimOf(id: string, at: number) {
    const hook = (await claimWebhooks(fresh.database, at)).find(({ id: claimedId }) => claimedId === id)
    assert.ok(hook, 'The webhook is not claimed.')
    return hook
  }
  const deliveriesOf = (id: string) =>
    fresh.database.query(sql`select 1 from webhook_deliveries where webhook_id = ${id}`)

  test('is not filled by an instance that was too slow and has lost its claim', async () => {
    const claim = await createWebhook()
    const slow = await claim(now)
    const next = await claim(now + minute)
    await fillQueue(fresh.database, slow, caller, now)
    assert.equal((await deliveriesOf(slow.id)).length, 0)
    await fillQueue(fresh.database, next, caller, now)
    assert.equal((await deliveriesOf(slow.id)).length, 1)
  })

  test('returns the previous secret only until it expires', async () => {
    const claim = await createWebhook()
    assert.equal((await claim(now - 2 * minute)).previousSecret, 'whsec_before')
    assert.equal((await claim(now + minute)).previousSecret, null)
  })

  test('keeps a replay that is requested while the result of an attempt is recorded', async () => {
    const { database } = fresh
    for (let round = 0; round < 20; round += 1) {
      const claim = await createWebhook()
      const hook = await claim(now)
      await fillQueue(database, hook, caller, now)
      const { readable } = await findDueDeliveries(database, hook, caller, now, 1)
      const [delivery] = readable
      assert.ok(delivery)
      const attempt = { at: now, milliseconds: 1, headers: {}, status: 200 }
      await Promise.all([
        recordAttempt(database, delivery, attempt, undefined),
        replayDeliveries({ database } as Context, caller, { id: hook.id, deliveryId: delivery.id }),
      ])
      const due = await findDueDeliveries(database, hook, caller, Date.now() + minute, 1)
      assert.deepEqual(
        due.readable.map(({ id }) => id),
        [delivery.id],
      )
      // `delivery` was read before the replay, so withdrawing it must not affect the replay.
      await withdrawDeliveries(database, [delivery])
      const stillDue = await findDueDeliveries(database, hook, caller, Date.now() + minute, 1)
      assert.equal(stillDue.readable.length, 1)
    }
  })
})
