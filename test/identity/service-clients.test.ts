import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../src/store/sql.ts'
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
