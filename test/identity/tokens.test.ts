import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Sql, sql } from '../../src/db/sql.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  type Fields,
  headerOf,
  openBrowser,
  queryOf,
  redeem,
  refresh,
  requestOf,
  signedIn,
  signIn,
} from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin, robot } from '../support/known-clients.ts'
import { assertRefused } from './support/assert-refused.ts'

describe('tokens', () => {
  let host: IdentityUnderTest
  let browser: Browser
  before(async () => {
    host = await startIdentityUnderTest()
    browser = openBrowser(host.address)
  })
  after(() => host.stop())

  it('of a session have exactly the claims of the contract and of RFC 9068, for 30 minutes', async () => {
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

  it('mark administrators, with the text true, and no other account', async () => {
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

  it('of a refresh are new ones of the same session, and the identity token repeats no nonce', async () => {
    const { tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    assert.notEqual(json.refresh_token, tokens.refresh_token)
    const [before, after] = [claimsOf(tokens.id_token), claimsOf(json.id_token)]
    assert.equal(claimsOf(json.access_token).sid, before.sid)
    assert.deepEqual([after.sid, after.auth_time, after.nonce], [before.sid, before.auth_time, undefined])
    assert.equal((await refresh(browser, json.refresh_token)).status, 200)
  })

  it('of a refresh can be for less, and the successor keeps everything', async () => {
    const { tokens } = await signedIn(host.address)
    assertRefused(
      await refresh(browser, tokens.refresh_token, { scope: 'svc.api svc.grpc' }),
      'invalid_scope',
    )
    const narrowed = await refresh(browser, tokens.refresh_token, { scope: 'svc.api' })
    assert.equal(narrowed.json.scope, 'svc.api')
    assert.equal(narrowed.json.id_token, undefined)
    const { json } = await refresh(browser, narrowed.json.refresh_token)
    assert.equal(json.scope, 'openid profile svc.api offline_access')
  })

  it('are rejected for a code with a wrong verifier, address or client, which leaves the code as it was', async () => {
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
    for (const [others, error] of wrong) assertRefused(await redeem(browser, pkce, callback, others), error)
    assert.equal((await redeem(browser, pkce, callback)).status, 200)
  })

  it('are rejected for a code whose session has ended in the meantime', async () => {
    const ends = [
      (own: Browser) => own.post('/api/account/logout', {}, { origin }),
      () => changeStamp(),
      // A session just before its eight hours end leaves a code that outlives it.
      async () => host.clock.advance(30_000),
    ]
    for (const [index, end] of ends.entries()) {
      const [own, pkce] = [openBrowser(host.address), createPkce()]
      await signIn(own, pkce)
      if (index === 2) host.clock.advance(8 * 60 * 60_000 - 20_000)
      const callback = await own.get('/connect/authorize', requestOf(pkce))
      assert.ok(queryOf(callback).code)
      await end(own)
      assertRefused(await redeem(browser, pkce, callback), 'invalid_grant')
    }
  })

  it('are rejected for a code or a refresh token that was issued to another client', async () => {
    const pkce = createPkce()
    const callback = await signIn(openBrowser(host.address), pkce)
    const { tokens } = await signedIn(host.address)
    // There is one public client, so another's can only be made in the store.
    await setClient('somebody-else')
    assertRefused(await redeem(browser, pkce, callback), 'invalid_grant')
    assertRefused(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    await browser.post('/connect/revocation', { client_id: 'svc-webclient', token: tokens.refresh_token })
    await setClient('svc-webclient')
    assert.equal((await redeem(browser, pkce, callback)).status, 200)
    assert.equal((await refresh(browser, tokens.refresh_token)).status, 200)
  })

  it('are rejected for a code older than a minute', async () => {
    const pkce = createPkce()
    const callback = await signIn(openBrowser(host.address), pkce)
    host.clock.advance(60_000)
    assertRefused(await redeem(browser, pkce, callback), 'invalid_grant')
  })

  it('issued for a code end when the code is used again, even half a minute later', async () => {
    const pkce = createPkce()
    const own = openBrowser(host.address)
    const callback = await signIn(own, pkce)
    const { json } = await redeem(browser, pkce, callback)
    host.clock.advance(30_000)
    assertRefused(await redeem(browser, pkce, callback), 'invalid_grant')
    assertRefused(await refresh(browser, json.refresh_token), 'invalid_grant')
    const headers = { authorization: `Bearer ${json.access_token}` }
    assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 401)
    assert.match((await own.get('/connect/authorize', requestOf(pkce))).location, /login-page/)
  })

  it('can be asked for with the three grants only, by anyone who may use them', async () => {
    const post = (form: Fields) => browser.post('/connect/token', form)
    assertRefused(await post({ client_id: 'svc-webclient' }), 'invalid_request')
    assertRefused(
      await post({ client_id: 'svc-webclient', grant_type: 'password' }),
      'unsupported_grant_type',
    )
    assertRefused(
      await post({ client_id: 'svc-webclient', grant_type: 'client_credentials' }),
      'unauthorized_client',
    )
    for (const grantType of ['authorization_code', 'refresh_token'])
      assertRefused(
        await post({ client_id: robot.id, client_secret: robot.secret, grant_type: grantType }),
        'unauthorized_client',
      )
    assertRefused(await post({ grant_type: 'refresh_token' }), 'invalid_client', 401)
    assertRefused(
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
