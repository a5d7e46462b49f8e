import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import {
  claimsOf,
  createPkce,
  openBrowser,
  type Page,
  redeem,
  refresh,
  signedIn,
  signIn,
} from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'

const parallelUses = 20
const rounds = 3

describe('parallel requests on two instances', () => {
  let host: IdentityUnderTest
  let addresses: readonly string[]
  before(async () => {
    host = await startIdentityUnderTest()
    addresses = [host.address, (await host.startAnother()).address]
  })
  after(() => host.stop())

  const browserFor = (index: number) => openBrowser(addresses[index % addresses.length] ?? host.address)
  const race = (use: (index: number) => Promise<Page>) =>
    Promise.all(Array.from({ length: parallelUses }, (_, index) => use(index)))
  const winnersOf = (pages: readonly Page[]) => {
    assert.ok(pages.every(({ status, json }) => status === 200 || json.error === 'invalid_grant'))
    return pages.filter(({ status }) => status === 200)
  }
  /** Neither the session nor a token that was ever issued in it works any more. */
  const assertNothingLeft = async (sessionId: string, winners: readonly Page[]) => {
    for (const { json } of winners) {
      assert.equal((await refresh(openBrowser(host.address), json.refresh_token)).json.error, 'invalid_grant')
      const headers = { authorization: `Bearer ${json.access_token}` }
      assert.equal((await openBrowser(host.address).get('/connect/userinfo', {}, headers)).status, 401)
    }
    const [left] = await host.database.query<{ tokens: number; live: number }>(sql`
      select (select count(*) from refresh_tokens where session_id = ${sessionId}) as tokens,
        (select count(*) from signin_sessions where id = ${sessionId} and ended_at is null) as live`)
    assert.deepEqual(left, { tokens: 0, live: 0 })
  }

  it('with one code: at most one wins, and what it won is taken back', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const pkce = createPkce()
      const callback = await signIn(openBrowser(host.address), pkce)
      const winners = winnersOf(await race((index) => redeem(browserFor(index), pkce, callback)))
      assert.equal(winners.length, 1)
      await assertNothingLeft(claimsOf(winners[0]?.json.access_token).sid, winners)
    }
  })

  it('with one refresh token: at most one wins, and its successor dies too', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { tokens } = await signedIn(host.address)
      const winners = winnersOf(await race((index) => refresh(browserFor(index), tokens.refresh_token)))
      assert.equal(winners.length, 1)
      await assertNothingLeft(claimsOf(tokens.access_token).sid, winners)
    }
  })

  it('of a refresh and a sign-out: afterwards nothing works, no matter who came first', async () => {
    for (let round = 0; round < 3 * rounds; round += 1) {
      const { browser, tokens } = await signedIn(host.address)
      const { location } = await browser.get('/connect/endsession', { id_token_hint: tokens.id_token })
      const [refreshed] = await Promise.all([
        refresh(browserFor(round), tokens.refresh_token),
        browserFor(round + 1).get(location, {}, { cookie: cookieOf(browser.cookies) }),
      ])
      await assertNothingLeft(claimsOf(tokens.access_token).sid, winnersOf([refreshed]))
    }
  })

  it('of a refresh and a revocation: the token is used or revoked, and the session stays active', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { browser, tokens } = await signedIn(host.address)
      const form = { token: tokens.refresh_token, client_id: 'svc-webclient' }
      const [refreshed, revoked] = await Promise.all([
        refresh(browserFor(round), tokens.refresh_token),
        browserFor(round + 1).post('/connect/revocation', form),
      ])
      assert.equal(revoked.status, 200)
      for (const { json } of winnersOf([refreshed]))
        assert.equal((await refresh(browser, json.refresh_token)).status, 200)
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 200)
    }
  })

  it('of sign-ins of one user: each gets its own session', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 4 }, (_, index) => signedIn(addresses[index % 2] ?? host.address)),
    )
    assert.equal(new Set(sessions.map(({ tokens }) => claimsOf(tokens.access_token).sid)).size, 4)
    assert.ok(sessions.every(({ answer }) => answer.status === 200))
  })
})

const cookieOf = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
