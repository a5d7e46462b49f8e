import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { signingKeyOf, signToken } from '../../src/hosts/identity/keys/signing-keys.ts'
import { claimsOf, type Fields, headerOf, openBrowser, refresh, signedIn } from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { signingPem, startIdentityUnderTest } from '../support/identity-host.ts'
import { robot } from '../support/known-clients.ts'
import { assertRejected } from './support/assertions.ts'

const asRobot = { client_id: robot.id, client_secret: robot.secret }
const asCommands = { client_id: 'commands', client_secret: robot.secret }
const asPortal = { client_id: 'portal', client_secret: robot.secret }

describe('introspection', () => {
  const host = fixture(startIdentityUnderTest, {
    environment: {
      Identity__ServiceClients__commands__Secret: robot.secret,
      Identity__ServiceClients__commands__Login: robot.login,
      Identity__ServiceClients__commands__Scopes__0: 'svc.grpc',
      Identity__Clients__portal__Secret: robot.secret,
      Identity__Clients__portal__RedirectUris__0: 'https://portal.example.com/callback',
      Identity__Clients__portal__Scopes__0: 'svc.api',
    },
  })

  const ask = (token: string, clientFields: Fields = asRobot) =>
    openBrowser(host.address).post('/connect/introspect', { token, ...clientFields })
  const inactive = { active: false }

  it('is available only to clients with a secret', async () => {
    assertRejected(await ask('x', {}), 'invalid_client', 401)
    assertRejected(await ask('x', { client_id: 'svc-webclient' }), 'invalid_client', 401)
    assertRejected(await ask('x', { ...asRobot, client_secret: 'wrong' }), 'invalid_client', 401)
    assertRejected(await ask('', asRobot), 'invalid_request')
  })

  it('describes an access token while its session is active', async () => {
    const { tokens } = await signedIn(host.address)
    const { json } = await ask(tokens.access_token)
    assert.deepEqual(json, {
      active: true,
      token_type: 'Bearer',
      username: host.person.login,
      ...claimsOf(tokens.access_token),
    })
    host.clock.advance(30 * 60_000)
    assert.deepEqual((await ask(tokens.access_token)).json, inactive)
  })

  it('describes a refresh token until it is used', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const { json } = await ask(tokens.refresh_token)
    const { sid } = claimsOf(tokens.access_token)
    const { iat: _iat, exp, ...description } = json
    assert.deepEqual(description, {
      active: true,
      iss: host.address,
      sub: host.person.id,
      sid,
      username: host.person.login,
      client_id: 'svc-webclient',
      scope: 'openid profile svc.api offline_access',
    })
    assert.ok(Math.abs(exp * 1000 - host.clock.now() - 8 * 60 * 60_000) < 10_000)
    await refresh(browser, tokens.refresh_token)
    assert.deepEqual((await ask(tokens.refresh_token)).json, inactive)
    const granted = await browser.post('/connect/token', { grant_type: 'client_credentials', ...asRobot })
    assert.equal((await ask(granted.json.access_token)).json.active, true)
  })

  it('describes to a client only the tokens that it may see', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const { tokens: forNoAudience } = await signedIn(host.address, { request: { scope: 'openid' } })
    const grant = async (client: Fields, scope: string) =>
      (await browser.post('/connect/token', { grant_type: 'client_credentials', ...client, scope })).json
        .access_token
    const clients = { robot: asRobot, commands: asCommands, portal: asPortal }
    const cases: { token: string; activeFor: (keyof typeof clients)[] }[] = [
      { token: tokens.access_token, activeFor: ['robot'] },
      { token: tokens.refresh_token, activeFor: ['robot'] },
      { token: await grant(asRobot, 'svc.api'), activeFor: ['robot'] },
      { token: await grant(asRobot, 'svc.grpc'), activeFor: ['robot', 'commands'] },
      { token: await grant(asRobot, 'svc.api svc.grpc'), activeFor: ['robot', 'commands'] },
      { token: await grant(asCommands, 'svc.grpc'), activeFor: ['robot', 'commands'] },
      { token: forNoAudience.access_token, activeFor: [] },
    ]
    for (const { token, activeFor } of cases) {
      const actual: string[] = []
      for (const [name, client] of Object.entries(clients))
        if ((await ask(token, client)).json.active) actual.push(name)
      assert.deepEqual(actual, activeFor)
    }
  })

  it('describes a service token as inactive after its account has changed', async () => {
    const browser = openBrowser(host.address)
    for (const change of [sql`security_stamp = 'another'`, sql`active = false`]) {
      const { json } = await browser.post('/connect/token', { grant_type: 'client_credentials', ...asRobot })
      assert.equal((await ask(json.access_token)).json.active, true)
      await host.database.transaction((transaction) =>
        transaction.query(sql`update users set ${change} where id = ${host.robotAccount.id}`),
      )
      assert.deepEqual((await ask(json.access_token)).json, inactive)
    }
  })

  it('describes everything else as inactive', async () => {
    const { tokens } = await signedIn(host.address)
    const [header, payload] = tokens.access_token.split('.')
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`
    // This token has our signature and all claims of an access token, but another type.
    const key = signingKeyOf(headerOf(tokens.access_token).kid, createPrivateKey(signingPem))
    const otherType = await signToken(key, 'JWT', claimsOf(tokens.access_token))
    const otherIssuer = await signToken(key, 'at+jwt', {
      ...claimsOf(tokens.access_token),
      iss: 'https://elsewhere.example.com',
    })
    for (const token of [
      'made-up',
      otherType,
      otherIssuer,
      tokens.id_token,
      `${header}.${payload}.AAAA`,
      unsigned,
      'a.b.c',
    ])
      assert.deepEqual((await ask(token)).json, inactive)
  })
})

describe('userinfo', () => {
  const host = fixture(startIdentityUnderTest)

  it('returns sub and name by GET, by POST with the header and by POST with a form', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const expected = { sub: host.person.id, name: host.person.name }
    assert.deepEqual((await browser.get('/connect/userinfo', {}, headers)).json, expected)
    assert.deepEqual((await browser.post('/connect/userinfo', '', headers)).json, expected)
    const inForm = { access_token: tokens.access_token }
    assert.deepEqual((await browser.post('/connect/userinfo', inForm)).json, expected)
    assertRejected(await browser.post('/connect/userinfo', inForm, headers), 'invalid_request')
    // URLs are stored in logs and browser histories, so a token in a URL is rejected.
    assertRejected(await browser.get('/connect/userinfo', inForm), 'invalid_token', 401)
  })

  it('returns the name only if profile was granted', async () => {
    const { browser, tokens } = await signedIn(host.address, { request: { scope: 'openid' } })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    assert.deepEqual((await browser.get('/connect/userinfo', {}, headers)).json, { sub: host.person.id })
    assert.equal(claimsOf(tokens.id_token).name, undefined)
    assert.equal(claimsOf(tokens.access_token).aud, host.address)
  })

  it('challenges a request without a token, with a wrong one, or with one without openid', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const get = (token?: string) =>
      browser.get('/connect/userinfo', {}, token === undefined ? {} : { authorization: `Bearer ${token}` })
    const none = await get()
    assertRejected(none, 'invalid_token', 401)
    assert.equal(none.headers.get('www-authenticate'), 'Bearer')
    for (const wrong of [await get('made-up'), await get(tokens.id_token), await get(tokens.refresh_token)]) {
      assertRejected(wrong, 'invalid_token', 401)
      assert.equal(wrong.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
    }
    const granted = await browser.post('/connect/token', { grant_type: 'client_credentials', ...asRobot })
    const insufficient = await get(granted.json.access_token)
    assertRejected(insufficient, 'insufficient_scope', 403)
  })

  it('rejects a token from the second in which it expires', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    host.clock.advance(30 * 60_000 - 10_000)
    assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 200)
    host.clock.advance(10_000)
    assertRejected(await browser.get('/connect/userinfo', {}, headers), 'invalid_token', 401)
  })

  it('rejects a token whose account was removed or is no longer an administrator', async () => {
    const account = await host.addAccount({ login: 'root@example.com' })
    const { browser, tokens } = await signedIn(host.address, { login: account.login })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const demoted = await host.startAnother({ SVC_ADMIN_LOGINS: 'other@example.com' })
    assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 200)
    assert.equal((await openBrowser(demoted.address).get('/connect/userinfo', {}, headers)).status, 401)
    await host.database.transaction((transaction) =>
      transaction.query(sql`update users set active = false where id = ${account.id}`),
    )
    assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 401)
  })
})

describe('a service client', () => {
  const host = fixture(startIdentityUnderTest, {
    environment: {
      Identity__ServiceClients__narrow__Secret: robot.secret,
      Identity__ServiceClients__narrow__Login: 'root@example.com',
      Identity__ServiceClients__narrow__Scopes__0: 'svc.grpc',
      Identity__ServiceClients__nobody__Secret: robot.secret,
      Identity__ServiceClients__nobody__Login: 'nobody@example.com',
    },
  })
  const browser = fixture(() => openBrowser(host.address))

  const grant = (overrides: Fields = {}, headers: Fields = {}) =>
    browser.post('/connect/token', { grant_type: 'client_credentials', ...overrides }, headers)
  const asRobot = { client_id: robot.id, client_secret: robot.secret }
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  })

  it('gets a token of its account for both hosts', async () => {
    const { json } = await grant(asRobot)
    assert.deepEqual(Object.keys(json), ['access_token', 'token_type', 'expires_in', 'scope'])
    const { iat: _iat, exp: _exp, jti: _jti, ...claims } = claimsOf(json.access_token)
    assert.deepEqual(claims, {
      iss: host.address,
      aud: ['svc-api', 'svc-grpc'],
      sub: host.robotAccount.id,
      client_id: robot.id,
      scope: 'svc.api svc.grpc',
      'svc:login': robot.login,
      'svc:security_stamp': host.robotAccount.securityStamp,
    })
  })

  it('can request fewer scopes, but never more', async () => {
    assert.equal(claimsOf((await grant({ ...asRobot, scope: 'svc.grpc' })).json.access_token).aud, 'svc-grpc')
    assertRejected(await grant({ ...asRobot, scope: 'svc.api openid' }), 'invalid_scope')
    await host.addAccount({ login: 'root@example.com' })
    const narrow = { client_id: 'narrow', client_secret: robot.secret }
    const claims = claimsOf((await grant(narrow)).json.access_token)
    assert.deepEqual([claims.aud, claims['svc:admin']], ['svc-grpc', 'true'])
    assertRejected(await grant({ ...narrow, scope: 'svc.api' }), 'invalid_scope')
  })

  it('authenticates by form or by Basic, but not by both', async () => {
    assert.equal((await grant({}, basic(robot.id, robot.secret))).status, 200)
    assertRejected(await grant(asRobot, basic(robot.id, robot.secret)), 'invalid_request')
    assertRejected(await grant({ client_id: 'narrow' }, basic(robot.id, robot.secret)), 'invalid_request')
  })

  it('gets invalid_client with a wrong secret, an unknown id or an unusable account', async () => {
    const wrong = [
      await grant({ client_id: robot.id, client_secret: 'wrong' }),
      await grant({ client_id: robot.id }),
      await grant({ client_id: 'unknown', client_secret: robot.secret }),
      await grant({ client_id: 'nobody', client_secret: robot.secret }),
      await grant({}, basic(robot.id, 'wrong')),
      await grant({}, basic('svc-webclient', '')),
      await grant({}, { authorization: 'Basic nonsense' }),
      await grant({}, { authorization: 'Basic %' }),
      await grant({ client_id: 'svc-webclient', client_secret: 'any' }),
    ]
    for (const page of wrong) assertRejected(page, 'invalid_client', 401)
    assert.match(wrong[0]?.headers.get('www-authenticate') ?? '', /^Basic /)
    const setActive = (active: boolean) =>
      host.database.transaction((transaction) =>
        transaction.query(sql`update users set active = ${active} where id = ${host.robotAccount.id}`),
      )
    await setActive(false)
    assertRejected(await grant(asRobot), 'invalid_client', 401)
    await setActive(true)
  })
})
