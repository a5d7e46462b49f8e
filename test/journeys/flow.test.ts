import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { openBrowser, queryOf } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { robot } from '../support/known-clients.ts'
import { send } from '../support/rest-host.ts'
import { testFlowInBrowser } from './flow-in-browser.ts'

const insecure = { execute: [openid.allowInsecureRequests] }

describe('The flow of the contract, on two instances of both hosts behind one address each,', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await startDeployment()
  })
  after(() => deployment?.stop())

  const readMe = (token: string) => send(deployment.rest.address, 'GET', '/api/me', { token })
  const discoverAs = (clientId: string, authentication: openid.ClientAuth) =>
    openid.discovery(new URL(deployment.identity.address), clientId, undefined, authentication, insecure)

  test('works with openid-client and oauth4webapi: sign-in, code, redeem, refresh, replay, sign-out', async () => {
    const { person, origin } = deployment
    const config = await discoverAs('svc-webclient', openid.None())
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
    const start = openid.buildAuthorizationUrl(config, {
      redirect_uri: `${origin}/signin-callback/`,
      scope: 'openid profile svc.api offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    })
    const browser = openBrowser(deployment.identity.address)
    const { authRequest = '' } = queryOf(await browser.follow(await browser.get(start.href)))
    const form = { login: person.login, password, authRequest }
    const callback = await browser.follow(await browser.post('/api/account/login', form, { origin }))
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 60 }
    const first = await openid.authorizationCodeGrant(config, new URL(callback.location), checks)
    assert.equal(first.claims()?.sub, person.id)
    assert.equal((await readMe(first.access_token)).body.id, person.id)
    const claims = await validated(first.access_token)
    assert.deepEqual([claims.sub, claims['svc:login']], [person.id, person.login])
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '')
    const third = await openid.refreshTokenGrant(config, second.refresh_token ?? '')
    assert.deepEqual(await openid.fetchUserInfo(config, third.access_token, person.id), {
      sub: person.id,
      name: person.name,
    })
    await openid.tokenRevocation(config, third.refresh_token ?? '')
    const end = openid.buildEndSessionUrl(config, {
      id_token_hint: third.id_token ?? '',
      post_logout_redirect_uri: `${origin}/login/`,
    })
    assert.equal((await browser.follow(await browser.get(end.href))).location, `${origin}/login/`)
    assert.equal((await readMe(third.access_token)).status, 401)
    await assert.rejects(openid.refreshTokenGrant(config, third.refresh_token ?? ''), {
      error: 'invalid_grant',
    })
    for (const { counts } of [deployment.identity, deployment.rest])
      assert.ok(counts().every((count) => count >= 1))
  })

  test('works for a service client, whose token both instances of REST accept', async () => {
    const config = await discoverAs(robot.id, openid.ClientSecretBasic(robot.secret))
    for (let count = 0; count < 4; count += 1) {
      const { access_token: token } = await openid.clientCredentialsGrant(config)
      assert.equal((await readMe(token)).body.login, robot.login)
      assert.equal((await openid.tokenIntrospection(config, token)).active, true)
    }
  })

  /** As another resource server would validate it (RFC 9068). */
  async function validated(token: string) {
    const options = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(deployment.identity.address)
    const answer = await oauth.discoveryRequest(issuer, options)
    const server = await oauth.processDiscoveryResponse(issuer, answer)
    const headers = { authorization: `Bearer ${token}` }
    const request = new Request('http://api.example.test', { headers })
    return oauth.validateJwtAccessToken(server, request, 'svc-api', options)
  }

  testFlowInBrowser(() => deployment)
})
