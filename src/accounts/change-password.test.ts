import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { type Account, insertAccount } from '../../test/support/insert-account.ts'
import { sql } from '../db/sql.ts'
import { changePassword } from './change-password.ts'
import { createLockouts, type Lockouts } from './lockouts.ts'
import { createPasswords } from './passwords.ts'

const passwords = createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })
const current = 'Correct-Horse-7'
const next = ' Battery Staple 8 '
const wrongCurrent = { kind: 'invalid', errors: { currentPassword: ['The current password is incorrect.'] } }

let fresh: FreshDatabase
let lockouts: Lockouts
let ada: Account

before(async () => {
  fresh = await freshDatabase()
})
after(() => fresh.drop())
beforeEach(async () => {
  lockouts = createLockouts({ database: fresh.database })
  ada = await insertAccount(fresh.database, { passwordHash: await passwords.hash(current) })
})

test('after a change, only the new password is accepted', async () => {
  await change(current, next)
  assert.equal(await passwords.verify((await findStored()).hash, next), true)
  assert.equal(await passwords.verify((await findStored()).hash, next.trim()), false)
  await assert.rejects(change(current, 'Another-One-9'), wrongCurrent)
})

test('a change replaces the security stamp, ends every session and is recorded in the history', async () => {
  await fresh.database.query(sql`
    insert into signin_sessions (id, user_id, security_stamp, expires_at)
    values (${`one ${ada.id}`}, ${ada.id}, ${ada.securityStamp}, now() + interval '1 hour')`)
  await change(current, next)
  const { stamp, updated_at, activeSessions, changes } = await findStored()
  assert.notEqual(stamp, ada.securityStamp)
  assert.ok(updated_at)
  assert.equal(activeSessions, 0)
  assert.deepEqual(changes, [`user update ${ada.id}`])
})

test('a wrong current password changes nothing', async () => {
  const original = await findStored()
  await assert.rejects(change('Wrong-Horse-7', next), wrongCurrent)
  assert.deepEqual(await findStored(), original)
})

test('a common password and the login are rejected', async () => {
  const inUse = 'P@ssw0rd'
  ada = await insertAccount(fresh.database, {
    login: 'Ada-Lovelace-1815',
    passwordHash: await passwords.hash(inUse),
  })
  for (const [password, problem] of [
    ['Welcome1!', 'NewPassword is one of the most common passwords.'],
    ['Ada-lovelace-1815', 'NewPassword must not be the login.'],
  ] as const)
    await assert.rejects(change(inUse, password), { kind: 'invalid', errors: { newPassword: [problem] } })
  await change(inUse, next)
  assert.equal(await passwords.verify((await findStored()).hash, next), true)
})

test('every violation is reported at once, under its key', async () => {
  await assert.rejects(changeWith({}), {
    kind: 'invalid',
    errors: {
      currentPassword: ['CurrentPassword is required.'],
      newPassword: ['NewPassword is required.'],
    },
  })
  await assert.rejects(changeWith({ currentPassword: 7, newPassword: 'short' }), (error: Invalid) => {
    assert.deepEqual(error.errors.currentPassword, ['CurrentPassword must be text.'])
    // It is too short, and lacks an upper-case letter, a digit and another character.
    assert.equal(error.errors.newPassword?.length, 4)
    return true
  })
  await assert.rejects(change('C'.repeat(129), next), (error: Invalid) => {
    assert.deepEqual(error.errors, {
      currentPassword: ['CurrentPassword must be at most 128 characters.'],
    })
    return true
  })
})

test('the new password must differ from the current one', async () => {
  const message = 'NewPassword must differ from the current password.'
  await assert.rejects(change(current, current), { errors: { newPassword: [message] } })
  await assert.rejects(change('short', 'short'), (error: Invalid) => {
    assert.ok((error.errors.newPassword?.length ?? 0) > 1)
    assert.ok(error.errors.newPassword?.includes(message))
    return true
  })
})

test('an invalid body does not count as an attempt at the current password', async () => {
  for (let attempt = 0; attempt < 6; attempt += 1) await assert.rejects(change('guess', 'short'))
  await change(current, next)
})

test('an account is locked after five wrong current passwords', async () => {
  const now = new Date()
  lockouts = createLockouts({ database: fresh.database, now: () => now })
  for (let attempt = 0; attempt < 5; attempt += 1) await assert.rejects(change('guess', next), wrongCurrent)
  await assert.rejects(change(current, next), { kind: 'locked', retryAfterSeconds: 15 * 60 })
  ada = await insertAccount(fresh.database, { passwordHash: await passwords.hash(current) })
  await change(current, next)
})

test('of two concurrent changes, one succeeds and the other reports a wrong current password', async () => {
  // Each instance serializes only its own attempts, so both have verified the password before either writes.
  const instances = [lockouts, createLockouts({ database: fresh.database })]
  let arrived = 0
  let continueBoth = () => {}
  const bothArrived = new Promise<void>((resolve) => {
    continueBoth = resolve
  })
  const waitingPasswords = {
    ...passwords,
    async hash(password: string) {
      arrived += 1
      if (arrived === 2) continueBoth()
      await bothArrived
      return `new hash of ${password}`
    },
  }
  const changes = instances.map((instance, index) =>
    changePassword(
      { database: fresh.database, passwords: waitingPasswords, lockouts: instance },
      { id: ada.id, isAdministrator: false },
      { currentPassword: current, newPassword: `Battery-Staple-${index}` },
    ),
  )
  const results = await Promise.allSettled(changes)
  const winner = results.findIndex(({ status }) => status === 'fulfilled')
  const { reason } = results[1 - winner] as PromiseRejectedResult
  assert.deepEqual(reason.errors, wrongCurrent.errors)
  assert.equal((await findStored()).hash, `new hash of Battery-Staple-${winner}`)
  assert.equal((await findStored()).changes.length, 1)
})

test('a removed account cannot change its password', async () => {
  await fresh.database.query(sql`update users set active = false where id = ${ada.id}`)
  await assert.rejects(change(current, next), { kind: 'unauthenticated' })
})

interface Invalid {
  readonly errors: Readonly<Record<string, readonly string[]>>
}

const change = (currentPassword: string, newPassword: string) => changeWith({ currentPassword, newPassword })

const changeWith = (body: unknown) =>
  changePassword(
    { database: fresh.database, passwords, lockouts },
    { id: ada.id, isAdministrator: false },
    body,
  )

interface StoredAccount {
  readonly hash: string
  readonly stamp: string
  readonly updated_at: string | null
  readonly activeSessions: number
  readonly changes: readonly string[]
}

async function findStored(): Promise<StoredAccount> {
  const [row] = await fresh.database.query<StoredAccount>(sql`
    select password_hash as hash, security_stamp as stamp, updated_at,
      (select count(*) from signin_sessions where user_id = users.id and ended_at is null) as "activeSessions",
      array(select concat_ws(' ', resource, action, caller) from changes where row_id = users.id) as changes
    from users where id = ${ada.id}`)
  return row as StoredAccount
}
