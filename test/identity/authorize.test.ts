import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { signingKeyOf, signToken } from '../../src/hosts/identity/keys/signing-keys.ts'
import {
  claimsOf,
  createPkce,
  type Fields,
  headerOf,
  openBrowser,
  type Page,
  queryOf,
  redeem,
  refresh,
  requestOf,
  signedIn,
  signIn,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { fixture } from '../support/fixture.ts'
import { signingPem, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin, redirectUri } from '../support/known-clients.ts'
import { assertRejected, assertReportedToClient as assertReportedBy } from './support/assertions.ts'

const pkce = createPkce()

describe('an authorization request', () => {
  const host = fixture(startIdentityUnderTest)

  const authorize = (overrides: Fields = {}) =>
    openBrowser(host.address).get('/connect/authorize', requestOf(pkce, overrides))
  const without = (name: string) => {
    const { [name]: _left, ...kept } = requestOf(pkce)
    return openBrowser(host.address).get('/connect/authorize', kept)
  }
  const assertReportedToClient = (page: Page, error: string) => assertReportedBy(page, host.address, error)

  it('without a session leads to the sign-in page of the requesting origin', async () => {
    const browser = openBrowser(host.address)
    const byGet = await browser.get('/connect/authorize', requestOf(pkce))
    assert.equal(byGet.status, 302)
    assert.match(byGet.location, /^\/api\/account\/login-page\?authRequest=/)
    const byPost = await browser.post('/connect/authorize', requestOf(pkce))
    assert.equal(byPost.status, 303)
    for (const page of [await browser.follow(byGet), await browser.follow(byPost)]) {
      assert.ok(page.location.startsWith(`${origin}/login/?authRequest=`), page.location)
      assert.equal(page.headers.get('cache-control'), 'no-store')
    }
  })

  it('with a session leads straight to the callback with a code, the state and the issuer', async () => {
    const { browser } = await signedIn(host.address)
    for (const page of [
      await browser.get('/connect/authorize', requestOf(pkce, { state: 'a b&c=ä' })),
      await browser.post('/connect/authorize', requestOf(pkce, { state: 'a b&c=ä' })),
    ]) {
      assert.ok(page.location.startsWith(`${redirectUri}?`))
      const { code, state, iss } = queryOf(page)
      assert.match(code ?? '', /^[\w-]{43}$/)
      assert.deepEqual({ state, iss }, { state: 'a b&c=ä', iss: host.address })
    }
  })

  it('gets no state back if it sent none, or an empty one', async () => {
    const { browser } = await signedIn(host.address)
    const { state: _left, ...withoutState } = requestOf(pkce)
    for (const query of [withoutState, { ...withoutState, state: '' }]) {
      const page = await browser.get('/connect/authorize', query)
      assert.ok('code' in queryOf(page))
      assert.ok(!('state' in queryOf(page)))
    }
  })

  it('of an unknown client or for an unregistered address never redirects there', async () => {
    const pages = [
      await authorize({ client_id: 'nobody' }),
      await authorize({ client_id: 'robot' }),
      await without('client_id'),
      await without('redirect_uri'),
      await authorize({ redirect_uri: 'https://evil.example/signin-callback/' }),
      await authorize({ redirect_uri: `${origin}/signin-callback` }),
      await authorize({ redirect_uri: `${origin}/signin-callback/?x=1` }),
      await authorize({ redirect_uri: `${origin}.evil.example/signin-callback/` }),
      await openBrowser(host.address).get(
        `/connect/authorize?${new URLSearchParams(requestOf(pkce))}&redirect_uri=https%3A%2F%2Fevil.example`,
      ),
    ]
    for (const page of pages) {
      assert.ok(page.location.startsWith(`${origin}/login/?errorId=`), page.location)
      const { errorId = '' } = queryOf(page)
      const reported = await openBrowser(host.address).get('/api/account/error', { errorId })
      assert.equal(reported.status, 200)
      assert.deepEqual(Object.keys(reported.json), ['error', 'errorDescription'])
    }
    const { errorId = '' } = queryOf(await authorize({ client_id: 'nobody' }))
    assert.deepEqual((await openBrowser(host.address).get('/api/account/error', { errorId })).json, {
      error: 'invalid_client',
      errorDescription: 'The client is unknown.',
    })
  })

  it('with a parameter sent twice is rejected', async () => {
    const query = new URLSearchParams(requestOf(pkce))
    assertReportedToClient(
      await openBrowser(host.address).get(`/connect/authorize?${query}&scope=openid`),
      'invalid_request',
    )
  })

  it('needs PKCE with S256', async () => {
    assertReportedToClient(await without('code_challenge'), 'invalid_request')
    assert.equal(
      queryOf(await without('code_challenge')).error_description,
      'code_challenge is required: enable PKCE (S256) in the client.',
    )
    assertReportedToClient(await without('code_challenge_method'), 'invalid_request')
    assertReportedToClient(await authorize({ code_challenge_method: 'plain' }), 'invalid_request')
    assertReportedToClient(await authorize({ code_challenge: 'short' }), 'invalid_request')
  })

  it('requires a scope that the client may have', async () => {
    assertReportedToClient(await without('scope'), 'invalid_scope')
    assertReportedToClient(await authorize({ scope: 'openid svc.grpc' }), 'invalid_scope')
    assertReportedToClient(await authorize({ scope: 'openid everything' }), 'invalid_scope')
  })

  it('for a response type other than code is rejected', async () => {
    assertReportedToClient(await without('response_type'), 'invalid_request')
    assertReportedToClient(await authorize({ response_type: 'cheese' }), 'unsupported_response_type')
    for (const [type, error] of [
      ['id_token', 'unauthorized_client'],
      ['token', 'unauthorized_client'],
      ['token id_token', 'unauthorized_client'],
      ['code id_token', 'unsupported_response_type'],
    ] as const) {
      const { location } = await authorize({ response_type: type })
      assert.ok(location.startsWith(`${redirectUri}#`), location)
      const answer = new URLSearchParams(new URL(location).hash.slice(1))
      assert.deepEqual([answer.get('error'), answer.get('state')], [error, 'state-1'])
    }
  })

  it('with a request object, a registration or another response mode is rejected', async () => {
    assertReportedToClient(await authorize({ request: 'x' }), 'request_not_supported')
    assertReportedToClient(await authorize({ request_uri: 'https://x.example' }), 'request_uri_not_supported')
    assertReportedToClient(await authorize({ registration: '{}' }), 'registration_not_supported')
    assertReportedToClient(await authorize({ response_mode: 'fragment' }), 'invalid_request')
    assertReportedToClient(await authorize({ response_mode: 'form_post' }), 'invalid_request')
  })

  it('that would not fit into a URL is rejected', async () => {
    const { location } = await openBrowser(host.address).post(
      '/connect/authorize',
      requestOf(pkce, { nonce: 'n'.repeat(9000) }),
    )
    assert.equal(new URL(location).searchParams.get('error'), 'invalid_request')
  })

  it('with a state that does not fit into a URL is reported to the user', async () => {
    const tooLong = { state: 's'.repeat(6001) }
    for (const overrides of [tooLong, { ...tooLong, scope: 'nonsense' }, { state: '😀'.repeat(600) }]) {
      const browser = openBrowser(host.address)
      const { location } = await browser.post('/connect/authorize', requestOf(pkce, overrides))
      const errorId = new URL(location).searchParams.get('errorId') ?? ''
      const { json } = await browser.get('/api/account/error', { errorId })
      assert.deepEqual(json, { error: 'invalid_request', errorDescription: 'state is too long.' })
    }
    const { location } = await openBrowser(host.address).post(
      '/connect/authorize',
      requestOf(pkce, { state: 's'.repeat(4000) }),
    )
    assert.match(location, /login-page/)
  })

  it('is rejected if its sealed form was modified, has expired or was forged', async () => {
    const browser = openBrowser(host.address)
    const { authRequest = '' } = queryOf(await browser.follow(await authorize()))
    // A character in the middle is changed, because some bits of the last character may not belong to the
    // value.
    const changed = `${authRequest.slice(0, 30)}${authRequest[30] === 'A' ? 'B' : 'A'}${authRequest.slice(31)}`
    for (const invalid of [changed, 'x', `${authRequest.slice(0, 22)}.AAAA`]) {
      const { location } = await browser.get('/connect/authorize', { authRequest: invalid })
      assert.equal(location, `${origin}/login/?error=request`)
    }
    host.clock.advance(24 * 60 * 60_000)
    const { location } = await browser.get('/connect/authorize', { authRequest })
    assert.equal(location, `${origin}/login/?error=request`)
  })

  it('cannot be created from a value that was sealed for another purpose', async () => {
    const { errorId = '' } = queryOf(await authorize({ client_id: 'nobody' }))
    const { location } = await openBrowser(host.address).get('/connect/authorize', { authRequest: errorId })
    assert.equal(location, `${origin}/login/?error=request`)
  })

  it('of another allowed origin leads to the sign-in page of that origin', async () => {
    const browser = openBrowser(host.address)
    const page = await browser.follow(await authorize({ redirect_uri: `${otherOrigin}/signin-callback/` }))
    assert.ok(page.location.startsWith(`${otherOrigin}/login/?authRequest=`))
  })

  it('removes a cookie whose session has ended', async () => {
    const { browser } = await signedIn(host.address)
    host.clock.advance(8 * 60 * 60_000)
    assert.equal(browser.cookies.size, 1)
    const { location } = await browser.get('/connect/authorize', requestOf(pkce))
    assert.match(location, /login-page/)
    assert.equal(browser.cookies.size, 0)
  })

  it('posted by another site, and therefore without a cookie, does not sign the user out', async () => {
    const posted = await openBrowser(host.address).post('/connect/authorize', requestOf(pkce))
    assert.deepEqual(posted.headers.getSetCookie(), [])
  })

  it('without openid gets no identity token, and without offline_access no refresh token', async () => {
    const browser = openBrowser(host.address)
    const callback = await signIn(browser, pkce, { request: { scope: 'svc.api' } })
    const { json } = await redeem(browser, pkce, callback)
    assert.deepEqual(Object.keys(json), ['access_token', 'token_type', 'expires_in', 'scope'])
    assert.equal(json.scope, 'svc.api')
  })
})

describe('an authorization request with prompt, max_age or a hint', () => {
  const host = fixture(startIdentityUnderTest)

  const authorize = (overrides: Fields = {}) =>
    openBrowser(host.address).get('/connect/authorize', requestOf(pkce, overrides))
  const assertReportedToClient = (page: Page, error: string) => assertReportedBy(page, host.address, error)

  it('with prompt=none shows no page', async () => {
    assertReportedToClient(await authorize({ prompt: 'none' }), 'login_required')
    const { browser } = await signedIn(host.address)
    assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'none' }))))
    assertReportedToClient(await authorize({ prompt: 'none login' }), 'invalid_request')
    assertReportedToClient(await authorize({ prompt: 'sometimes' }), 'invalid_request')
  })

  it('with prompt=login or select_account requires the password again', async () => {
    const { browser } = await signedIn(host.address)
    for (const prompt of ['login', 'select_account']) {
      const again = await browser.get('/connect/authorize', requestOf(pkce, { prompt }))
      assert.match(again.location, /^\/api\/account\/login-page/)
      host.clock.advance(1000)
      assert.ok('code' in queryOf(await signIn(browser, pkce, { request: { prompt } })))
    }
    assert.ok(
      'code' in queryOf(await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'consent' }))),
    )
  })

  it('with prompt=login is not completed by a session that is older than the request', async () => {
    const { browser } = await signedIn(host.address)
    // The request has to be later than the session.
    host.clock.advance(1)
    const { location } = await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'login' }))
    const { authRequest = '' } = Object.fromEntries(new URL(location, host.address).searchParams)
    const resumed = await browser.get('/connect/authorize', { authRequest })
    assert.match(resumed.location, /^\/api\/account\/login-page/)
  })

  it('with max_age accepts a session that is recent enough', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const authTime = claimsOf(tokens.id_token).auth_time
    assert.ok(Math.abs(authTime * 1000 - host.clock.now()) < 60_000)
    host.clock.advance(60_000)
    const authorizeWithin = (maxAge: string) =>
      browser.get('/connect/authorize', requestOf(pkce, { max_age: maxAge }))
    assert.ok('code' in queryOf(await authorizeWithin('120')))
    assert.match((await authorizeWithin('30')).location, /login-page/)
    assert.match((await authorizeWithin('0')).location, /login-page/)
    assertReportedToClient(await authorizeWithin('-1'), 'invalid_request')
    assertReportedToClient(await authorizeWithin('soon'), 'invalid_request')
    assertReportedToClient(
      await browser.get('/connect/authorize', requestOf(pkce, { max_age: '1', prompt: 'none' })),
      'login_required',
    )
    assert.ok('code' in queryOf(await signIn(browser, pkce, { request: { max_age: '0' } })))
  })

  it('with an id_token_hint accepts only that account', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const other = await host.addAccount()
    const hint = { id_token_hint: tokens.id_token }
    host.clock.advance(60 * 60_000)
    assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(pkce, hint))))
    const { browser: othersBrowser } = await signedIn(host.address, { login: other.login })
    assertReportedToClient(
      await othersBrowser.get('/connect/authorize', requestOf(pkce, { ...hint, prompt: 'none' })),
      'login_required',
    )
    assert.match(
      (await othersBrowser.get('/connect/authorize', requestOf(pkce, hint))).location,
      /login-page/,
    )
    assertReportedToClient(
      await signIn(othersBrowser, pkce, { login: other.login, request: hint }),
      'login_required',
    )
    assertReportedToClient(await authorize({ id_token_hint: tokens.access_token }), 'invalid_request')
    assertReportedToClient(await authorize({ id_token_hint: 'nonsense' }), 'invalid_request')
  })

  it('with an identity token of another client as its hint is rejected', async () => {
    const { tokens } = await signedIn(host.address)
    // Only one client gets identity tokens, so the token of another client is signed here with the key of the
    // host.
    const key = signingKeyOf(headerOf(tokens.id_token).kid, createPrivateKey(signingPem))
    const hintFor = (aud: string) => signToken(key, 'JWT', { ...claimsOf(tokens.id_token), aud })
    assertReportedToClient(
      await authorize({ id_token_hint: await hintFor('somebody-else') }),
      'invalid_request',
    )
    assert.match((await authorize({ id_token_hint: await hintFor('svc-webclient') })).location, /login-page/)
  })
})

describe('signing in to a request of a browser that has a session', () => {
  const host = fixture(startIdentityUnderTest)

  const withLoginPrompt = { request: { prompt: 'login' } }

  it('to another account ends the earlier session', async () => {
    const other = await host.addAccount()
    for (const isCookieSent of [true, false]) {
      const { browser, tokens } = await signedIn(host.address)
      const pkce = createPkce()
      const shown = await browser.follow(
        await browser.get('/connect/authorize', requestOf(pkce, withLoginPrompt.request)),
      )
      const posting = isCookieSent ? browser : openBrowser(host.address)
      const form = {
        login: other.login,
        password,
        authRequest: queryOf(shown).authRequest ?? '',
      }
      const next = await posting.follow(await posting.post('/api/account/login', form, { origin }))
      assert.ok(queryOf(next).code, next.location)
      assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 401)
    }
  })

  it('to the same account, or with a wrong password, leaves the session unchanged', async () => {
    const other = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address)
    await signIn(browser, createPkce(), { ...withLoginPrompt, login: other.login, password: 'wrong' })
    const { json } = await refresh(browser, tokens.refresh_token)
    await signIn(browser, createPkce(), withLoginPrompt)
    assert.equal((await refresh(browser, json.refresh_token)).status, 200)
  })

  it('with another browser ends the session of the browser that made the request', async () => {
    const uninvolved = await signedIn(host.address)
    const requesting = await signedIn(host.address)
    const shown = await requesting.browser.follow(
      await requesting.browser.get('/connect/authorize', requestOf(createPkce(), withLoginPrompt.request)),
    )
    const other = await host.addAccount()
    const form = {
      login: other.login,
      password,
      authRequest: queryOf(shown).authRequest ?? '',
    }
    const posting = openBrowser(host.address)
    const next = await posting.follow(await posting.post('/api/account/login', form, { origin }))
    assert.ok(queryOf(next).code, next.location)
    assertRejected(await refresh(requesting.browser, requesting.tokens.refresh_token), 'invalid_grant')
    assert.equal((await refresh(uninvolved.browser, uninvolved.tokens.refresh_token)).status, 200)
  })
})

describe('an unused session', () => {
  it('ends Identity__InactivityMinutes after its last use', async () => {
    await using host = await startIdentityUnderTest({ environment: { Identity__InactivityMinutes: '60' } })
    const { browser, tokens } = await signedIn(host.address)
    const unused = await signedIn(host.address)
    host.clock.advance(40 * 60_000)
    const first = (await refresh(browser, tokens.refresh_token)).json
    host.clock.advance(40 * 60_000)
    assert.equal((await refresh(unused.browser, unused.tokens.refresh_token)).json.error, 'invalid_grant')
    assert.match(
      (await unused.browser.get('/connect/authorize', requestOf(createPkce()))).location,
      /login-page/,
    )
    // Like a refresh, a request with the cookie counts as use.
    assert.ok(queryOf(await browser.get('/connect/authorize', requestOf(createPkce()))).code)
    host.clock.advance(40 * 60_000)
    const second = await refresh(browser, first.refresh_token)
    assert.equal(second.status, 200)
    host.clock.advance(60 * 60_000)
    assert.equal((await refresh(browser, second.json.refresh_token)).json.error, 'invalid_grant')
  })
})

describe('a new request that is posted with login and password', () => {
  const host = fixture(startIdentityUnderTest)

  it('signs in from an allowed origin if the extensions are on', async () => {
    const credentials = { login: 'ada@example.com', password }
    const form = { ...requestOf(pkce), ...credentials }
    const browser = openBrowser(host.address)
    const posted = await browser.post('/api/account/login', form, { origin })
    assert.match(posted.location, /^\/connect\/authorize\?authRequest=/)
    assert.ok('code' in queryOf(await browser.follow(posted)))
    assert.equal(
      (await browser.post('/api/account/login', form, { origin: 'https://evil.example' })).status,
      403,
    )
    for (const wrong of [
      { client_id: 'nobody' },
      { redirect_uri: 'https://evil.example/' },
      { scope: 'none' },
    ]) {
      const other = openBrowser(host.address)
      const { location } = await other.post('/api/account/login', { ...form, ...wrong }, { origin })
      assert.match(location, /\/login\/\?error=request$/)
      assert.equal(other.cookies.size, 0)
    }
    const contractOnly = await host.startAnother({ EXTENSIONS: 'off' })
    const unextended = await openBrowser(contractOnly.address).post('/api/account/login', form, { origin })
    assert.match(unextended.location, /\/login\/\?error=request$/)
  })
})
