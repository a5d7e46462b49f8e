import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { type Account, insertAccount } from '../../test/support/insert-account.ts'
import { sql } from '../db/sql.ts'
import { isEarlier } from '../model/field-kinds.ts'
import { readOwnAccount, renameOwnAccount } from './own-account.ts'

let fresh: FreshDatabase
let ada: Account
const callerOf = ({ id }: Account) => ({ id, isAdministrator: false })

before(async () => {
  fresh = await freshDatabase()
})
after(() => fresh.drop())
beforeEach(async () => {
  ada = await insertAccount(fresh.database, { name: 'Ada' })
})

test('the account has an id, a name, a login and two timestamps', async () => {
  const account = await readOwnAccount(fresh.database, callerOf(ada))
  const { createdAt, ...rest } = account
  assert.deepEqual(rest, { id: ada.id, name: 'Ada', login: ada.login, updatedAt: null })
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

test('a new name is trimmed, changes updatedAt and is recorded in the change log', async () => {
  await rename({ name: '  Ada Lovelace ', login: 'other@example.com', id: 'x' })
  const account = await readOwnAccount(fresh.database, callerOf(ada))
  assert.equal(account.name, 'Ada Lovelace')
  assert.equal(account.login, ada.login)
  assert.ok(account.updatedAt !== null && isEarlier(account.createdAt, account.updatedAt))
  const changes = await fresh.database.query(
    sql`select resource, action, caller from changes where row_id = ${ada.id}`,
  )
  assert.deepEqual(changes, [{ resource: 'user', action: 'update', caller: ada.id }])
})

test('updatedAt increases strictly', async () => {
  await fresh.database.query(
    sql`update users set updated_at = now() + interval '1 hour' where id = ${ada.id} returning id`,
  )
  const before = await readOwnAccount(fresh.database, callerOf(ada))
  await rename({ name: 'Ada' })
  const [after] = await fresh.database.query<{ isLater: boolean }>(
    sql`select updated_at > ${before.updatedAt} as "isLater" from users where id = ${ada.id}`,
  )
  assert.equal(after?.isLater, true)
})

test('a name may have 200 characters', async () => {
  await rename({ name: '🦀'.repeat(200) })
  await assert.rejects(rename({ name: '🦀'.repeat(201) }), {
    kind: 'invalid',
    errors: { name: ['Name must be at most 200 characters.'] },
  })
})

test('a name is required, and must be text that can be stored', async () => {
  for (const body of [{}, { name: null }, { name: '' }, { name: ' \t' }]) {
    await assert.rejects(rename(body), { kind: 'invalid', errors: { name: ['Name is required.'] } })
  }
  for (const name of [7, {}, 'a\0b', 'a\ud800b']) {
    await assert.rejects(rename({ name }), (error: { errors: { name: string[] } }) => {
      assert.match(String(error.errors.name), /^Name /)
      return true
    })
  }
  for (const body of ['Ada', null, [], 7]) {
    await assert.rejects(rename(body), {
      errors: { generalErrors: ['The body must be a JSON object.'] },
    })
  }
})

test('a removed account can be neither read nor renamed', async () => {
  const removed = await insertAccount(fresh.database, { active: false })
  await assert.rejects(readOwnAccount(fresh.database, callerOf(removed)), { kind: 'unauthenticated' })
  const renaming = renameOwnAccount(fresh.database, callerOf(removed), { name: 'Ada' })
  await assert.rejects(renaming, { kind: 'unauthenticated' })
})

const rename = (body: unknown) => renameOwnAccount(fresh.database, callerOf(ada), body)
