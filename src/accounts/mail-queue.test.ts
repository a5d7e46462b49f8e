import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { budgetLimits } from '../config/budgets.ts'
import { sql } from '../db/sql.ts'
import { claimMails, type MailRequest, queueMail } from './mail-queue.ts'

let fresh: FreshDatabase
let creatorId: string

before(async () => {
  fresh = await freshDatabase()
})
after(() => fresh?.drop())
beforeEach(async () => {
  await fresh.database.query(sql`delete from mails`)
  creatorId = (await insertAccount(fresh.database)).id
})

const queue = (request: MailRequest) =>
  fresh.database.transaction((transaction) => queueMail(transaction, request))
const makeMailsOlder = (minutes: number) =>
  fresh.database.query(sql`update mails set created_at = created_at - make_interval(mins => ${minutes}::int)`)
const assertSeconds = (seconds: number | undefined, expected: number) =>
  assert.ok(seconds !== undefined && seconds <= expected && seconds > expected - 300, String(seconds))

test('a login may request a mail again when the oldest mail of its hourly budget is an hour old', async () => {
  const mail = { purpose: 'password', login: 'ada@example.com', creatorId, sessionId: undefined } as const
  for (let count = 0; count < budgetLimits.passwordMailsOfAccount.max; count += 1)
    assert.equal(await queue(mail), undefined)
  await makeMailsOlder(40)
  assertSeconds(await queue(mail), 20 * 60)
  await makeMailsOlder(21)
  assert.equal(await queue(mail), undefined)
})

test('an account may request a mail again when the oldest mail of its daily budget is a day old', async () => {
  const mail = { purpose: 'factors', creatorId } as const
  for (let count = 0; count < budgetLimits.mailsOfAccount.max; count += 1)
    assert.equal(await queue(mail), undefined)
  await makeMailsOlder(60)
  assertSeconds(await queue(mail), 23 * 60 * 60)
  await makeMailsOlder(23 * 60)
  assert.equal(await queue(mail), undefined)
})

test('a full queue accepts no mail', async () => {
  await fresh.database.query(sql`
    insert into mails (id, purpose, login)
    select gen_random_uuid(), 'password', number || '@example.com'
    from generate_series(1, ${budgetLimits.mailsWaiting.max}::int) as number`)
  assert.equal(await queue({ purpose: 'factors', creatorId }), 60)
})

test('notifications have their own budget', async () => {
  const mail = { purpose: 'notifications', creatorId, firstBatch: '1', lastBatch: '2' } as const
  for (let count = 0; count < budgetLimits.notificationMailsOfAccount.max; count += 1)
    assert.equal(await queue(mail), undefined)
  assertSeconds(await queue(mail), 24 * 60 * 60)
  await makeMailsOlder(60)
  assert.equal(await queue({ purpose: 'factors', creatorId }), undefined)
  const claimed = await fresh.database.transaction((transaction) => claimMails(transaction, 2))
  assert.deepEqual(claimed.map(({ purpose }) => purpose).sort(), ['factors', 'notifications'])
})
