import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { claimsOf, createPkce, openBrowser, queryOf, refresh, requestOf } from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'
import {
  portal,
  registrationOf,
  requestAt,
  signInAt,
  submit,
  tokensAt,
  wiki,
} from '../support/registered-clients.ts'
import { assertRefused } from './support/assert-refused.ts'

const environment = { ...registrationOf(wiki), ...registrationOf(portal) }

describe('a client of the settings', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest({ environment })
  })
  after(() => host.stop())

  /** A browser, and a user who has never been asked for consent. */
  const newcomer = async () => ({
    browser: openBrowser(host.address),
    ...(await host.addAccount()),
  })

  it('signs people in on the page of this host, after a wrong password too, and redeems its code', async () => {
    const { browser, login, id, name } = await newcomer()
    const pkce = createPkce()
    const page = await browser.follow(await browser.get('/connect/authorize', requestAt(wiki, pkce)))
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.text, /to continue to The &#60;b&#62;wiki&#60;\/b&#62; &#38; more</)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
    assert.doesNotMatch(page.text, /<script|\son\w+=/)
    const again = await submit(browser, page, { login, password: 'Wrong-Horse-1' })
    assert.match(again.text, /role="alert">The login or the password is wrong\./)
    const asked = await submit(browser, again, { login, password: 'Correct-Horse-1' })
    assert.match(asked.text, /<h1>Allow The &#60;b&#62;wiki/)
    const callback = await submit(browser, asked, { answer: 'allow' })
    assert.ok(callback.location.startsWith(`${wiki.redirectUri}&code=`), callback.location)
    const { json } = await browser.post('/connect/token', {
      grant_type: 'authorization_code',
      client_id: wiki.id,
      code: queryOf(callback).code ?? '',
      redirect_uri: wiki.redirectUri,
      code_verifier: pkce.verifier,
    })
    const { aud, sub, nonce, ...claims } = claimsOf(json.id_token)
    assert.deepEqual([aud, sub, nonce], [wiki.id, id, 'nonce-1'])
    const told = { name, preferred_username: login, email: login, email_verified: false }
    for (const [key, value] of Object.entries(told)) assert.equal(claims[key], value, key)
    const authorization = `Bearer ${json.access_token}`
    assert.deepEqual((await browser.get('/connect/userinfo', {}, { authorization })).json, {
      sub: id,
      ...told,
    })
    assert.equal((await refresh(browser, json.refresh_token, { client_id: wiki.id })).status, 200)
  })

  it('may propose a login, which the page of this host is filled in with', async () => {
    const ask = async (login_hint: string) => {
      const browser = openBrowser(host.address)
      const request = requestAt(wiki, createPkce(), { login_hint })
      return (await browser.follow(await browser.get('/connect/authorize', request))).text
    }
    assert.match(
      await ask('ada"><b>@example.com'),
      /name="login" value="ada&#34;&#62;&#60;b&#62;@example.com"/,
    )
    assert.match(await ask('x'.repeat(6000)), /name="login" value="x{256}"/)
  })

  it('gets nothing beyond its scopes, and no email that is not an address', async () => {
    const { browser, ...person } = await newcomer()
    const { json } = await tokensAt(browser, wiki, { login: person.login, request: { scope: 'openid' } })
    assert.deepEqual(Object.keys(claimsOf(json.id_token)).sort(), [
      ...['aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub'],
    ])
    assert.equal(json.refresh_token, undefined)
    const { login } = await host.addAccount({ login: 'no mail address' })
    const other = await tokensAt(openBrowser(host.address), wiki, { login })
    const claims = claimsOf(other.json.id_token)
    assert.deepEqual([claims.preferred_username, claims.email], [login, undefined])
  })

  it('gets the scopes it may have, and those it may not are ignored', async () => {
    const { browser, login } = await newcomer()
    const request = { scope: 'openid address svc.api svc.grpc phone' }
    assert.equal((await tokensAt(browser, wiki, { login, request })).json.scope, 'openid')
    const { json } = await tokensAt(browser, portal, { login, request })
    assert.equal(json.scope, 'openid svc.api')
    assert.equal(claimsOf(json.access_token).aud, 'svc-api')
    const none = await signInAt(browser, wiki, { request: { scope: 'address' } })
    assert.equal(queryOf(none).error, 'invalid_scope')
  })

  it('is answered at registered addresses only, letter for letter', async () => {
    const { browser } = await newcomer()
    for (const redirectUri of [
      ...['https://wiki.example.test/callback', `${wiki.redirectUri}&x=1`, `${wiki.redirectUri}/`],
      ...[
        portal.redirectUri,
        'https://evil.example/callback',
        'https://WIKI.example.test/callback?of=tracker',
      ],
    ]) {
      const request = requestAt(wiki, createPkce(), { redirect_uri: redirectUri })
      const { location } = await browser.get('/connect/authorize', request)
      assert.ok(location.startsWith(`${origin}/login/?errorId=`), location)
    }
  })

  it('has a sign-in page that only this host can post, and that accepts no other request', async () => {
    const { browser, login } = await newcomer()
    const { text } = await browser.follow(
      await browser.get('/connect/authorize', requestAt(wiki, createPkce())),
    )
    const authRequest = /name="authRequest" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const form = { login, password: 'Correct-Horse-1', authRequest }
    for (const headers of [{ origin }, { origin: 'null' }, { origin: 'https://evil.example' }, {}])
      assert.equal((await browser.post('/ext/sign-in', form, headers as Record<string, string>)).status, 403)
    for (const query of ['', '?authRequest=made-up', `?authRequest=${authRequest}x`]) {
      const page = await browser.get(`/ext/sign-in${query}`)
      assert.equal(page.status, 400)
      assert.match(page.text, /has expired/)
    }
    // The web client's own page is its own.
    const own = await browser.get('/connect/authorize', requestOf(createPkce()))
    assert.ok((await browser.follow(own)).location.startsWith(`${origin}/login/?authRequest=`))
  })

  it('without a secret needs PKCE; with one it may do without, and then no verifier fits', async () => {
    const { browser, login } = await newcomer()
    const missing = await browser.get('/connect/authorize', requestAt(wiki, undefined))
    assert.equal(queryOf(missing).error, 'invalid_request')
    const withoutPkce = async (others: Record<string, string>) => {
      const request = { code_challenge: '', code_challenge_method: '' }
      const callback = await signInAt(browser, portal, { login, request })
      return browser.post('/connect/token', {
        grant_type: 'authorization_code',
        client_id: portal.id,
        code: queryOf(callback).code ?? '',
        redirect_uri: portal.redirectUri,
        ...others,
      })
    }
    const secret = { client_secret: portal.secret ?? '' }
    assert.equal((await withoutPkce(secret)).status, 200)
    assertRefused(await withoutPkce({}), 'invalid_client', 401)
    assertRefused(await withoutPkce({ ...secret, code_verifier: createPkce().verifier }), 'invalid_grant')
    // Nor can one be left out where there was a challenge.
    const callback = await signInAt(browser, portal, { login })
    const left = await browser.post('/connect/token', {
      ...{ grant_type: 'authorization_code', client_id: portal.id, ...secret },
      ...{ code: queryOf(callback).code ?? '', redirect_uri: portal.redirectUri },
    })
    assertRefused(left, 'invalid_grant')
    assert.equal((await tokensAt(browser, portal, { login })).status, 200)
  })

  it('is answered in the query, the fragment or a post, as it asks, errors included', async () => {
    const { browser, login } = await newcomer()
    const walk = (request: Record<string, string>) => signInAt(browser, wiki, { login, request })
    const fragment = new URL((await walk({ response_mode: 'fragment' })).location)
    const parameters = new URLSearchParams(fragment.hash.slice(1))
    assert.deepEqual([...parameters.keys()], ['code', 'state', 'iss'])
    assert.equal(fragment.search, '?of=tracker')
    const posted = await walk({ response_mode: 'form_post', state: '"><script>' })
    assert.match(
      posted.text,
      /<form method="post" action="https:\/\/wiki\.example\.test\/callback\?of=tracker">/,
    )
    assert.match(posted.text, /name="code" value="[\w-]{43}"/)
    assert.match(posted.text, /name="state" value="&#34;&#62;&#60;script&#62;"/)
    const policy = posted.headers.get('content-security-policy') ?? ''
    assert.match(policy, /script-src 'self'; form-action 'self' https:\/\/wiki\.example\.test;/)
    const script = await browser.get(/src="([^"]+)"/.exec(posted.text)?.[1] ?? '', {}, {})
    assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/)
    const refused = await walk({ response_mode: 'form_post', prompt: 'wrong' })
    assert.match(refused.text, /name="error" value="invalid_request"/)
    assert.match((await walk({ response_mode: 'web_message' })).location, /error=invalid_request/)
    const web = await browser.get(
      '/connect/authorize',
      requestOf(createPkce(), { response_mode: 'form_post' }),
    )
    assert.equal(queryOf(web).error, 'invalid_request')
  })

  it('may read answers with its scripts where it has no secret, but posts no sign-in', async () => {
    const browser = openBrowser(host.address)
    const allowed = async (from: string) =>
      (await browser.get('/.well-known/openid-configuration', {}, { origin: from })).headers.get(
        'access-control-allow-origin',
      )
    assert.equal(await allowed('https://wiki.example.test'), 'https://wiki.example.test')
    assert.equal(await allowed('https://portal.example.test'), null)
    // keycloak-js sends cookies, so the response has to allow them.
    const asked = await browser.get(
      '/.well-known/openid-configuration',
      {},
      { origin: 'https://wiki.example.test' },
    )
    assert.equal(asked.headers.get('access-control-allow-credentials'), 'true')
    const page = await browser.get('/ext/consent', {}, { origin: 'https://wiki.example.test' })
    assert.equal(page.headers.get('access-control-allow-origin'), null)
    const headers = { origin: 'https://wiki.example.test' }
    for (const path of ['/api/account/login', '/ext/sign-in', '/api/account/logout', '/ext/sign-out'])
      assert.equal((await browser.post(path, {}, headers)).status, 403, path)
  })

  it('may name itself by Basic without a secret, unless it has one', async () => {
    const browser = openBrowser(host.address)
    const status = async (credentials: string) => {
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
      return (await browser.post('/connect/revocation', { token: 'x' }, { authorization })).status
    }
    assert.deepEqual([await status('wiki'), await status('wiki:')], [200, 200])
    for (const wrong of ['wiki:x', 'portal', 'portal:', 'svc-webclient', 'svc-webclient:', ':', 'nobody'])
      assert.equal(await status(wrong), 401, wrong)
    assert.equal(await status(`portal:${portal.secret}`), 200)
  })

  it('that is taken out of the settings stops working, with its tokens', async () => {
    const { browser, login } = await newcomer()
    const { json } = await tokensAt(browser, wiki, { login })
    const status = async () =>
      (await browser.get('/connect/userinfo', {}, { authorization: `Bearer ${json.access_token}` })).status
    assert.equal(await status(), 200)
    const names = Object.keys(registrationOf(wiki))
    const other = await host.startAnother(Object.fromEntries(names.map((name) => [name, undefined])))
    assert.equal(await status(), 401)
    const form = { grant_type: 'refresh_token', client_id: wiki.id, refresh_token: json.refresh_token }
    assertRefused(await openBrowser(other.address).post('/connect/token', form), 'invalid_client', 401)
    await other.stop()
    await (await host.startAnother()).stop()
  })
})
