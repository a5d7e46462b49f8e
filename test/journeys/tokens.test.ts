import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Sql, sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { claimsOf } from '../support/browser.ts'
import { insertAccount } from '../support/insert-account.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('An access token of the identity host', { concurrency: true }, () => {
  let rest: RestUnderTest

  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
  })
  after(() => rest.stop())

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
      assertEnvelope(await rest.call('GET', '/api/me', { token: one.token }), 401)
    })
  }

  test('makes no account outside the list an administrator', async () => {
    const { token } = await rest.signUp()
    assert.equal(await statusOf(rest.administrator.token, '/api/users'), 200)
    assert.equal(await statusOf(token, '/api/users'), 403)
  })

  test('of the seeded account makes an administrator where no list is configured, whatever its login becomes', async () => {
    const own = await startRestUnderTest({ SVC_ADMIN_LOGINS: '' })
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
