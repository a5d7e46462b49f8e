import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { purgeLockouts } from '../../src/accounts/lockouts.ts'
import { sql } from '../../src/db/sql.ts'
import { purgeExpired } from '../../src/hosts/identity/main.ts'
import { createPkce, openBrowser, postSignIn, redeem, refresh, signedIn, signIn } from '../support/browser.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { until } from '../support/until.ts'

describe('the purge', () => {
  it('deletes only expired rows, even if several instances purge concurrently', async () => {
    await using host = await startIdentityUnderTest()
    const countRows = async () => {
      const [counts] = await host.database.query<Record<string, number>>(sql`
        select (select count(*) from signin_sessions) as sessions, (select count(*) from refresh_tokens) as tokens,
          (select count(*) from authorization_codes) as codes, (select count(*) from lockouts) as lockouts`)
      return counts
    }
    const purgeConcurrently = () =>
      Promise.all(
        [1, 2, 3].map(async () => {
          await purgeExpired(host.database, host.clock.now(), 0)
          await purgeLockouts(host.database, { now: () => new Date(host.clock.now()) })
        }),
      )
    const { browser, tokens } = await signedIn(host.address)
    await refresh(browser, tokens.refresh_token)
    const pkce = createPkce()
    const unused = await signIn(openBrowser(host.address), pkce)
    await postSignIn(openBrowser(host.address), pkce, { password: 'wrong' })
    await purgeConcurrently()
    assert.deepEqual(await countRows(), { sessions: 2, tokens: 2, codes: 2, lockouts: 1 })
    host.clock.advance(60_000)
    await purgeConcurrently()
    // The used code and the spent token stay, so that a second use is detected.
    assert.deepEqual(await countRows(), { sessions: 2, tokens: 2, codes: 1, lockouts: 1 })
    assert.equal((await redeem(browser, pkce, unused)).json.error, 'invalid_grant')
    host.clock.advance(15 * 60_000)
    await purgeConcurrently()
    assert.deepEqual(await countRows(), { sessions: 2, tokens: 2, codes: 1, lockouts: 0 })
    host.clock.advance(8 * 60 * 60_000)
    await purgeConcurrently()
    assert.deepEqual(await countRows(), { sessions: 0, tokens: 0, codes: 0, lockouts: 0 })
  })

  it('continues while the signing keys cannot be read', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const lines: string[] = []
    await using host = await startIdentityUnderTest({
      environment: { LOG_LEVEL: 'warn' },
      destination: { write: (line) => void lines.push(line) },
    })
    await signedIn(host.address)
    await postSignIn(openBrowser(host.address), createPkce(), { password: 'wrong' })
    await host.database.query(sql`alter table identity_keys rename to identity_keys_elsewhere`)
    const countRows = async () => {
      const [row] = await host.database.query<{ count: number }>(sql`
        select ((select count(*) from signin_sessions) + (select count(*) from lockouts))::int as count`)
      return row?.count ?? 0
    }
    assert.equal(await countRows(), 2)
    host.clock.advance(9 * 60 * 60_000)
    t.mock.timers.tick(5 * 60_000)
    await until(async () => (await countRows()) === 0, 'the rows to be deleted')
    const messages = () => lines.map((line) => JSON.parse(line).msg)
    await until(() => messages().includes('The signing keys could not be renewed.'), 'the failure')
    for (const { msg } of lines.map((line) => JSON.parse(line))) assert.doesNotMatch(msg, /purged|clients/)
  })

  it('deletes expired sign-ins in progress at providers, and the oldest beyond 20,000', async (t) => {
    const { database, drop } = await freshDatabase()
    t.after(drop)
    await database.query(sql`
      insert into outside_attempts (id, sealed, expires_at)
      select sha256(number::text::bytea), number::text, now() + make_interval(secs => number)
      from generate_series(-2, 21500) as number where number <> 0`)
    const countAttempts = async () => {
      const [row] = await database.query<{ count: number; oldest: number }>(
        sql`select count(*)::int as count, min(sealed::int) as oldest from outside_attempts`,
      )
      return row
    }
    await Promise.all([1, 2].map(() => purgeExpired(database, Date.now(), 0)))
    assert.deepEqual(await countAttempts(), { count: 20_000, oldest: 1501 })
  })
})
