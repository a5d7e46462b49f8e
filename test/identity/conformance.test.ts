import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
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
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, robot } from '../support/known-clients.ts'
import { assertRefused } from './support/assert-refused.ts'
import { assertTold } from './support/assert-told.ts'

// Shaped after the modules of the OpenID Foundation's suite, as far as they apply to a public client with mandatory PKCE.
// What other files hold is not repeated: PKCE, prompts, max_age, id_token_hint, code reuse, userinfo by POST, refresh.
const pkce = createPkce()

describe('the Basic OP plan', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

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

  it('works without a nonce, and then has none in the token', async () => {
    const { json } = await signInWith({ nonce: '' })
    assert.ok(!('nonce' in claimsOf(json.id_token)))
  })

  it('ignores what it does not know, and the hints it does not use', async () => {
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

  it('gives two sessions of one user the same subject, and different codes and tokens', async () => {
    const [first, second] = [await signInWith({}), await signInWith({})]
    assert.equal(claimsOf(first.json.id_token).sub, claimsOf(second.json.id_token).sub)
    assert.notEqual(claimsOf(first.json.access_token).jti, claimsOf(second.json.access_token).jti)
  })

  it('keeps the time of the sign-in when it is asked again with prompt=none', async () => {
    const { browser, tokens } = await signedIn(host.address)
    host.clock.advance(5000)
    const again = await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'none' }))
    const { json } = await redeem(browser, pkce, again)
    const [before, after] = [claimsOf(tokens.id_token), claimsOf(json.id_token)]
    assert.deepEqual([after.auth_time, after.sid, after.sub], [before.auth_time, before.sid, before.sub])
  })

  it('accepts the client by client_secret_post where it has a secret', async () => {
    const form = { grant_type: 'client_credentials', client_id: robot.id, client_secret: robot.secret }
    assert.equal((await openBrowser(host.address).post('/connect/token', form)).status, 200)
  })

  it('rejects a request without response_type', async () => {
    const { response_type: _left, ...request } = requestOf(pkce)
    assertTold(
      await openBrowser(host.address).get('/connect/authorize', request),
      host.address,
      'invalid_request',
    )
  })
})

describe('the Config OP plan', () => {
  it('finds every required member, and addresses under the issuer', async (t) => {
    const host = await startIdentityUnderTest({ environment: { Jwt__Issuer: 'https://id.example/base' } })
    t.after(() => host.stop())
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
    // A proxy that serves the host under a path gets its redirects under that path.
    const { location } = await openBrowser(host.address).get('/connect/authorize', requestOf(pkce))
    assert.match(location, /^\/base\/api\/account\/login-page\?/)
  })
})

describe('the RP-initiated logout plan', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  const returnTo = `${origin}/login/`
  /** Where a signed-in browser ends up, and whether it is signed out. */
  const leave = async (query: (idToken: string) => Fields, headers: Fields = {}) => {
    const { browser, tokens } = await signedIn(host.address)
    const left = await signOut(browser, query(tokens.id_token), headers)
    const next = await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'none' }))
    return { left, isSignedOut: queryOf(next).error === 'login_required' }
  }

  it('signs out and returns where it may', async () => {
    const ways: (readonly [(hint: string) => Fields, string])[] = [
      [
        (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: returnTo, state: 'x' }),
        `${returnTo}?state=x`,
      ],
      [(hint) => ({ id_token_hint: hint, post_logout_redirect_uri: returnTo }), returnTo],
      [() => ({ client_id: 'svc-webclient', post_logout_redirect_uri: returnTo }), returnTo],
      [() => ({ post_logout_redirect_uri: returnTo, state: 'x' }), `${returnTo}?state=x`],
      [(hint) => ({ id_token_hint: hint }), returnTo],
      [() => ({ state: 'x' }), returnTo],
      [() => ({}), returnTo],
    ]
    for (const [query, expected] of ways) {
      const { left, isSignedOut } = await leave(query)
      assert.deepEqual([left.location, isSignedOut], [expected, true])
    }
  })

  it('takes a hint whose token has expired', async () => {
    const { browser, tokens } = await signedIn(host.address)
    host.clock.advance(60 * 60_000)
    const left = await browser.follow(
      await browser.get('/connect/endsession', { id_token_hint: tokens.id_token }),
    )
    assert.equal(left.location, returnTo)
  })

  // The suite sends the browser from a site of its own.
  it('asks instead of redirecting for a modified hint, which proves nothing', async () => {
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
      const asked = (hint: string) => ({ ...query(hint), post_logout_redirect_uri: returnTo })
      const { left, isSignedOut } = await leave(asked, fromOtherSite)
      assert.match(left.location, /\?logoutId=/)
      assert.equal(isSignedOut, false)
    }
  })

  it('signs out, but goes to no address that is not registered for the client', async () => {
    const wrong: ((hint: string) => Fields)[] = [
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${returnTo}?foo=bar` }),
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: 'https://evil.example/' }),
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${origin}/signin-callback/` }),
      (hint) => ({ id_token_hint: hint, client_id: robot.id, post_logout_redirect_uri: returnTo }),
      () => ({ client_id: robot.id, post_logout_redirect_uri: returnTo }),
      () => ({ client_id: 'nobody', post_logout_redirect_uri: returnTo }),
    ]
    for (const query of wrong) {
      const { left, isSignedOut } = await leave(query)
      assert.deepEqual([left.status, left.location, isSignedOut], [200, '', true])
    }
    const tooLong = await leave(() => ({ post_logout_redirect_uri: returnTo, state: 's'.repeat(6001) }))
    assertRefused(tooLong.left, 'invalid_request')
    assert.equal(tooLong.isSignedOut, false)
  })
})
