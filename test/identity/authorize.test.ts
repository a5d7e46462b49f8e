import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createPkce,
  type Fields,
  openBrowser,
  type Page,
  queryOf,
  redeem,
  requestOf,
  signedIn,
  signIn,
} from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin, redirectUri } from '../support/known-clients.ts'
import { assertTold as assertToldOf } from './support/assert-told.ts'

const pkce = createPkce()

describe('an authorization request', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  const authorize = (others: Fields = {}) =>
    openBrowser(host.address).get('/connect/authorize', requestOf(pkce, others))
  const without = (name: string) => {
    const { [name]: _left, ...kept } = requestOf(pkce)
    return openBrowser(host.address).get('/connect/authorize', kept)
  }
  const assertTold = (page: Page, error: string) => assertToldOf(page, host.address, error)

  it('without a session leads to the sign-in page of the asking origin, by GET and by POST', async () => {
    const browser = openBrowser(host.address)
    const asked = await browser.get('/connect/authorize', requestOf(pkce))
    assert.equal(asked.status, 302)
    assert.match(asked.location, /^\/api\/account\/login-page\?authRequest=/)
    const posted = await browser.post('/connect/authorize', requestOf(pkce))
    assert.equal(posted.status, 303)
    for (const page of [await browser.follow(asked), await browser.follow(posted)]) {
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

  it('sends no state back where none came, and takes an empty one for none', async () => {
    const { browser } = await signedIn(host.address)
    const page = await browser.get('/connect/authorize', requestOf(pkce, { state: '' }))
    assert.ok('code' in queryOf(page))
    assert.ok(!('state' in queryOf(page)))
  })

  it('of an unknown client or for an unregistered address is shown to the user, never sent to that address', async () => {
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
      const told = await openBrowser(host.address).get('/api/account/error', { errorId })
      assert.equal(told.status, 200)
      assert.deepEqual(Object.keys(told.json), ['error', 'errorDescription'])
    }
    const { errorId = '' } = queryOf(await authorize({ client_id: 'nobody' }))
    assert.deepEqual((await openBrowser(host.address).get('/api/account/error', { errorId })).json, {
      error: 'invalid_client',
      errorDescription: 'The client is unknown.',
    })
  })

  it('with a parameter sent twice is rejected', async () => {
    const query = new URLSearchParams(requestOf(pkce))
    assertTold(
      await openBrowser(host.address).get(`/connect/authorize?${query}&scope=openid`),
      'invalid_request',
    )
  })

  it('needs PKCE with S256', async () => {
    assertTold(await without('code_challenge'), 'invalid_request')
    assert.equal(
      queryOf(await without('code_challenge')).error_description,
      'code_challenge is required: enable PKCE (S256) in the client.',
    )
    assertTold(await without('code_challenge_method'), 'invalid_request')
    assertTold(await authorize({ code_challenge_method: 'plain' }), 'invalid_request')
    assertTold(await authorize({ code_challenge: 'short' }), 'invalid_request')
  })

  it('needs a scope that the client may have', async () => {
    assertTold(await without('scope'), 'invalid_scope')
    assertTold(await authorize({ scope: 'openid svc.grpc' }), 'invalid_scope')
    assertTold(await authorize({ scope: 'openid everything' }), 'invalid_scope')
  })

  it('for anything but a code is rejected; for the implicit types behind the #', async () => {
    assertTold(await without('response_type'), 'invalid_request')
    assertTold(await authorize({ response_type: 'cheese' }), 'unsupported_response_type')
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
    assertTold(await authorize({ request: 'x' }), 'request_not_supported')
    assertTold(await authorize({ request_uri: 'https://x.example' }), 'request_uri_not_supported')
    assertTold(await authorize({ registration: '{}' }), 'registration_not_supported')
    assertTold(await authorize({ response_mode: 'fragment' }), 'invalid_request')
    assertTold(await authorize({ response_mode: 'form_post' }), 'invalid_request')
  })

  it('that would not fit into an address is rejected', async () => {
    const { location } = await openBrowser(host.address).post(
      '/connect/authorize',
      requestOf(pkce, { nonce: 'n'.repeat(9000) }),
    )
    assert.equal(new URL(location).searchParams.get('error'), 'invalid_request')
  })

  it('whose state could not come back in an address is shown to the user, also with other faults', async () => {
    const tooLong = { state: 's'.repeat(6001) }
    for (const others of [tooLong, { ...tooLong, scope: 'nonsense' }, { state: '😀'.repeat(600) }]) {
      const browser = openBrowser(host.address)
      const { location } = await browser.post('/connect/authorize', requestOf(pkce, others))
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

  it('whose pending form was changed, is too old or is made up is no request', async () => {
    const browser = openBrowser(host.address)
    const { authRequest = '' } = queryOf(await browser.follow(await authorize()))
    // Not the last character: some of its bits may be none of the value's.
    const changed = `${authRequest.slice(0, 30)}${authRequest[30] === 'A' ? 'B' : 'A'}${authRequest.slice(31)}`
    for (const made of [changed, 'x', `${authRequest.slice(0, 22)}.AAAA`]) {
      const { location } = await browser.get('/connect/authorize', { authRequest: made })
      assert.equal(location, `${origin}/login/?error=request`)
    }
    host.clock.advance(24 * 60 * 60_000)
    const { location } = await browser.get('/connect/authorize', { authRequest })
    assert.equal(location, `${origin}/login/?error=request`)
  })

  it('cannot be made from a value that was sealed for another purpose', async () => {
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

  it('that another site posts, without the cookie then, does not sign the user out', async () => {
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
