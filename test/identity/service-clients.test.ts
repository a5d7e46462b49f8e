import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { sql } from '../../src/db/sql.ts'
import { type Browser, claimsOf, type Fields, openBrowser } from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { robot } from '../support/known-clients.ts'
import { assertRefused } from './support/assert-refused.ts'

describe('a service client', () => {
  let host: IdentityUnderTest
  let browser: Browser
  before(async () => {
    host = await startIdentityUnderTest({
      environment: {
        Identity__ServiceClients__narrow__Secret: robot.secret,
        Identity__ServiceClients__narrow__Login: 'root@example.com',
        Identity__ServiceClients__narrow__Scopes__0: 'svc.grpc',
        Identity__ServiceClients__nobody__Secret: robot.secret,
        Identity__ServiceClients__nobody__Login: 'nobody@example.com',
      },
    })
    browser = openBrowser(host.address)
  })
  after(() => host.stop())

  const grant = (others: Fields = {}, headers: Fields = {}) =>
    browser.post('/connect/token', { grant_type: 'client_credentials', ...others }, headers)
  const asRobot = { client_id: robot.id, client_secret: robot.secret }
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  })

  it('gets a token of its account for both hosts, without a sid and without a refresh token', async () => {
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

  it('can ask for less, never for more, and acts as an administrator when its account is one', async () => {
    assert.equal(claimsOf((await grant({ ...asRobot, scope: 'svc.grpc' })).json.access_token).aud, 'svc-grpc')
    assertRefused(await grant({ ...asRobot, scope: 'svc.api openid' }), 'invalid_scope')
    await host.addAccount({ login: 'root@example.com' })
    const narrow = { client_id: 'narrow', client_secret: robot.secret }
    const claims = claimsOf((await grant(narrow)).json.access_token)
    assert.deepEqual([claims.aud, claims['svc:admin']], ['svc-grpc', 'true'])
    assertRefused(await grant({ ...narrow, scope: 'svc.api' }), 'invalid_scope')
  })

  it('authenticates by form or by Basic, in one way only', async () => {
    assert.equal((await grant({}, basic(robot.id, robot.secret))).status, 200)
    assertRefused(await grant(asRobot, basic(robot.id, robot.secret)), 'invalid_request')
    assertRefused(await grant({ client_id: 'narrow' }, basic(robot.id, robot.secret)), 'invalid_request')
  })

  it('with a wrong secret, an unknown name or an unusable account gets invalid_client', async () => {
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
    for (const page of wrong) assertRefused(page, 'invalid_client', 401)
    assert.match(wrong[0]?.headers.get('www-authenticate') ?? '', /^Basic /)
    const setActive = (active: boolean) =>
      host.database.transaction((transaction) =>
        transaction.query(sql`update users set active = ${active} where id = ${host.robotAccount.id}`),
      )
    await setActive(false)
    assertRefused(await grant(asRobot), 'invalid_client', 401)
    await setActive(true)
  })
})

describe('a service client that is removed from the settings', () => {
  it('stops working with its tokens, and its old tokens stay rejected when it comes back', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const rest = createAuthentication({
      database: host.database,
      issuer: host.address,
      audience: 'svc-api',
      scope: 'svc.api',
      metadataAddress: `${host.address}/.well-known/openid-configuration`,
      administrators: administratorsOf({ adminLogins: [] }),
      sessionCacheSeconds: 30,
      log: { warn: () => undefined },
      now: host.clock.now,
    })
    const isAccepted = (token: string) =>
      rest.authenticate(`Bearer ${token}`).then(
        () => true,
        () => false,
      )
    const asRobot = { grant_type: 'client_credentials', client_id: robot.id, client_secret: robot.secret }
    const grantFrom = (address: string) => openBrowser(address).post('/connect/token', asRobot)
    const old = (await grantFrom(host.address)).json
    host.clock.advance(1000)
    const later = (await grantFrom(host.address)).json
    assert.equal(await isAccepted(old.access_token), true)
    const without = { [`Identity__ServiceClients__${robot.id}__Secret`]: undefined }
    const newer = await host.startAnother({
      ...without,
      [`Identity__ServiceClients__${robot.id}__Login`]: undefined,
    })
    assertRefused(await grantFrom(newer.address), 'invalid_client', 401)
    // A host checks a cached token again after half a minute, an unknown one at once.
    assert.equal(await isAccepted(later.access_token), false)
    host.clock.advance(30_000)
    assert.equal(await isAccepted(old.access_token), false)
    const { json } = await openBrowser(newer.address).post('/connect/introspect', {
      ...{ client_id: robot.id, client_secret: robot.secret },
      token: old.access_token,
    })
    assert.notEqual(json.active, true)
    // An instance with the old settings that still runs issues tokens that no host accepts.
    assert.equal(await isAccepted((await grantFrom(host.address)).json.access_token), false)
    host.clock.advance(1000)
    const again = await host.startAnother()
    assert.equal(await isAccepted(old.access_token), false)
    assert.equal(await isAccepted((await grantFrom(again.address)).json.access_token), true)
  })

  it('is the same for instances that start at the same time', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    await Promise.all([1, 2, 3, 4].map(() => host.startAnother()))
    const [known] = await host.database.query<{ valid: boolean }>(
      sql`select valid_since is not null as valid from service_clients where id = ${robot.id}`,
    )
    assert.deepEqual(known, { valid: true })
  })
})
