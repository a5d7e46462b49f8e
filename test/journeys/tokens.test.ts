import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportSPKI, type JWTPayload } from 'jose'
import { type Sql, sql } from '../../src/store/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import type { TokenOptions } from '../support/test-issuer.ts'

describe('An access token', { concurrency: true }, () => {
  let rest: RestUnderTest
  let person: Person
  let sid: string

  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
    person = await rest.signUp()
    sid = await sessionOf(person)
  })
  after(() => rest.stop())

  const write = (statement: Sql) => rest.database.transaction((store) => store.query(statement))
  async function sessionOf({ id }: Person): Promise<string> {
    const [row] = await rest.database.query<{ sid: string }>(
      sql`select id as sid from signin_sessions where user_id = ${id} order by created_at desc limit 1`,
    )
    return row?.sid ?? ''
  }
  const tokenWith = (options: Omit<TokenOptions, 'account'> = {}) =>
    rest.issuer.token({ account: person, sid, ...options })
  const statusOf = async (token: string, path = '/api/me') => (await rest.call('GET', path, { token })).status
  const now = () => Math.floor(Date.now() / 1000)

  const accepted: readonly (readonly [string, () => Omit<TokenOptions, 'account'>])[] = [
    ['as the identity host issues it', () => ({})],
    ['of a service client, without a session', () => ({ claims: { sid: undefined } })],
    ['for several audiences, ours among them', () => ({ audience: ['svc-grpc', 'svc-api'] })],
    ['with our scope alone', () => ({ scope: 'svc.api' })],
    ['that expired within the clock skew', () => ({ claims: { exp: now() - 30 } })],
    ['that begins within the clock skew', () => ({ claims: { nbf: now() + 30 } })],
  ]
  for (const [what, options] of accepted) {
    test(`${what} is accepted`, async () => {
      assert.equal(await statusOf(await tokenWith(options())), 200)
    })
  }

  const claim = (claims: Readonly<Record<string, unknown>>) => () => ({ claims: claims as JWTPayload })
  const refused: readonly (readonly [string, () => Omit<TokenOptions, 'account'>])[] = [
    ['of another issuer', claim({ iss: 'https://elsewhere.example.com' })],
    ['without an issuer', claim({ iss: undefined })],
    ['for the command host', () => ({ audience: 'svc-grpc' })],
    ['without an audience', claim({ aud: undefined })],
    ['without our scope', () => ({ scope: 'openid svc.grpc' })],
    ['whose scope only begins like ours', () => ({ scope: 'svc.api.read' })],
    ['that expired', () => ({ claims: { exp: now() - 90 } })],
    ['that never expires', claim({ exp: undefined })],
    ['that is not valid yet', () => ({ claims: { nbf: now() + 120 } })],
    ['of the type JWT', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['of the type of an identity token', () => ({ header: { typ: 'id+jwt' } })],
    ['that names a key nobody has', () => ({ header: { kid: 'unknown' } })],
    ['without a subject', claim({ sub: undefined })],
    ['whose subject is no account', () => ({ claims: { sub: randomUUID() } })],
    ['whose subject is no UUID', claim({ sub: "x' or true --" })],
    ['with another security stamp', claim({ 'svc:security_stamp': randomUUID() })],
    ['without a security stamp', claim({ 'svc:security_stamp': undefined })],
    ['of a session that does not exist', claim({ sid: 'nothing' })],
    ['whose session is no text', claim({ sid: 17 })],
    ['that claims an administrator who is not in the list', () => ({ admin: true })],
  ]
  for (const [what, options] of refused) {
    test(`${what} is refused`, async () => {
      assertEnvelope(await rest.call('GET', '/api/me', { token: await tokenWith(options()) }), 401)
    })
  }

  test('with the session of another account is refused', async () => {
    const token = await rest.issuer.token({ account: rest.administrator, sid })
    assertEnvelope(await rest.call('GET', '/api/me', { token }), 401)
  })

  test('signed with another key, another algorithm or none is refused', async () => {
    const other = await rest.issuer.token({ account: person, sid })
    const [head = '', payload = '', signature = ''] = other.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid, publicKey } = rest.issuer.currentKey()
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

  test('is taken from the Authorization header only, with the scheme Bearer', async () => {
    const token = await tokenWith()
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
      assertEnvelope(await rest.call('GET', '/api/me', { token: one.token }), 401)
    })
  }

  test('makes an administrator only with the claim and a login in the list', async () => {
    const plain = await rest.issuer.signIn(rest.database, rest.administrator.id)
    assert.equal(await statusOf(rest.administrator.token, '/api/users'), 200)
    assert.equal(await statusOf(plain, '/api/users'), 403)
    for (const admin of ['false', 'yes', '', true]) {
      const account = rest.administrator
      const token = await rest.issuer.token({ account, claims: { 'svc:admin': admin } })
      assert.ok([401, 403].includes(await statusOf(token, '/api/users')), String(admin))
    }
  })

  test('of the demo account makes an administrator where no list is configured', async () => {
    const own = await startRestUnderTest({ SVC_ADMIN_LOGINS: '' })
    const demo = await own.signUp({ login: 'demo@example.com' })
    const token = await own.issuer.signIn(own.database, demo.id, { admin: true })
    assert.equal((await own.call('GET', '/api/users', { token })).status, 200)
    assert.equal((await own.call('GET', '/api/users', { token: own.administrator.token })).status, 401)
    await own.stop()
  })

  test('signed with a new key is accepted at once, and made-up keys do not wear the provider out', async () => {
    const own = await startRestUnderTest()
    const statusThere = async (token: string) => (await own.call('GET', '/api/me', { token })).status
    const account = await own.signUp()
    assert.equal(await statusThere(account.token), 200)
    const fetches = own.issuer.fetches()
    const madeUp = Array.from({ length: 30 }, (_, index) =>
      own.issuer.token({ account, header: { kid: `made-up-${index}` } }),
    )
    for (const token of await Promise.all(madeUp)) assert.equal(await statusThere(token), 401)
    assert.ok(own.issuer.fetches() - fetches < 10, `${own.issuer.fetches() - fetches} fetches`)
    await own.stop()
    const fresh = await startRestUnderTest()
    const one = await fresh.signUp()
    assert.equal((await fresh.call('GET', '/api/me', { token: one.token })).status, 200)
    await fresh.issuer.rotate()
    const token = await fresh.issuer.signIn(fresh.database, one.id)
    assert.equal((await fresh.call('GET', '/api/me', { token })).status, 200)
    assert.equal((await fresh.call('GET', '/api/me', { token: one.token })).status, 200)
    await fresh.stop()
  })

  test('is verified while the provider is away, and again once it is back', async () => {
    const own = await startRestUnderTest({ LOG_LEVEL: 'silent' })
    const status = async () => (await own.call('GET', '/api/me', { token: own.administrator.token })).status
    own.issuer.interrupt((_request, response) => response.writeHead(500).end())
    const away = await own.call('GET', '/api/me', { token: own.administrator.token })
    assertEnvelope(away, 401)
    own.issuer.interrupt()
    for (let asks = 0; asks < 60 && (await status()) !== 200; asks += 1) await sleep(100)
    assert.equal(await status(), 200)
    own.issuer.interrupt((_request, response) => response.writeHead(500).end())
    const account = await own.signUp()
    assert.equal((await own.call('GET', '/api/me', { token: account.token })).status, 200)
    await own.stop()
  })

  test('stops working within the session cache, whose length is configured', async () => {
    const own = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '1' })
    const one = await own.signUp()
    const status = async () => (await own.call('GET', '/api/me', { token: one.token })).status
    assert.equal(await status(), 200)
    await own.database.transaction((store) =>
      store.query(sql`update users set active = false where id = ${one.id}`),
    )
    await sleep(1100)
    assert.equal(await status(), 401)
    await own.stop()
  })
})
