import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import {
  claimsOf,
  createPkce,
  type Fields,
  fromOtherSite,
  headerOf,
  openBrowser,
  queryOf,
  redeem,
  requestOf,
  signedIn,
  signIn,
  signOut,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, redirectUri, robot } from '../support/known-clients.ts'
import { assertRejected, assertReportedToClient } from './support/assertions.ts'

// Follows the modules of the OpenID Foundation's suite that apply to a public client with mandatory PKCE.
// Other files test PKCE, prompts, max_age, id_token_hint, code reuse, userinfo by POST and refresh.
const pkce = createPkce()

describe('the Basic OP plan', () => {
  const host = fixture(startIdentityUnderTest)

  const signInWith = async (request: Fields) => {
    const browser = openBrowser(host.address)
    return redeem(browser, pkce, await signIn(browser, pkce, { request }))
  }

  it('signs identity tokens with a published key of their kid', async () => {
    const { tokens } = await signedIn(host.address)
    const { json } = await openBrowser(host.address).get('/.well-known/openid-configuration/jwks')
    assert.ok(json.keys.some(({ kid }: { kid: string }) => kid === headerOf(tokens.id_token).kid))
    const { payload } = await jwtVerify(tokens.id_token, createLocalJWKSet(json), {
      issuer: host.address,
      audience: 'svc-webclient',
    })
    assert.equal(payload.sub, host.person.id)
  })

  it('works without a nonce, and the token then has none', async () => {
    const { json } = await signInWith({ nonce: '' })
    assert.ok(!('nonce' in claimsOf(json.id_token)))
  })

  it('ignores unknown parameters', async () => {
    for (const request of [
      { unknown: 'x' },
      { display: 'page' },
      { display: 'popup' },
      { login_hint: 'ada@example.com' },
      { ui_locales: 'se' },
      { claims_locales: 'se' },
      { acr_values: '1 2' },
      { claims: '{"userinfo":{"name":{"essential":true}}}' },
    ])
      assert.equal((await signInWith(request)).status, 200, JSON.stringify(request))
  })

  it('gives two sessions of one user the same subject', async () => {
    const [first, second] = [await signInWith({}), await signInWith({})]
    assert.equal(claimsOf(first.json.id_token).sub, claimsOf(second.json.id_token).sub)
    assert.notEqual(claimsOf(first.json.access_token).jti, claimsOf(second.json.access_token).jti)
  })

  it('keeps the time of the sign-in at a further request with prompt=none', async () => {
    const { browser, tokens } = await signedIn(host.address)
    host.clock.advance(5000)
    const again = await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'none' }))
    const { json } = await redeem(browser, pkce, again)
    const [before, after] = [claimsOf(tokens.id_token), claimsOf(json.id_token)]
    assert.deepEqual([after.auth_time, after.sid, after.sub], [before.auth_time, before.sid, before.sub])
  })

  it('authenticates a client with a secret by client_secret_post', async () => {
    const form = { grant_type: 'client_credentials', client_id: robot.id, client_secret: robot.secret }
    assert.equal((await openBrowser(host.address).post('/connect/token', form)).status, 200)
  })

  it('rejects a request without response_type', async () => {
    const { response_type: _left, ...request } = requestOf(pkce)
    assertReportedToClient(
      await openBrowser(host.address).get('/connect/authorize', request),
      host.address,
      'invalid_request',
    )
  })
})

describe('the Config OP plan', () => {
  it('finds every required member', async () => {
    await using host = await startIdentityUnderTest({
      environment: { Jwt__Issuer: 'https://id.example/base' },
    })
    const { json } = await openBrowser(host.address).get('/.well-known/openid-configuration')
    for (const name of [
      'response_types_supported',
      'subject_types_supported',
      'id_token_signing_alg_values_supported',
    ])
      assert.ok(json[name].length > 0)
    assert.ok(json.scopes_supported.includes('openid'))
    assert.ok(json.response_types_supported.includes('code'))
    for (const [name, value] of Object.entries(json))
      if (name.endsWith('_endpoint') || name === 'jwks_uri')
        assert.ok(String(value).startsWith('https://id.example/base/'), name)
    // Behind a proxy that serves the host under a path, redirects are under that path, too.
    const { location } = await openBrowser(host.address).get('/connect/authorize', requestOf(pkce))
    assert.match(location, /^\/base\/api\/account\/login-page\?/)
  })
})

describe('the RP-initiated logout plan', () => {
  const host = fixture(startIdentityUnderTest)

  const returnTo = `${origin}/login/`
  /** Signs a user in, then requests the sign-out. Returns the final page, and whether the session has ended. */
  const signOutWith = async (query: (idToken: string) => Fields, headers: Fields = {}) => {
    const { browser, tokens } = await signedIn(host.address)
    const finalPage = await signOut(browser, query(tokens.id_token), headers)
    const next = await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'none' }))
    return { finalPage, isSignedOut: queryOf(next).error === 'login_required' }
  }

  it('signs out and returns to a registered URL', async () => {
    const cases: { query: (hint: string) => Fields; expected: string }[] = [
      {
        query: (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: returnTo, state: 'x' }),
        expected: `${returnTo}?state=x`,
      },
      {
        query: (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: returnTo }),
        expected: returnTo,
      },
      {
        query: () => ({ client_id: 'svc-webclient', post_logout_redirect_uri: returnTo }),
        expected: returnTo,
      },
      {
        query: () => ({ post_logout_redirect_uri: returnTo, state: 'x' }),
        expected: `${returnTo}?state=x`,
      },
      { query: (hint) => ({ id_token_hint: hint }), expected: returnTo },
      { query: () => ({ state: 'x' }), expected: returnTo },
      { query: () => ({}), expected: returnTo },
    ]
    for (const { query, expected } of cases) {
      const { finalPage, isSignedOut } = await signOutWith(query)
      assert.deepEqual([finalPage.location, isSignedOut], [expected, true])
    }
  })

  it('accepts a hint whose token has expired', async () => {
    const { browser, tokens } = await signedIn(host.address)
    host.clock.advance(60 * 60_000)
    const finalPage = await browser.follow(
      await browser.get('/connect/endsession', { id_token_hint: tokens.id_token }),
    )
    assert.equal(finalPage.location, returnTo)
  })

  // The suite sends the browser from another site.
  it('asks the user instead of redirecting if the hint is invalid, or of another session or client', async () => {
    const { tokens: foreign } = await signedIn(host.address)
    const [header, , signature] = foreign.id_token.split('.')
    const changed = Buffer.from(JSON.stringify({ ...claimsOf(foreign.id_token), sub: 'x' })).toString(
      'base64url',
    )
    const wrong: ((hint: string) => Fields)[] = [
      () => ({ id_token_hint: `${header}.${changed}.${signature}` }),
      () => ({ id_token_hint: 'cheese' }),
      () => ({ id_token_hint: foreign.access_token }),
      () => ({ id_token_hint: foreign.id_token }),
      (hint) => ({ id_token_hint: hint, client_id: robot.id }),
      () => ({ client_id: 'nobody' }),
    ]
    for (const query of wrong) {
      const withReturn = (hint: string) => ({ ...query(hint), post_logout_redirect_uri: returnTo })
      const { finalPage, isSignedOut } = await signOutWith(withReturn, fromOtherSite)
      assert.match(finalPage.location, /\?logoutId=/)
      assert.equal(isSignedOut, false)
    }
  })

  it('signs out, but does not redirect to a URL that is not registered for the client', async () => {
    const wrong: ((hint: string) => Fields)[] = [
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${returnTo}?foo=bar` }),
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: 'https://evil.example/' }),
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${origin}/signin-callback/` }),
      (hint) => ({ id_token_hint: hint, client_id: robot.id, post_logout_redirect_uri: returnTo }),
      () => ({ client_id: robot.id, post_logout_redirect_uri: returnTo }),
      () => ({ client_id: 'nobody', post_logout_redirect_uri: returnTo }),
    ]
    for (const query of wrong) {
      const { finalPage, isSignedOut } = await signOutWith(query)
      assert.deepEqual([finalPage.status, finalPage.location, isSignedOut], [200, '', true])
    }
    const tooLong = await signOutWith(() => ({ post_logout_redirect_uri: returnTo, state: 's'.repeat(6001) }))
    assertRejected(tooLong.finalPage, 'invalid_request')
    assert.equal(tooLong.isSignedOut, false)
  })
})

const insecure = { execute: [openid.allowInsecureRequests] }

describe('the library openid-client', () => {
  const host = fixture(startIdentityUnderTest)

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
  it('accepts our access tokens according to RFC 9068, for their own audience only', async () => {
    await using host = await startIdentityUnderTest()
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
