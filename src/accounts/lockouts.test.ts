import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { sql } from '../db/sql.ts'
import { Problem } from '../model/problem.ts'
import { createLockouts, type Lockouts, purgeLockouts } from './lockouts.ts'

let fresh: FreshDatabase
let lockouts: Lockouts
let clock: Date
const now = () => clock
const ada = { purpose: 'sign-in', subject: 'ada@example.com' } as const

before(async () => {
  fresh = await freshDatabase()
})
after(() => fresh.drop())
beforeEach(async () => {
  await fresh.database.query(sql`delete from lockouts`)
  clock = new Date('2026-11-20T12:00:00Z')
  lockouts = createLockouts({ database: fresh.database, now })
})

test('the account is locked for 15 minutes after the fifth wrong attempt', async () => {
  for (let attempt = 1; attempt <= 5; attempt += 1) assert.equal(await wrong(), false)
  await assert.rejects(right(), isLocked(15 * 60))
})

test('a locked attempt is not verified', async () => {
  await failTimes(5)
  let isVerified = false
  const attempt = lockouts.guardAttempt(ada, async () => {
    isVerified = true
    return 'passed'
  })
  await assert.rejects(attempt, isLocked(15 * 60))
  assert.equal(isVerified, false)
})

test('the wait is reported in whole seconds, at least one', async () => {
  await failTimes(5)
  passMilliseconds(1500)
  await assert.rejects(right(), isLocked(15 * 60 - 1))
  passMilliseconds(15 * 60_000 - 1501)
  await assert.rejects(right(), isLocked(1))
  passMilliseconds(1)
  assert.equal(await right(), true)
})

test('after the lock, five further attempts are possible', async () => {
  await failTimes(5)
  passMinutes(15)
  await failTimes(5)
  await assert.rejects(wrong(), isLocked(15 * 60))
})

test('failures count for 15 minutes', async () => {
  await wrong()
  passMinutes(1)
  await failTimes(3)
  passMinutes(14)
  // The first failure has left the window, so this is the fourth.
  await wrong()
  assert.equal(await wrong(), false)
  await assert.rejects(wrong(), isLocked(15 * 60))
})

test('a success clears earlier failures', async () => {
  await failTimes(4)
  assert.equal(await right(), true)
  await failTimes(5)
  await assert.rejects(right(), isLocked(15 * 60))
})

test('a success that arrives after the lock does not clear it', async () => {
  const otherInstance = createLockouts({ database: fresh.database, now })
  const success = otherInstance.guardAttempt(ada, async () => {
    await failTimes(5)
    return 'passed'
  })
  assert.equal(await success, true)
  await assert.rejects(right(), isLocked(15 * 60))
})

test('subjects and purposes are counted separately', async () => {
  await failTimes(5)
  assert.equal(await lockouts.guardAttempt({ ...ada, subject: 'grace' }, async () => 'passed'), true)
  assert.equal(
    await lockouts.guardAttempt({ ...ada, purpose: 'password-change' }, async () => 'passed'),
    true,
  )
})

test('two instances count together', async () => {
  const other = createLockouts({ database: fresh.database, now })
  await failTimes(3)
  await failTimes(2, other)
  await assert.rejects(right(), isLocked(15 * 60))
  await assert.rejects(right(other), isLocked(15 * 60))
})

test('only five of twenty concurrent guesses are verified', async () => {
  const verified: string[] = []
  const results = await guessInParallel([lockouts], 20, verified)
  assert.equal(verified.length, 5)
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 15)
})

test('two instances that receive guesses concurrently verify at most one more than one instance', async () => {
  const verified: string[] = []
  const instances = [lockouts, createLockouts({ database: fresh.database, now })]
  await guessInParallel(instances, 20, verified)
  assert.ok(verified.length === 5 || verified.length === 6, `${verified.length}`)
  await assert.rejects(right(), isLocked(15 * 60))
})

test('a flood on one subject is rejected without affecting others', async () => {
  const verified: string[] = []
  const flood = guessInParallel([lockouts], 50, verified)
  assert.equal(await lockouts.guardAttempt({ ...ada, subject: 'grace' }, async () => 'passed'), true)
  const busy = (await flood).filter(
    (result) => result.status === 'rejected' && (result.reason as Problem).kind === 'busy',
  )
  // One guess runs, and 32 may wait.
  assert.equal(busy.length, 50 - 33)
  assert.equal(verified.length, 5)
})

test('an attempt that could not be verified is not counted', async () => {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const failing = lockouts.guardAttempt(ada, () => Promise.reject(new Error('The store is away.')))
    await assert.rejects(failing, { message: 'The store is away.' })
  }
  assert.equal(await right(), true)
})

test('the purge deletes only failures and locks that no longer count', async () => {
  await failTimes(5)
  await lockouts.guardAttempt({ ...ada, subject: 'old' }, async () => 'failed')
  passMinutes(10)
  await lockouts.guardAttempt({ ...ada, subject: 'recent' }, async () => 'failed')
  assert.deepEqual(await subjectsAfterPurge(), ['ada@example.com', 'old', 'recent'])
  passMinutes(5)
  assert.deepEqual(await subjectsAfterPurge(), ['recent'])
  passMinutes(10)
  assert.deepEqual(await subjectsAfterPurge(), [])
})

test("without an injected clock, the store's clock is used", async () => {
  const ordinary = createLockouts({ database: fresh.database })
  const startedAt = performance.now()
  const isStillLocked = (error: unknown) =>
    isLocked(15 * 60, Math.ceil((performance.now() - startedAt) / 1000))(error)
  await failTimes(5, ordinary)
  await assert.rejects(right(ordinary), isStillLocked)
  await purgeLockouts(fresh.database)
  await assert.rejects(right(ordinary), isStillLocked)
})

const wrong = (instance = lockouts) => instance.guardAttempt(ada, async () => 'failed')
const right = (instance = lockouts) => instance.guardAttempt(ada, async () => 'passed')

async function failTimes(times: number, instance = lockouts) {
  for (let failure = 0; failure < times; failure += 1) assert.equal(await wrong(instance), false)
}

function guessInParallel(instances: readonly Lockouts[], count: number, verified: string[]) {
  const guesses = Array.from({ length: count }, (_, index) =>
    instances[index % instances.length]?.guardAttempt(ada, async () => {
      verified.push(`guess ${index}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return 'failed'
    }),
  )
  return Promise.allSettled(guesses)
}

async function subjectsAfterPurge() {
  await purgeLockouts(fresh.database, { now })
  const rows = await fresh.database.query<{ subject: string }>(
    sql`select subject from lockouts order by subject`,
  )
  return rows.map(({ subject }) => subject)
}

const passMilliseconds = (milliseconds: number) => {
  clock = new Date(clock.getTime() + milliseconds)
}
const passMinutes = (minutes: number) => passMilliseconds(minutes * 60_000)

/** The lockout began up to `passedSeconds` ago by the clock of the database. */
const isLocked =
  (seconds: number, passedSeconds = 0) =>
  (error: unknown) => {
    assert.ok(error instanceof Problem)
    assert.equal(error.kind, 'locked')
    const { retryAfterSeconds = 0 } = error
    assert.ok(
      retryAfterSeconds <= seconds && retryAfterSeconds >= seconds - passedSeconds,
      `${retryAfterSeconds}`,
    )
    return true
  }
