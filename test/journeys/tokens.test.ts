import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalJWKSet, exportSPKI, type JWTPayload, jwtVerify } from 'jose'
import type { Environment } from '../../src/config/settings.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { claimsOf, headerOf, openBrowser, refresh } from '../support/browser.ts'
import { disposable, fixture } from '../support/fixture.ts'
import { insertAccount } from '../support/insert-account.ts'
import { registrationOf, requestTokens, wiki } from '../support/registered-clients.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { startTestIssuer, type TestIssuer, type TokenOptions } from '../support/test-issuer.ts'

describe('An access token of the identity host', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

  const write = (statement: Sql) => rest.database.transaction((store) => store.query(statement))
  const statusOf = async (token: string, path = '/api/me') => (await rest.call('GET', path, { token })).status

  test('of a user is for the REST host', async () => {
    const { id, token } = await rest.signUp()
    const { body } = await rest.call('GET', '/api/me', { token })
    assert.deepEqual([body.id, claimsOf(token).aud], [id, 'svc-api'])
  })

  test('of a service client is accepted unless it is only for the command host', async () => {
    const { login } = await insertAccount(rest.database, { login: await rest.identity.serviceLogin() })
    const [both, own, other] = await Promise.all(
      [undefined, 'svc.api', 'svc.grpc'].map((scope) => rest.identity.serviceToken(login, scope)),
    )
    assert.deepEqual(claimsOf(both ?? '').aud, ['svc-api', 'svc-grpc'])
    assert.deepEqual([await statusOf(both ?? ''), await statusOf(own ?? '')], [200, 200])
    assertEnvelope(await rest.call('GET', '/api/me', { token: other }), 401)
  })

  test('of a user without the scope of the REST host is rejected', async () => {
    const { login } = await rest.signUp()
    const { access_token: token } = await rest.identity.signIn(login, {
      request: { scope: 'openid profile' },
    })
    assertEnvelope(await rest.call('GET', '/api/me', { token }), 401)
  })

  test('is accepted, unlike an identity token or a refresh token', async () => {
    const { login } = await rest.signUp()
    const tokens = await rest.identity.signIn(login)
    for (const token of [tokens.id_token, tokens.refresh_token])
      assertEnvelope(await rest.call('GET', '/api/me', { token }), 401)
  })

  test('is read only from the Authorization header with the scheme Bearer', async () => {
    const { token } = await rest.signUp()
    for (const authorization of [`bearer ${token}`, `BEARER ${token}`])
      assert.equal((await rest.call('GET', '/api/me', { headers: { authorization } })).status, 200)
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${token} x`,
      `Bearer ${token},${token}`,
    ])
      assertEnvelope(await rest.call('GET', '/api/me', { headers: { authorization } }), 401)
    assertEnvelope(await rest.call('GET', `/api/me?access_token=${token}`), 401)
    assertEnvelope(await rest.call('GET', '/api/me', { headers: { cookie: `access_token=${token}` } }), 401)
  })

  const ends: Readonly<Record<string, (person: Person) => Sql>> = {
    'its session ends': ({ id }) => sql`update signin_sessions set ended_at = now() where user_id = ${id}`,
    'its session is eight hours old': ({ id }) =>
      sql`update signin_sessions set expires_at = now() where user_id = ${id}`,
    'its session is deleted': ({ id }) => sql`delete from signin_sessions where user_id = ${id}`,
    'its account is removed': ({ id }) => sql`update users set active = false where id = ${id}`,
    'its account gets a new security stamp': ({ id }) =>
      sql`update users set security_stamp = 'new' where id = ${id}`,
  }
  for (const [cause, end] of Object.entries(ends)) {
    test(`stops working when ${cause}`, async () => {
      const person = await rest.signUp()
      assert.equal(await statusOf(person.token), 200)
      await write(end(person))
      assertEnvelope(await person.call('GET', '/api/me'), 401)
    })
  }

  test('gives no account outside the list the rights of an administrator', async () => {
    const { token } = await rest.signUp()
    assert.equal(await statusOf(rest.administrator.token, '/api/users'), 200)
    assert.equal(await statusOf(token, '/api/users'), 403)
  })

  test('of the seeded account has the rights of an administrator', async () => {
    await using separateHost = await startRestUnderTest({ SVC_ADMIN_LOGINS: '' })
    const { id } = await separateHost.signUp({ login: 'demo@example.com' })
    await separateHost.database.query(sql`insert into seeded_account (user_id) values (${id})`)
    // The claims of a token are those of the account when it was issued, so a new token is needed.
    const statusAs = async (login: string) => {
      const { access_token: fresh } = await separateHost.identity.signIn(login)
      const claim = claimsOf(fresh)['svc:admin']
      return [(await separateHost.call('GET', '/api/users', { token: fresh })).status, claim]
    }
    assert.deepEqual(await statusAs('demo@example.com'), [200, 'true'])
    assert.equal(
      (await separateHost.call('GET', '/api/users', { token: separateHost.administrator.token })).status,
      403,
    )
    const renamed = { id, name: 'Demo', login: 'renamed@example.com' }
    const { access_token: admin } = await separateHost.identity.signIn('demo@example.com')
    assert.equal((await separateHost.call('PATCH', '/api/user', { token: admin, body: renamed })).status, 200)
    assert.deepEqual(await statusAs('renamed@example.com'), [200, 'true'])
    await separateHost.signUp({ login: 'demo@example.com' })
    assert.deepEqual(await statusAs('demo@example.com'), [403, undefined])
  })

  test('of an ended session stops working within the configured time of the session cache', async () => {
    await using separateHost = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '1' })
    const person = await separateHost.signUp()
    const status = async () => (await separateHost.call('GET', '/api/me', { token: person.token })).status
    assert.equal(await status(), 200)
    await separateHost.database.transaction((store) =>
      store.query(sql`update users set active = false where id = ${person.id}`),
    )
    await sleep(1100)
    assert.equal(await status(), 401)
  })
})

describe('A token of the test issuer', { concurrency: true }, () => {
  let rest: RestUnderTest
  let issuer: TestIssuer
  let person: Person
  let sid: string

  before(async () => {
    ;({ rest, issuer } = await startWithIssuer({ Auth__SessionValidationCacheSeconds: '0' }))
    // The account and its session come from the real host, but the tokens do not.
    person = await rest.signUp()
    sid = await sessionOf(person)
  })
  after(() => Promise.all([rest.stop(), issuer.stop()]))

  async function sessionOf({ id }: Person): Promise<string> {
    const [row] = await rest.database.query<{ sid: string }>(
      sql`select id as sid from signin_sessions where user_id = ${id}`,
    )
    return row?.sid ?? ''
  }
  const tokenWith = (options: Omit<TokenOptions, 'account'> = {}) =>
    issuer.token({ account: person, sid, ...options })
  const statusOf = async (token: string, path = '/api/me') => (await rest.call('GET', path, { token })).status
  const now = () => Math.floor(Date.now() / 1000)

  const accepted: Readonly<Record<string, () => Omit<TokenOptions, 'account'>>> = {
    'with the claims of the identity host': () => ({}),
    'of a service client, without a session': () => ({ claims: { sid: undefined } }),
    'for several audiences, ours among them': () => ({ audience: ['svc-grpc', 'svc-api'] }),
    'with our scope alone': () => ({ scope: 'svc.api' }),
    'that begins within the clock skew': () => ({ claims: { nbf: now() + 30 } }),
    'that was issued within the clock skew': () => ({ claims: { iat: now() + 30 } }),
  }
  for (const [description, options] of Object.entries(accepted)) {
    test(`${description} is accepted`, async () => {
      assert.equal(await statusOf(await tokenWith(options())), 200)
    })
  }

  const claim = (claims: Readonly<Record<string, unknown>>) => () => ({ claims: claims as JWTPayload })
  const rejected: Readonly<Record<string, () => Omit<TokenOptions, 'account'>>> = {
    'of another issuer': claim({ iss: 'https://elsewhere.example.com' }),
    'without an issuer': claim({ iss: undefined }),
    'for the command host': () => ({ audience: 'svc-grpc' }),
    'without an audience': claim({ aud: undefined }),
    'without our scope': () => ({ scope: 'openid svc.grpc' }),
    'whose scope only begins like ours': () => ({ scope: 'svc.api.read' }),
    'that has just expired': () => ({ claims: { exp: now() } }),
    'that never expires': claim({ exp: undefined }),
    'that is not valid yet': () => ({ claims: { nbf: now() + 120 } }),
    'that was issued later than now': () => ({ claims: { iat: now() + 120 } }),
    'of the type JWT': () => ({ header: { typ: 'JWT' } }),
    'without a type': () => ({ header: { typ: undefined } }),
    'of the type of an identity token': () => ({ header: { typ: 'id+jwt' } }),
    'that names an unknown key': () => ({ header: { kid: 'unknown' } }),
    'without a subject': claim({ sub: undefined }),
    'whose subject is no account': () => ({ claims: { sub: randomUUID() } }),
    'whose subject is no UUID': claim({ sub: "x' or true --" }),
    'with another security stamp': claim({ 'svc:security_stamp': randomUUID() }),
    'without a security stamp': claim({ 'svc:security_stamp': undefined }),
    'of a session that does not exist': claim({ sid: 'nothing' }),
    'whose session is no text': claim({ sid: 17 }),
    'that claims an administrator who is not in the list': () => ({ admin: true }),
  }
  for (const [description, options] of Object.entries(rejected)) {
    test(`${description} is rejected`, async () => {
      assertEnvelope(await rest.call('GET', '/api/me', { token: await tokenWith(options()) }), 401)
    })
  }

  test('that has just expired opens no stream', async () => {
    const token = await tokenWith({ claims: { exp: now() } })
    for (const path of ['/api/projects', '/ext/changes']) {
      const headers = { accept: 'text/event-stream' }
      assertEnvelope(await rest.call('GET', path, { token, headers }), 401)
    }
  })

  test('with the session of another account is rejected', async () => {
    const token = await issuer.token({ account: rest.administrator, sid })
    assertEnvelope(await rest.call('GET', '/api/me', { token }), 401)
  })

  test('signed with another key, another algorithm or none is rejected', async () => {
    const other = await issuer.token({ account: person, sid })
    const [head = '', payload = '', signature = ''] = other.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid, publicKey } = issuer.currentKey()
    const secret = await exportSPKI(publicKey)
    const symmetric = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`
    const forged = [
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.${signature}`,
      `${symmetric}.${createHmac('sha256', secret).update(symmetric).digest('base64url')}`,
      `${encode({ alg: 'RS512', typ: 'at+jwt', kid })}.${payload}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -6)}AAAAAA`,
      `${head}.${payload.slice(0, -4)}AAAA.${signature}`,
      `${head}.${payload}`,
      `${other}.${signature}`,
    ]
    for (const token of forged) assert.equal(await statusOf(token), 401, token.slice(0, 60))
  })

  test('gives the rights of an administrator only with the string true', async () => {
    for (const admin of ['false', 'yes', '', true]) {
      const account = rest.administrator
      const token = await issuer.token({ account, claims: { 'svc:admin': admin } })
      assert.ok([401, 403].includes(await statusOf(token, '/api/users')), String(admin))
    }
  })

  test('signed with a new key is accepted at once', async () => {
    await using separateHost = await startWithIssuer()
    const statusThere = async (token: string) =>
      (await separateHost.rest.call('GET', '/api/me', { token })).status
    const { id } = separateHost.rest.administrator
    const first = await separateHost.issuer.signIn(separateHost.rest.database, id)
    assert.equal(await statusThere(first), 200)
    await separateHost.issuer.rotate()
    assert.equal(await statusThere(await separateHost.issuer.signIn(separateHost.rest.database, id)), 200)
    assert.equal(await statusThere(first), 200)
    const fetches = separateHost.issuer.fetches()
    const account = separateHost.rest.administrator
    const madeUp = Array.from({ length: 30 }, (_, index) =>
      separateHost.issuer.token({ account, header: { kid: `made-up-${index}` } }),
    )
    for (const token of await Promise.all(madeUp)) assert.equal(await statusThere(token), 401)
    assert.ok(
      separateHost.issuer.fetches() - fetches < 10,
      `${separateHost.issuer.fetches() - fetches} fetches`,
    )
  })

  test('is verified with cached keys while the issuer is down', async () => {
    await using separateHost = await startWithIssuer({ LOG_LEVEL: 'silent' })
    const { id } = separateHost.rest.administrator
    const token = await separateHost.issuer.signIn(separateHost.rest.database, id)
    const status = async (sent = token) =>
      (await separateHost.rest.call('GET', '/api/me', { token: sent })).status
    separateHost.issuer.interrupt((_request, response) => response.writeHead(500).end())
    const unverified = await separateHost.rest.call('GET', '/api/me', { token })
    assertEnvelope(unverified, 503)
    assert.equal(unverified.headers.get('retry-after'), '1')
    assertEnvelope(await separateHost.rest.call('GET', '/api/me', { token: 'x' }), 401)
    separateHost.issuer.interrupt()
    for (let attempt = 0; attempt < 60 && (await status()) !== 200; attempt += 1) await sleep(100)
    assert.equal(await status(), 200)
    separateHost.issuer.interrupt((_request, response) => response.writeHead(500).end())
    assert.equal(await status(await separateHost.issuer.signIn(separateHost.rest.database, id)), 200)
  })
})

interface OwnIssuer extends AsyncDisposable {
  readonly rest: RestUnderTest
  readonly issuer: TestIssuer
  stop(): Promise<unknown>
}

async function startWithIssuer(environment: Environment = {}) {
  const issuer = await startTestIssuer()
  const rest = await startRestUnderTest({ Jwt__Issuer: issuer.issuer, ...environment })
  return disposable<OwnIssuer>({ rest, issuer, stop: () => Promise.all([rest.stop(), issuer.stop()]) })
}

const scopes = { Scopes__0: 'openid', Scopes__1: 'svc.api', Scopes__2: 'offline_access' }
const app = { ...wiki, extraSettings: { ...wiki.extraSettings, ...scopes, SigningAlgorithm: 'ES256' } }
const request = { scope: 'openid svc.api offline_access' }

describe('A client with tokens signed by ES256', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, registrationOf(app))

  const read = async (path: string) => (await openBrowser(rest.identity.address).get(path)).json
  const publishedKeys = () => read('/.well-known/openid-configuration/jwks')
  const tokensOf = async (login: string) => {
    const browser = openBrowser(rest.identity.address)
    const { json } = await requestTokens(browser, app, { login, request })
    return { browser, ...json }
  }

  test('gets them at sign-in and refresh, with published keys, and they are accepted', async () => {
    const { login, id } = await rest.signUp()
    const tokens = await tokensOf(login)
    const keys = createLocalJWKSet(await publishedKeys())
    for (const token of [tokens.access_token, tokens.id_token]) {
      assert.equal(headerOf(token).alg, 'ES256')
      const { payload } = await jwtVerify(token, keys, { algorithms: ['ES256'] })
      assert.equal(payload.sub, id)
    }
    const fresh = (await refresh(tokens.browser, tokens.refresh_token, { client_id: app.id })).json
    assert.deepEqual([headerOf(fresh.access_token).alg, headerOf(fresh.id_token).alg], ['ES256', 'ES256'])
    const { body } = await rest.call('GET', '/api/me', { token: fresh.access_token })
    assert.equal(body.id, id)
    const authorization = `Bearer ${fresh.access_token}`
    const person = await openBrowser(rest.identity.address).get('/connect/userinfo', {}, { authorization })
    assert.equal(person.json.sub, id)
  })

  test('changes nothing for other clients', async () => {
    const { login } = await rest.signUp()
    const tokens = await rest.identity.signIn(login)
    assert.equal(headerOf(tokens.access_token).alg, 'RS256')
    const { keys } = await publishedKeys()
    assert.deepEqual(
      keys.map(({ alg, kty, crv, d }: Record<string, string>) => [alg, kty, crv, d]),
      [
        ['RS256', 'RSA', undefined, undefined],
        ['ES256', 'EC', 'P-256', undefined],
      ],
    )
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      const metadata = await read(`/.well-known/${path}`)
      assert.deepEqual(metadata.id_token_signing_alg_values_supported, ['RS256', 'ES256'])
    }
  })

  test('gets a token rejected if its header names another algorithm or another key', async () => {
    const { login } = await rest.signUp()
    const { access_token: token } = await tokensOf(login)
    const { keys } = await publishedKeys()
    const [, claims, signature] = String(token).split('.')
    const encode = (head: object) => Buffer.from(JSON.stringify(head)).toString('base64url')
    const heads = [
      { alg: 'RS256' },
      { kid: keys[0].kid },
      { alg: 'none' },
      { alg: 'ES384' },
      { alg: 'HS256' },
    ]
    for (const changed of heads) {
      const head = encode({ ...headerOf(token), ...changed })
      const forged = `${head}.${claims}.${changed.alg === 'none' ? '' : signature}`
      assertEnvelope(await rest.call('GET', '/api/me', { token: forged }), 401)
      const authorization = `Bearer ${forged}`
      const host = openBrowser(rest.identity.address)
      assert.equal((await host.get('/connect/userinfo', {}, { authorization })).status, 401)
    }
  })
})
