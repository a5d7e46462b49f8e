import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { openBrowser, queryOf } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, redirectUri, robot } from '../support/known-clients.ts'

const insecure = { execute: [openid.allowInsecureRequests] }

describe('the library openid-client', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  const discoverAs = (clientId: string, secret?: string) =>
    openid.discovery(
      new URL(host.address),
      clientId,
      undefined,
      secret === undefined ? openid.None() : openid.ClientSecretBasic(secret),
      insecure,
    )

  it('walks the whole flow: code, refresh, userinfo, revoke, introspect, end session', async () => {
    const config = await discoverAs('svc-webclient')
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
    const browser = openBrowser(host.address)
    const start = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile svc.api offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    })
    const page = await browser.follow(await browser.get(start.href))
    const { authRequest = '' } = queryOf(page)
    const form = { login: host.person.login, password, authRequest }
    const callback = await browser.follow(await browser.post('/api/account/login', form, { origin }))

    const tokens = await openid.authorizationCodeGrant(config, new URL(callback.location), {
      pkceCodeVerifier,
      expectedState,
      expectedNonce,
      maxAge: 60,
      idTokenExpected: true,
    })
    assert.equal(tokens.claims()?.sub, host.person.id)
    const user = await openid.fetchUserInfo(config, tokens.access_token, host.person.id)
    assert.deepEqual(user, { sub: host.person.id, name: host.person.name })

    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    assert.equal(refreshed.claims()?.sub, host.person.id)
    const service = await discoverAs(robot.id, robot.secret)
    const introspect = async (token = '') => (await openid.tokenIntrospection(service, token)).active
    assert.equal(await introspect(refreshed.access_token), true)
    assert.equal(await introspect(refreshed.refresh_token), true)
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '')
    assert.equal(await introspect(refreshed.refresh_token), false)
    await assert.rejects(
      openid.refreshTokenGrant(config, refreshed.refresh_token ?? ''),
      (error) => error instanceof openid.ResponseBodyError && error.error === 'invalid_grant',
    )

    const end = openid.buildEndSessionUrl(config, {
      id_token_hint: refreshed.id_token ?? '',
      post_logout_redirect_uri: `${origin}/login/`,
    })
    assert.equal((await browser.follow(await browser.get(end.href))).location, `${origin}/login/`)
    assert.equal(await introspect(refreshed.access_token), false)
  })

  it('gets a service token, and reads an error', async () => {
    const config = await discoverAs(robot.id, robot.secret)
    const { access_token: token, scope } = await openid.clientCredentialsGrant(config)
    assert.ok(token)
    assert.equal(scope, 'svc.api svc.grpc')
    const wrong = await discoverAs(robot.id, 'x'.repeat(32))
    await assert.rejects(
      openid.clientCredentialsGrant(wrong),
      (error) => error instanceof openid.WWWAuthenticateChallengeError && error.status === 401,
    )
  })

  it('reads an error that the provider sends to the callback', async () => {
    const config = await discoverAs('svc-webclient')
    const start = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
      prompt: 'none',
    })
    const { location } = await openBrowser(host.address).get(start.href)
    await assert.rejects(
      openid.authorizationCodeGrant(config, new URL(location), { pkceCodeVerifier: 'x' }),
      (error) => error instanceof openid.AuthorizationResponseError && error.error === 'login_required',
    )
  })
})

describe('the library oauth4webapi', () => {
  it('accepts our access tokens as RFC 9068 wants them, for their own audience only', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const options = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(host.address)
    const provider = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, options),
    )
    const client = { client_id: robot.id }
    const response = await oauth.clientCredentialsGrantRequest(
      provider,
      client,
      oauth.ClientSecretPost(robot.secret),
      new URLSearchParams({ scope: 'svc.api' }),
      options,
    )
    const { access_token: token } = await oauth.processClientCredentialsResponse(provider, client, response)
    const request = () =>
      new Request('http://rest.example/api/me', { headers: { authorization: `Bearer ${token}` } })
    const claims = await oauth.validateJwtAccessToken(provider, request(), 'svc-api', options)
    assert.equal(claims.sub, host.robotAccount.id)
    await assert.rejects(oauth.validateJwtAccessToken(provider, request(), 'svc-grpc', options))
  })
})
