import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Sql, sql } from '../../src/db/sql.ts'
import { purgeExpired } from '../../src/hosts/identity/main.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  type Fields,
  headerOf,
  openBrowser,
  type Page,
  queryOf,
  redeem,
  refresh,
  requestOf,
  signedIn,
  signIn,
} from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin, robot } from '../support/known-clients.ts'
import { assertRejected } from './support/assertions.ts'

describe('tokens', () => {
  const host = fixture(startIdentityUnderTest)
  const browser = fixture(() => openBrowser(host.address))

  it('of a session have exactly the claims of the contract and of RFC 9068', async () => {
    const { tokens, answer } = await signedIn(host.address)
    assert.equal(answer.json.token_type, 'Bearer')
    assert.equal(answer.json.expires_in, 1800)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('pragma'), 'no-cache')
    const { kid, ...header } = headerOf(tokens.access_token)
    assert.deepEqual(header, { alg: 'RS256', typ: 'at+jwt' })
    assert.match(kid, /./)
    const { iat, exp, jti, sid, ...claims } = claimsOf(tokens.access_token)
    assert.equal(exp - iat, 30 * 60)
    assert.match(jti, /./)
    assert.match(sid, /^[\w-]{22}$/)
    assert.deepEqual(claims, {
      iss: host.address,
      aud: 'svc-api',
      sub: host.person.id,
      client_id: 'svc-webclient',
      scope: 'openid profile svc.api offline_access',
      'svc:login': host.person.login,
      'svc:security_stamp': host.person.securityStamp,
    })
    const identity = claimsOf(tokens.id_token)
    assert.equal(headerOf(tokens.id_token).typ, 'JWT')
    assert.equal(identity.exp - identity.iat, 5 * 60)
    assert.deepEqual(
      [identity.iss, identity.aud, identity.sub, identity.sid, identity.nonce, identity.name],
      [host.address, 'svc-webclient', host.person.id, sid, 'nonce-1', host.person.name],
    )
    assert.equal(typeof identity.auth_time, 'number')
  })

  it('of an administrator have the claim svc:admin with the text true', async () => {
    const administrator = await host.addAccount({ login: 'Root@example.com' })
    const { tokens } = await signedIn(host.address, { login: administrator.login })
    assert.equal(claimsOf(tokens.access_token)['svc:admin'], 'true')
  })

  it('are computed from the account at every refresh', async () => {
    const { tokens } = await signedIn(host.address)
    const rename = (name: string) =>
      host.database.transaction((transaction) =>
        transaction.query(sql`update users set name = ${name} where id = ${host.person.id}`),
      )
    await rename('Countess')
    const { json } = await refresh(browser, tokens.refresh_token)
    assert.equal(claimsOf(json.id_token).name, 'Countess')
    await rename(host.person.name)
  })

  it('of a refresh are new ones of the same session', async () => {
    const { tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    assert.notEqual(json.refresh_token, tokens.refresh_token)
    const [before, after] = [claimsOf(tokens.id_token), claimsOf(json.id_token)]
    assert.equal(claimsOf(json.access_token).sid, before.sid)
    assert.deepEqual([after.sid, after.auth_time, after.nonce], [before.sid, before.auth_time, undefined])
    assert.equal((await refresh(browser, json.refresh_token)).status, 200)
  })

  it('of a refresh can have fewer scopes', async () => {
    const { tokens } = await signedIn(host.address)
    assertRejected(
      await refresh(browser, tokens.refresh_token, { scope: 'svc.api svc.grpc' }),
      'invalid_scope',
    )
    const narrowed = await refresh(browser, tokens.refresh_token, { scope: 'svc.api' })
    assert.equal(narrowed.json.scope, 'svc.api')
    assert.equal(narrowed.json.id_token, undefined)
    const { json } = await refresh(browser, narrowed.json.refresh_token)
    assert.equal(json.scope, 'openid profile svc.api offline_access')
  })

  it('are not issued for a code with a wrong verifier or URL', async () => {
    const pkce = createPkce()
    const callback = await signIn(openBrowser(host.address), pkce)
    const wrong: (readonly [Fields, string])[] = [
      [{ code_verifier: createPkce().verifier }, 'invalid_grant'],
      [{ redirect_uri: `${otherOrigin}/signin-callback/` }, 'invalid_grant'],
      [{ code: 'made-up' }, 'invalid_grant'],
      [{ code_verifier: 'short' }, 'invalid_request'],
      [{ code_verifier: '' }, 'invalid_request'],
      [{ code: '' }, 'invalid_request'],
      [{ redirect_uri: '' }, 'invalid_request'],
    ]
    for (const [overrides, error] of wrong)
      assertRejected(await redeem(browser, pkce, callback, overrides), error)
    assert.equal((await redeem(browser, pkce, callback)).status, 200)
  })

  it('are not issued for a code whose session has ended in the meantime', async () => {
    const cases: readonly { prepare?: () => void; end: (browser: Browser) => unknown }[] = [
      { end: (newBrowser) => newBrowser.post('/api/account/logout', {}, { origin }) },
      { end: () => changeStamp() },
      {
        // The session ends 20 seconds after the code is issued, before the code expires.
        prepare: () => host.clock.advance(8 * 60 * 60_000 - 20_000),
        end: () => host.clock.advance(30_000),
      },
    ]
    for (const { prepare, end } of cases) {
      const [newBrowser, pkce] = [openBrowser(host.address), createPkce()]
      await signIn(newBrowser, pkce)
      prepare?.()
      const callback = await newBrowser.get('/connect/authorize', requestOf(pkce))
      assert.ok(queryOf(callback).code)
      await end(newBrowser)
      assertRejected(await redeem(browser, pkce, callback), 'invalid_grant')
    }
  })

  it('are not issued for a code or a refresh token of another client', async () => {
    const pkce = createPkce()
    const callback = await signIn(openBrowser(host.address), pkce)
    const { tokens } = await signedIn(host.address)
    // There is only one public client, so the other client is set in the store.
    await setClient('somebody-else')
    assertRejected(await redeem(browser, pkce, callback), 'invalid_grant')
    assertRejected(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    // A client cannot revoke the token of another client, so the token still works below.
    await browser.post('/connect/revocation', { client_id: 'svc-webclient', token: tokens.refresh_token })
    await setClient('svc-webclient')
    assert.equal((await redeem(browser, pkce, callback)).status, 200)
    assert.equal((await refresh(browser, tokens.refresh_token)).status, 200)
  })

  it('are not issued for a code that is a minute old', async () => {
    const pkce = createPkce()
    const callback = await signIn(openBrowser(host.address), pkce)
    host.clock.advance(60_000)
    assertRejected(await redeem(browser, pkce, callback), 'invalid_grant')
  })

  it('issued for a code end when the code is used again', async () => {
    const pkce = createPkce()
    const newBrowser = openBrowser(host.address)
    const callback = await signIn(newBrowser, pkce)
    const { json } = await redeem(browser, pkce, callback)
    host.clock.advance(30_000)
    assertRejected(await redeem(browser, pkce, callback), 'invalid_grant')
    assertRejected(await refresh(browser, json.refresh_token), 'invalid_grant')
    const headers = { authorization: `Bearer ${json.access_token}` }
    assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 401)
    assert.match((await newBrowser.get('/connect/authorize', requestOf(pkce))).location, /login-page/)
  })

  it('can be requested only with the three grants, by clients that may use them', async () => {
    const post = (form: Fields) => browser.post('/connect/token', form)
    assertRejected(await post({ client_id: 'svc-webclient' }), 'invalid_request')
    assertRejected(
      await post({ client_id: 'svc-webclient', grant_type: 'password' }),
      'unsupported_grant_type',
    )
    assertRejected(
      await post({ client_id: 'svc-webclient', grant_type: 'client_credentials' }),
      'unauthorized_client',
    )
    for (const grantType of ['authorization_code', 'refresh_token'])
      assertRejected(
        await post({ client_id: robot.id, client_secret: robot.secret, grant_type: grantType }),
        'unauthorized_client',
      )
    assertRejected(await post({ grant_type: 'refresh_token' }), 'invalid_client', 401)
    assertRejected(
      await browser.post('/connect/token', 'grant_type=refresh_token&grant_type=x&client_id=svc-webclient'),
      'invalid_request',
    )
  })

  const write = (statement: Sql) => host.database.transaction((transaction) => transaction.query(statement))
  const changeStamp = () =>
    write(sql`update users set security_stamp = 'another' where id = ${host.person.id}`)
  const setClient = async (id: string) => {
    await write(sql`update authorization_codes set client_id = ${id}`)
    await write(sql`update refresh_tokens set client_id = ${id}`)
  }
})

describe('a revoked refresh token', () => {
  it('is rejected, and everything else stays valid', async () => {
    await using host = await startIdentityUnderTest()
    const { browser, tokens } = await signedIn(host.address)
    const other = await signedIn(host.address)
    const revoke = (token: string, clientFields: Fields = { client_id: 'svc-webclient' }) =>
      browser.post('/connect/revocation', { token, token_type_hint: 'refresh_token', ...clientFields })
    assertRejected(await revoke(tokens.refresh_token, {}), 'invalid_client', 401)
    // The token of another client is unchanged, which the response does not reveal.
    const asRobot = { client_id: robot.id, client_secret: robot.secret }
    assert.equal((await revoke(other.tokens.refresh_token, asRobot)).status, 200)
    assert.equal((await revoke(tokens.refresh_token)).status, 200)
    assert.equal((await revoke(tokens.refresh_token)).status, 200)
    assert.equal((await revoke('made-up')).status, 200)
    assertRejected(await revoke(''), 'invalid_request')
    assertRejected(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    // The session and its other tokens are still active.
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 200)
    assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(createPkce()))))
    assert.equal((await refresh(browser, other.tokens.refresh_token)).status, 200)
  })

  it('is still detected as replayed if it was spent before', async () => {
    await using host = await startIdentityUnderTest()
    const { browser, tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    await browser.post('/connect/revocation', { token: tokens.refresh_token, client_id: 'svc-webclient' })
    assertRejected(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    assertRejected(await refresh(browser, json.refresh_token), 'invalid_grant')
  })
})

describe('a revoked access token', () => {
  it('is rejected everywhere, while its session and other tokens stay valid', async () => {
    await using host = await startIdentityUnderTest()
    const { browser, tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    const revoke = (token: string, clientFields: Fields = { client_id: 'svc-webclient' }) =>
      browser.post('/connect/revocation', { token, ...clientFields })
    const statusOf = async (token: string) =>
      (await browser.get('/connect/userinfo', {}, { authorization: `Bearer ${token}` })).status
    // The token of another client is unchanged, which the response does not reveal.
    const asRobot = { client_id: robot.id, client_secret: robot.secret }
    assert.equal((await revoke(tokens.access_token, asRobot)).status, 200)
    assert.equal(await statusOf(tokens.access_token), 200)
    assert.equal((await revoke(tokens.access_token)).status, 200)
    assert.equal((await revoke(tokens.access_token)).status, 200)
    assert.equal(await statusOf(tokens.access_token), 401)
    assert.equal(await statusOf(json.access_token), 200)
    assert.equal((await refresh(browser, json.refresh_token)).status, 200)
    // Its entry is purged when the token would have expired anyway.
    const revokedTokens = () => host.database.query(sql`select from revoked_tokens`)
    await purgeExpired(host.database, host.clock.now(), 0)
    assert.equal((await revokedTokens()).length, 1)
    await purgeExpired(host.database, host.clock.now() + 40 * 60_000, 0)
    assert.equal((await revokedTokens()).length, 0)
  })
})

describe('an access token', () => {
  it('cannot be revoked while the extensions are off', async () => {
    await using host = await startIdentityUnderTest({ environment: { EXTENSIONS: 'off' } })
    const { browser, tokens } = await signedIn(host.address)
    const form = { token: tokens.access_token, client_id: 'svc-webclient' }
    assertRejected(await browser.post('/connect/revocation', form), 'unsupported_token_type')
  })
})

const parallelUses = 20
const rounds = 3

describe('parallel requests on two instances', () => {
  let addresses: readonly string[]
  const host = fixture(startIdentityUnderTest)
  before(async () => {
    addresses = [host.address, (await host.startAnother()).address]
  })

  const browserFor = (index: number) => openBrowser(addresses[index % addresses.length] ?? host.address)
  const race = (use: (index: number) => Promise<Page>) =>
    Promise.all(Array.from({ length: parallelUses }, (_, index) => use(index)))
  const winnersOf = (pages: readonly Page[]) => {
    assert.ok(pages.every(({ status, json }) => status === 200 || json.error === 'invalid_grant'))
    return pages.filter(({ status }) => status === 200)
  }
  /** Asserts that the session and all its tokens have ended. */
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

  it('with the same code succeed exactly once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const pkce = createPkce()
      const callback = await signIn(openBrowser(host.address), pkce)
      const winners = winnersOf(await race((index) => redeem(browserFor(index), pkce, callback)))
      assert.equal(winners.length, 1)
      await assertNothingLeft(claimsOf(winners[0]?.json.access_token).sid, winners)
    }
  })

  it('with the same refresh token succeed exactly once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { tokens } = await signedIn(host.address)
      const winners = winnersOf(await race((index) => refresh(browserFor(index), tokens.refresh_token)))
      assert.equal(winners.length, 1)
      await assertNothingLeft(claimsOf(tokens.access_token).sid, winners)
    }
  })

  it('to refresh and to sign out leave no valid token, whichever came first', async () => {
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

  it('to refresh and to revoke the same token leave the session active, whichever came first', async () => {
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

  it('to sign in one user get a session each', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 4 }, (_, index) => signedIn(addresses[index % 2] ?? host.address)),
    )
    assert.equal(new Set(sessions.map(({ tokens }) => claimsOf(tokens.access_token).sid)).size, 4)
    assert.ok(sessions.every(({ answer }) => answer.status === 200))
  })
})

const cookieOf = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
