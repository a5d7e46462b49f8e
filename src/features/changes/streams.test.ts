import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshDatabase } from '../../../test/support/fresh-database.ts'
import { insertAccount } from '../../../test/support/insert-account.ts'
import { startTestIssuer } from '../../../test/support/test-issuer.ts'
import { administratorsOf } from '../../accounts/administrators.ts'
import { generateToken, hashOfToken, personalTokenPrefix } from '../../accounts/token-text.ts'
import { type Authenticated, createAuthentication } from '../../auth/authenticate.ts'
import { openBudgets } from '../../config/budgets.ts'
import { newId } from '../../db/rows.ts'
import { sql } from '../../db/sql.ts'
import { createSnapshotMemory, watchSession } from './streams.ts'

describe('The memory of live listings', () => {
  const open = () => {
    const budgets = openBudgets({ liveBytesOfAccount: 100, liveBytes: 150 })
    const used = (account: string) => budgets.budget('liveBytesOfAccount').used(account)
    const memory = createSnapshotMemory(budgets)
    return { ...memory, used, usedByAll: () => budgets.budget('liveBytes').used() }
  }
  const bytes = (length: number) => Buffer.alloc(length)

  it('is counted once for each account and once for the process', () => {
    const { reservationFor, used, usedByAll } = open()
    const snapshot = bytes(60)
    const reservations = [
      reservationFor('ann'),
      reservationFor('ann'),
      reservationFor('bob'),
      reservationFor(),
    ]
    for (const reservation of reservations) assert.equal(reservation.reserve([snapshot]), undefined)
    assert.deepEqual([used('ann'), used('bob'), usedByAll()], [60, 60, 60])
    reservations[0]?.reserve([])
    assert.equal(used('ann'), 60)
    for (const reservation of reservations) reservation.reserve([])
    assert.deepEqual([used('ann'), used('bob'), usedByAll()], [0, 0, 0])
  })

  it('is limited for each account; beyond the limit, earlier snapshots stay reserved', () => {
    const { reservationFor, used, usedByAll } = open()
    const reservation = reservationFor('ann')
    const unread = bytes(60)
    reservation.reserve([unread])
    assert.equal(reservation.reserve([unread, bytes(20), bytes(21)])?.kind, 'busy')
    assert.deepEqual([used('ann'), usedByAll()], [60, 60])
    assert.equal(reservation.reserve([unread, bytes(40)]), undefined)
  })

  it('is limited for the process', () => {
    const { reservationFor, used, usedByAll } = open()
    reservationFor('ann').reserve([bytes(100)])
    assert.equal(reservationFor('bob').reserve([bytes(51)])?.kind, 'overloaded')
    assert.deepEqual([used('bob'), usedByAll()], [0, 100])
    assert.equal(reservationFor('bob').reserve([bytes(50)]), undefined)
  })
})

const cacheSeconds = 30
/** The interval at which hosts check each stream. */
const tickMilliseconds = 1000

describe('The session check of an open stream', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>
  let issuer: Awaited<ReturnType<typeof startTestIssuer>>
  let clock: number
  before(async () => {
    ;[fresh, issuer] = await Promise.all([freshDatabase(), startTestIssuer()])
    // The issuer uses the clock of the machine, which may have advanced far since this file was loaded.
    clock = Date.now()
  })
  after(() => Promise.all([fresh?.drop(), issuer?.stop()]))

  function openAuthentication() {
    const { authenticate } = createAuthentication({
      database: fresh.database,
      issuer: issuer.issuer,
      metadataAddress: issuer.metadataAddress,
      audience: 'svc-api',
      scope: 'svc.api',
      administrators: administratorsOf({ adminLogins: [] }),
      sessionCacheSeconds: cacheSeconds,
      log: { warn: (_, message) => assert.fail(message) },
      now: () => clock,
    })
    return (token: string) => authenticate(`Bearer ${token}`)
  }

  /** Checks the session of an idle stream as the hosts do, and returns the seconds until the stream ends. */
  async function secondsUntilEnd(session: Authenticated): Promise<number> {
    const openedAt = clock
    let isEnded = false
    const watch = watchSession(session, {
      onEnded() {
        isEnded = true
      },
      onFailure: (error) => assert.fail(String(error)),
      now: () => clock,
    })
    // A host checks the session before it opens the stream.
    await watch.check()
    while (!isEnded && clock - openedAt < 60_000) {
      clock += tickMilliseconds
      if (watch.isDue(clock)) await watch.check()
    }
    watch.stop()
    return (clock - openedAt) / 1000
  }

  const kinds = {
    'a session': async () => {
      const account = await insertAccount(fresh.database)
      return {
        token: await issuer.signIn(fresh.database, account.id),
        end: sql`update signin_sessions set ended_at = now() where user_id = ${account.id}`,
      }
    },
    'a personal access token': async () => {
      const account = await insertAccount(fresh.database)
      const token = generateToken(personalTokenPrefix)
      const id = newId()
      await fresh.database.query(sql`
        insert into api_tokens (id, user_id, hash, security_stamp, name, scopes, expires_at)
        select ${id}, id, ${hashOfToken(token, personalTokenPrefix)}, security_stamp, 'x', array['*:read'], now() + interval '1 day'
        from users where id = ${account.id}`)
      return { token, end: sql`update api_tokens set ended_at = now() where id = ${id}` }
    },
  }
  for (const [kind, createToken] of Object.entries(kinds))
    it(`ends the stream within the cache time of 30 seconds, with room to spare: ${kind}`, async () => {
      // The first request may have left a cached result of any age.
      for (let seconds = 0; seconds < cacheSeconds; seconds += 1) {
        const { token, end } = await createToken()
        const authenticate = openAuthentication()
        await authenticate(token)
        await fresh.database.query(end)
        clock += seconds * 1000
        const delay = seconds + (await secondsUntilEnd(await authenticate(token)))
        assert.ok(delay <= Math.max(seconds, cacheSeconds - 3), `It ended ${delay} s after its session.`)
      }
    })

  it('ends the stream when its token expires', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000_000 })
    const expiresAt = Date.now() + 1500
    const session = { expiresAt, recheck: () => Date.now() < expiresAt } as Authenticated
    let ends = 0
    const onFailure = (error: unknown) => assert.fail(String(error))
    const watch = watchSession(session, {
      onEnded() {
        ends += 1
      },
      onFailure,
    })
    const stopped = watchSession(session, { onEnded: () => assert.fail('It has been stopped.'), onFailure })
    stopped.stop()
    t.mock.timers.tick(1499)
    assert.equal(ends, 0)
    assert.equal(watch.isDue(expiresAt), true)
    t.mock.timers.tick(20)
    assert.equal(ends, 1)
  })

  it('reports errors of sending, but ignores a database that does not respond', async () => {
    const failures: unknown[] = []
    const watchAfter = (recheck: Authenticated['recheck']) =>
      watchSession({ expiresAt: Date.now() + 60_000, recheck } as Authenticated, {
        onEnded: () => assert.fail('The session is active.'),
        onFailure: (error) => failures.push(error),
      })
    const unavailable = watchAfter(() => Promise.reject(new Error('No connection.')))
    assert.equal(await unavailable.check(), false)
    const sendFailure = new Error('The event cannot be sent.')
    const active = watchAfter(async () => true)
    const isSent = active.check(() => {
      throw sendFailure
    })
    assert.equal(await isSent, false)
    assert.deepEqual(failures, [sendFailure])
    assert.equal(active.isInFlight, false)
    unavailable.stop()
    active.stop()
  })
})
