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
import { registrationOf, tokensAt, wiki } from '../support/registered-clients.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { startTestIssuer, type TestIssuer, type TokenOptions } from '../support/test-issuer.ts'

describe('An access token of the identity host', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

  const write = (statement: Sql) => rest.database.transaction((store) => store.query(statement))
  const statusOf = async (token: string, path = '/api/me') => (await rest.call('GET', path, { token })).status

  test('of a person is accepted, for the REST host alone', async () => {
    const { id, token } = await rest.signUp()
    const { body } = await rest.call('GET', '/api/me', { token })
    assert.deepEqual([body.id, claimsOf(token).aud], [id, 'svc-api'])
  })

  test('of a service client is accepted, unless it is for the command host alone', async () => {
    const { login } = await insertAccount(rest.database, { login: await rest.identity.serviceLogin() })
    const [both, own, other] = await Promise.all(
      [undefined, 'svc.api', 'svc.grpc'].map((scope) => rest.identity.serviceToken(login, scope)),
    )
    assert.deepEqual(claimsOf(both ?? '').aud, ['svc-api', 'svc-grpc'])
    assert.deepEqual([await statusOf(both ?? ''), await statusOf(own ?? '')], [200, 200])
    assertEnvelope(await rest.call('GET', '/api/me', { token: other }), 401)
  })

  test('of a person who did not ask for the scope of the REST host is rejected', async () => {
    const { login } = await rest.signUp()
    const { access_token: token } = await rest.identity.signIn(login, {
      request: { scope: 'openid profile' },
    })
    assertEnvelope(await rest.call('GET', '/api/me', { token }), 401)
  })

  test('is the only token that is accepted: neither an identity token nor a refresh token is', async () => {
    const { login } = await rest.signUp()
    const tokens = await rest.identity.signIn(login)
    for (const token of [tokens.id_token, tokens.refresh_token])
      assertEnvelope(await rest.call('GET', '/api/me', { token }), 401)
  })

  test('is taken from the Authorization header only, with the scheme Bearer', async () => {
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

  const ends: readonly (readonly [string, (one: Person) => Sql])[] = [
    ['its session ends', ({ id }) => sql`update signin_sessions set ended_at = now() where user_id = ${id}`],
    [
      'its session is eight hours old',
      ({ id }) => sql`update signin_sessions set expires_at = now() where user_id = ${id}`,
    ],
    ['its session is deleted', ({ id }) => sql`delete from signin_sessions where user_id = ${id}`],
    ['its account is removed', ({ id }) => sql`update users set active = false where id = ${id}`],
    [
      'its account gets a new stamp',
      ({ id }) => sql`update users set security_stamp = 'new' where id = ${id}`,
    ],
  ]
  for (const [what, end] of ends) {
    test(`stops working when ${what}`, async () => {
      const one = await rest.signUp()
      assert.equal(await statusOf(one.token), 200)
      await write(end(one))
      assertEnvelope(await one.call('GET', '/api/me'), 401)
    })
  }

  test('makes no account outside the list an administrator', async () => {
    const { token } = await rest.signUp()
    assert.equal(await statusOf(rest.administrator.token, '/api/users'), 200)
    assert.equal(await statusOf(token, '/api/users'), 403)
  })

  test('of the seeded account makes an administrator where no list is configured, whatever its login becomes', async () => {
    await using own = await startRestUnderTest({ SVC_ADMIN_LOGINS: '' })
    const { id } = await own.signUp({ login: 'demo@example.com' })
    await own.database.query(sql`insert into seeded_account (user_id) values (${id})`)
    // As a token says what its account was when it was issued.
    const statusAs = async (login: string) => {
      const { access_token: fresh } = await own.identity.signIn(login)
      const claim = claimsOf(fresh)['svc:admin']
      return [(await own.call('GET', '/api/users', { token: fresh })).status, claim]
    }
    assert.deepEqual(await statusAs('demo@example.com'), [200, 'true'])
    assert.equal((await own.call('GET', '/api/users', { token: own.administrator.token })).status, 403)
    const renamed = { id, name: 'Demo', login: 'renamed@example.com' }
    const { access_token: admin } = await own.identity.signIn('demo@example.com')
    assert.equal((await own.call('PATCH', '/api/user', { token: admin, body: renamed })).status, 200)
    assert.deepEqual(await statusAs('renamed@example.com'), [200, 'true'])
    await own.signUp({ login: 'demo@example.com' })
    assert.deepEqual(await statusAs('demo@example.com'), [403, undefined])
  })

  test('stops working within the session cache, whose length is configured', async () => {
    await using own = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '1' })
    const one = await own.signUp()
    const status = async () => (await own.call('GET', '/api/me', { token: one.token })).status
    assert.equal(await status(), 200)
    await own.database.transaction((store) =>
      store.query(sql`update users set active = false where id = ${one.id}`),
    )
    await sleep(1100)
    assert.equal(await status(), 401)
  })
})

describe('A token of an issuer that does what a right one never does', { concurrency: true }, () => {
  let rest: RestUnderTest
  let issuer: TestIssuer
  let person: Person
  let sid: string

  before(async () => {
    ;({ rest, issuer } = await startWithIssuer({ Auth__SessionValidationCacheSeconds: '0' }))
    // The account and its session are the real host's; only the tokens are not.
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

  const accepted: readonly (readonly [string, () => Omit<TokenOptions, 'account'>])[] = [
    ['with the claims of the identity host', () => ({})],
    ['of a service client, without a session', () => ({ claims: { sid: undefined } })],
    ['for several audiences, ours among them', () => ({ audience: ['svc-grpc', 'svc-api'] })],
    ['with our scope alone', () => ({ scope: 'svc.api' })],
    ['that begins within the clock skew', () => ({ claims: { nbf: now() + 30 } })],
    ['that was issued within the clock skew', () => ({ claims: { iat: now() + 30 } })],
  ]
  for (const [what, options] of accepted) {
    test(`${what} is accepted`, async () => {
      assert.equal(await statusOf(await tokenWith(options())), 200)
    })
  }

  const claim = (claims: Readonly<Record<string, unknown>>) => () => ({ claims: claims as JWTPayload })
  const rejected: readonly (readonly [string, () => Omit<TokenOptions, 'account'>])[] = [
    ['of another issuer', claim({ iss: 'https://elsewhere.example.com' })],
    ['without an issuer', claim({ iss: undefined })],
    ['for the command host', () => ({ audience: 'svc-grpc' })],
    ['without an audience', claim({ aud: undefined })],
    ['without our scope', () => ({ scope: 'openid svc.grpc' })],
    ['whose scope only begins like ours', () => ({ scope: 'svc.api.read' })],
    ['that has just expired', () => ({ claims: { exp: now() } })],
    ['that never expires', claim({ exp: undefined })],
    ['that is not valid yet', () => ({ claims: { nbf: now() + 120 } })],
    ['that was issued later than now', () => ({ claims: { iat: now() + 120 } })],
    ['of the type JWT', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['of the type of an identity token', () => ({ header: { typ: 'id+jwt' } })],
    ['that names an unknown key', () => ({ header: { kid: 'unknown' } })],
    ['without a subject', claim({ sub: undefined })],
    ['whose subject is no account', () => ({ claims: { sub: randomUUID() } })],
    ['whose subject is no UUID', claim({ sub: "x' or true --" })],
    ['with another security stamp', claim({ 'svc:security_stamp': randomUUID() })],
    ['without a security stamp', claim({ 'svc:security_stamp': undefined })],
    ['of a session that does not exist', claim({ sid: 'nothing' })],
    ['whose session is no text', claim({ sid: 17 })],
    ['that claims an administrator who is not in the list', () => ({ admin: true })],
  ]
  for (const [what, options] of rejected) {
    test(`${what} is rejected`, async () => {
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

  test('makes no administrator with another value than the string true', async () => {
    for (const admin of ['false', 'yes', '', true]) {
      const account = rest.administrator
      const token = await issuer.token({ account, claims: { 'svc:admin': admin } })
      assert.ok([401, 403].includes(await statusOf(token, '/api/users')), String(admin))
    }
  })

  test('signed with a new key is accepted at once, and made-up keys do not wear the provider out', async () => {
    await using own = await startWithIssuer()
    const statusThere = async (token: string) => (await own.rest.call('GET', '/api/me', { token })).status
    const { id } = own.rest.administrator
    const first = await own.issuer.signIn(own.rest.database, id)
    assert.equal(await statusThere(first), 200)
    await own.issuer.rotate()
    assert.equal(await statusThere(await own.issuer.signIn(own.rest.database, id)), 200)
    assert.equal(await statusThere(first), 200)
    const fetches = own.issuer.fetches()
    const account = own.rest.administrator
    const madeUp = Array.from({ length: 30 }, (_, index) =>
      own.issuer.token({ account, header: { kid: `made-up-${index}` } }),
    )
    for (const token of await Promise.all(madeUp)) assert.equal(await statusThere(token), 401)
    assert.ok(own.issuer.fetches() - fetches < 10, `${own.issuer.fetches() - fetches} fetches`)
  })

  test('is verified while the issuer is away, and again once it is back', async () => {
    await using own = await startWithIssuer({ LOG_LEVEL: 'silent' })
    const { id } = own.rest.administrator
    const token = await own.issuer.signIn(own.rest.database, id)
    const status = async (one = token) => (await own.rest.call('GET', '/api/me', { token: one })).status
    own.issuer.interrupt((_request, response) => response.writeHead(500).end())
    const untold = await own.rest.call('GET', '/api/me', { token })
    assertEnvelope(untold, 503)
    assert.equal(untold.headers.get('retry-after'), '1')
    assertEnvelope(await own.rest.call('GET', '/api/me', { token: 'x' }), 401)
    own.issuer.interrupt()
    for (let asks = 0; asks < 60 && (await status()) !== 200; asks += 1) await sleep(100)
    assert.equal(await status(), 200)
    own.issuer.interrupt((_request, response) => response.writeHead(500).end())
    assert.equal(await status(await own.issuer.signIn(own.rest.database, id)), 200)
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
const app = { ...wiki, others: { ...wiki.others, ...scopes, SigningAlgorithm: 'ES256' } }
const request = { scope: 'openid svc.api offline_access' }

describe('A client that asks for tokens signed by ES256', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, registrationOf(app))

  const read = async (path: string) => (await openBrowser(rest.identity.address).get(path)).json
  const publishedKeys = () => read('/.well-known/openid-configuration/jwks')
  const tokensOf = async (login: string) => {
    const browser = openBrowser(rest.identity.address)
    const { json } = await tokensAt(browser, app, { login, request })
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

  test('changes nothing for the others, and is seen in the documents', async () => {
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
    for (const path of ['openid-configuration', 'oauth-authorization-server'])
      assert.deepEqual((await read(`/.well-known/${path}`)).id_token_signing_alg_values_supported, [
        ...['RS256', 'ES256'],
      ])
  })

  test('has them rejected where the head names another algorithm or another key', async () => {
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
