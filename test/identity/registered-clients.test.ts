import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import {
  claimsOf,
  createPkce,
  fromOtherSite,
  openBrowser,
  type Page,
  queryOf,
  refresh,
  requestOf,
  signOut,
} from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'
import {
  authorizationRequestOf,
  portal,
  registrationOf,
  requestTokens,
  signInTo,
  submit,
  type TestClient,
  wiki,
} from '../support/registered-clients.ts'
import { assertRejected } from './support/assertions.ts'

const environment = { ...registrationOf(wiki), ...registrationOf(portal) }

describe('a client of the settings', () => {
  const host = fixture(startIdentityUnderTest, { environment })

  /** Creates a user who was never asked for consent, with a browser. */
  const createUser = async () => ({ browser: openBrowser(host.address), ...(await host.addAccount()) })

  it('signs users in on the page of the identity host', async () => {
    const { browser, login, id, name } = await createUser()
    const pkce = createPkce()
    const page = await browser.follow(
      await browser.get('/connect/authorize', authorizationRequestOf(wiki, pkce)),
    )
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.text, /to continue to The &#60;b&#62;wiki&#60;\/b&#62; &#38; more</)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
    assert.doesNotMatch(page.text, /<script|\son\w+=/)
    const signInPage = await submit(browser, page, { login, password: 'Wrong-Horse-1' })
    assert.match(signInPage.text, /role="alert">The login or the password is wrong\./)
    const consentPage = await submit(browser, signInPage, { login, password: 'Correct-Horse-1' })
    assert.match(consentPage.text, /<h1>Allow The &#60;b&#62;wiki/)
    const callback = await submit(browser, consentPage, { answer: 'allow' })
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
    const reported = { name, preferred_username: login, email: login, email_verified: false }
    for (const [key, value] of Object.entries(reported)) assert.equal(claims[key], value, key)
    const authorization = `Bearer ${json.access_token}`
    assert.deepEqual((await browser.get('/connect/userinfo', {}, { authorization })).json, {
      sub: id,
      ...reported,
    })
    assert.equal((await refresh(browser, json.refresh_token, { client_id: wiki.id })).status, 200)
  })

  it('may propose a login, which the page of this host then contains', async () => {
    const ask = async (login_hint: string) => {
      const browser = openBrowser(host.address)
      const request = authorizationRequestOf(wiki, createPkce(), { login_hint })
      return (await browser.follow(await browser.get('/connect/authorize', request))).text
    }
    assert.match(
      await ask('ada"><b>@example.com'),
      /name="login" value="ada&#34;&#62;&#60;b&#62;@example.com"/,
    )
    assert.match(await ask('x'.repeat(6000)), /name="login" value="x{256}"/)
  })

  it('gets nothing beyond its scopes', async () => {
    const { browser, ...person } = await createUser()
    const { json } = await requestTokens(browser, wiki, { login: person.login, request: { scope: 'openid' } })
    const claimNames = Object.keys(claimsOf(json.id_token)).sort()
    assert.deepEqual(claimNames, ['aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub'])
    assert.equal(json.refresh_token, undefined)
    const { login } = await host.addAccount({ login: 'no mail address' })
    const other = await requestTokens(openBrowser(host.address), wiki, { login })
    const claims = claimsOf(other.json.id_token)
    assert.deepEqual([claims.preferred_username, claims.email], [login, undefined])
  })

  it('gets only the scopes that it may have', async () => {
    const { browser, login } = await createUser()
    const request = { scope: 'openid address svc.api svc.grpc phone' }
    assert.equal((await requestTokens(browser, wiki, { login, request })).json.scope, 'openid')
    const { json } = await requestTokens(browser, portal, { login, request })
    assert.equal(json.scope, 'openid svc.api')
    assert.equal(claimsOf(json.access_token).aud, 'svc-api')
    const none = await signInTo(browser, wiki, { request: { scope: 'address' } })
    assert.equal(queryOf(none).error, 'invalid_scope')
  })

  it('gets responses only at its registered URLs', async () => {
    const { browser } = await createUser()
    for (const redirectUri of [
      'https://wiki.example.test/callback',
      `${wiki.redirectUri}&x=1`,
      `${wiki.redirectUri}/`,
      portal.redirectUri,
      'https://evil.example/callback',
      'https://WIKI.example.test/callback?of=tracker',
    ]) {
      const request = authorizationRequestOf(wiki, createPkce(), { redirect_uri: redirectUri })
      const { location } = await browser.get('/connect/authorize', request)
      assert.ok(location.startsWith(`${origin}/login/?errorId=`), location)
    }
  })

  it('has a sign-in page that only this host can post', async () => {
    const { browser, login } = await createUser()
    const { text } = await browser.follow(
      await browser.get('/connect/authorize', authorizationRequestOf(wiki, createPkce())),
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
    // The web client has its own sign-in page.
    const redirect = await browser.get('/connect/authorize', requestOf(createPkce()))
    assert.ok((await browser.follow(redirect)).location.startsWith(`${origin}/login/?authRequest=`))
  })

  it('must use PKCE unless it has a secret', async () => {
    const { browser, login } = await createUser()
    const missing = await browser.get('/connect/authorize', authorizationRequestOf(wiki, undefined))
    assert.equal(queryOf(missing).error, 'invalid_request')
    const withoutPkce = async (overrides: Record<string, string>) => {
      const request = { code_challenge: '', code_challenge_method: '' }
      const callback = await signInTo(browser, portal, { login, request })
      return browser.post('/connect/token', {
        grant_type: 'authorization_code',
        client_id: portal.id,
        code: queryOf(callback).code ?? '',
        redirect_uri: portal.redirectUri,
        ...overrides,
      })
    }
    const secret = { client_secret: portal.secret ?? '' }
    assert.equal((await withoutPkce(secret)).status, 200)
    assertRejected(await withoutPkce({}), 'invalid_client', 401)
    assertRejected(await withoutPkce({ ...secret, code_verifier: createPkce().verifier }), 'invalid_grant')
    // A verifier cannot be omitted if there was a challenge.
    const callback = await signInTo(browser, portal, { login })
    const withoutVerifier = await browser.post('/connect/token', {
      grant_type: 'authorization_code',
      client_id: portal.id,
      code: queryOf(callback).code ?? '',
      redirect_uri: portal.redirectUri,
      ...secret,
    })
    assertRejected(withoutVerifier, 'invalid_grant')
    assert.equal((await requestTokens(browser, portal, { login })).status, 200)
  })

  it('gets responses, including errors, in the query, the fragment or a post, as it requests', async () => {
    const { browser, login } = await createUser()
    const signInWith = (request: Record<string, string>) => signInTo(browser, wiki, { login, request })
    const fragment = new URL((await signInWith({ response_mode: 'fragment' })).location)
    const parameters = new URLSearchParams(fragment.hash.slice(1))
    assert.deepEqual([...parameters.keys()], ['code', 'state', 'iss'])
    assert.equal(fragment.search, '?of=tracker')
    const posted = await signInWith({ response_mode: 'form_post', state: '"><script>' })
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
    const rejected = await signInWith({ response_mode: 'form_post', prompt: 'wrong' })
    assert.match(rejected.text, /name="error" value="invalid_request"/)
    assert.match((await signInWith({ response_mode: 'web_message' })).location, /error=invalid_request/)
    const web = await browser.get(
      '/connect/authorize',
      requestOf(createPkce(), { response_mode: 'form_post' }),
    )
    assert.equal(queryOf(web).error, 'invalid_request')
  })

  it('may read responses with its scripts if it has no secret', async () => {
    const browser = openBrowser(host.address)
    const discoverFrom = (from: string) =>
      browser.get('/.well-known/openid-configuration', {}, { origin: from })
    const response = await discoverFrom('https://wiki.example.test')
    assert.equal(response.headers.get('access-control-allow-origin'), 'https://wiki.example.test')
    // keycloak-js sends cookies, so the response has to allow them.
    assert.equal(response.headers.get('access-control-allow-credentials'), 'true')
    const fromPortal = await discoverFrom('https://portal.example.test')
    assert.equal(fromPortal.headers.get('access-control-allow-origin'), null)
    const headers = { origin: 'https://wiki.example.test' }
    const page = await browser.get('/ext/consent', {}, headers)
    assert.equal(page.headers.get('access-control-allow-origin'), null)
    for (const path of ['/api/account/login', '/ext/sign-in', '/api/account/logout', '/ext/sign-out'])
      assert.equal((await browser.post(path, {}, headers)).status, 403, path)
  })

  it('may send its id alone by Basic only if it has no secret', async () => {
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

  it('is rejected, with its tokens, once it is removed from the settings of all instances', async () => {
    await using separateHost = await startIdentityUnderTest({ environment: registrationOf(wiki) })
    const { login } = await separateHost.addAccount()
    const { json } = await requestTokens(openBrowser(separateHost.address), wiki, { login })
    const statusAt = async (address: string) => {
      const authorization = `Bearer ${json.access_token}`
      return (await openBrowser(address).get('/connect/userinfo', {}, { authorization })).status
    }
    assert.equal(await statusAt(separateHost.address), 200)
    const names = Object.keys(registrationOf(wiki))
    const startWithout = () =>
      separateHost.startAnother(Object.fromEntries(names.map((name) => [name, undefined])))
    const other = await startWithout()
    assert.equal(await statusAt(other.address), 200)
    await separateHost.host.stop()
    separateHost.clock.advance(61_000)
    const last = await startWithout()
    assert.equal(await statusAt(last.address), 401)
    const form = { grant_type: 'refresh_token', client_id: wiki.id, refresh_token: json.refresh_token }
    assertRejected(await openBrowser(last.address).post('/connect/token', form), 'invalid_client', 401)
  })
})

describe('a user', () => {
  const host = fixture(startIdentityUnderTest, {
    environment: { ...registrationOf(wiki), ...registrationOf(portal) },
  })

  const createUser = async () => ({ browser: openBrowser(host.address), ...(await host.addAccount()) })

  /** Returns the next page or the callback of a further request in the same browser. */
  const ask = async (browser: ReturnType<typeof openBrowser>, overrides = {}) =>
    browser.follow(
      await browser.get('/connect/authorize', authorizationRequestOf(wiki, createPkce(), overrides)),
    )
  const isAsked = ({ text }: { text: string }) => text.includes('name="answer"')

  it('is asked once for each scope that a third-party client requests', async () => {
    const { browser, login, name } = await createUser()
    const request = { scope: 'openid profile' }
    await signInTo(browser, wiki, { login, request })
    assert.ok(queryOf(await ask(browser, request)).code)
    const more = await ask(browser, { scope: 'openid email' })
    assert.ok(isAsked(more))
    assert.match(more.text, /<li>see your email address<\/li>/)
    assert.ok(more.text.includes(`${name} (${login})`))
    assert.ok(queryOf(await submit(browser, more, { answer: 'allow' })).code)
    // The scopes that were allowed first are still allowed.
    assert.ok(queryOf(await ask(browser, { scope: 'openid profile email' })).code)
  })

  it('sees their name without direction marks', async () => {
    const { login } = await host.addAccount({ name: 'Ann\u202e\u2066 B' })
    const browser = openBrowser(host.address)
    await signInTo(browser, wiki, { login, answer: 'deny' })
    const page = await ask(browser)
    assert.ok(page.text.includes(`You are signed in as Ann B (${login})`), page.text)
  })

  it('is asked again if the client requests consent', async () => {
    const { browser, login } = await createUser()
    const silent = await ask(browser, { prompt: 'none' })
    assert.equal(queryOf(silent).error, 'login_required')
    await signInTo(browser, wiki, { login, answer: 'deny' })
    assert.equal(queryOf(await ask(browser, { prompt: 'none' })).error, 'consent_required')
    await signInTo(browser, wiki, { login })
    assert.ok(queryOf(await ask(browser, { prompt: 'none' })).code)
    const again = await ask(browser, { prompt: 'consent' })
    assert.ok(isAsked(again))
    assert.ok(queryOf(await submit(browser, again, { answer: 'allow' })).code)
  })

  it('may deny consent, which is reported to the client, and is asked again the next time', async () => {
    const { browser, login } = await createUser()
    for (const answer of ['deny', '', 'Allow']) {
      const reported = queryOf(await signInTo(browser, wiki, { login, answer }))
      assert.deepEqual(
        [reported.error, reported.state, reported.iss],
        ['access_denied', 'state-1', host.address],
      )
    }
    assert.ok(isAsked(await ask(browser)))
  })

  it('who withdraws a consent revokes tokens', async () => {
    // The clock of an identity host may be ahead of that of the database, which sets the time of the withdrawal.
    host.clock.advance(30_000)
    const { browser, login, id } = await createUser()
    const { json } = await requestTokens(browser, wiki, { login })
    await host.database.singleWrites.query(sql`
      update consents set scope = '', withdrawn_at = now() where user_id = ${id} and client_id = 'wiki'`)
    const renewed = () => refresh(browser, json.refresh_token, { client_id: 'wiki' })
    const userInfo = () =>
      browser.get('/connect/userinfo', {}, { authorization: `Bearer ${json.access_token}` })
    assert.equal((await userInfo()).status, 401)
    host.clock.advance(60_000)
    assert.equal((await renewed()).json.error, 'invalid_grant')
    const latest = await requestTokens(browser, wiki)
    assert.equal((await renewed()).json.error, 'invalid_grant')
    const next = await refresh(browser, latest.json.refresh_token, { client_id: 'wiki' })
    assert.equal(next.status, 200)
  })

  it('is not asked for consent to a first-party client', async () => {
    const { browser, login } = await createUser()
    assert.equal((await requestTokens(browser, portal, { login })).status, 200)
    assert.ok(queryOf(await signInTo(browser, portal, { request: { prompt: 'consent' } })).code)
    assert.deepEqual(await host.database.query(sql`select from consents where client_id = ${portal.id}`), [])
  })

  it('consents for the account that was shown, from the page of this host only', async () => {
    const [first, second] = [await createUser(), await createUser()]
    const { browser } = first
    await signInTo(browser, portal, { login: first.login })
    const page = await ask(browser)
    assert.ok(isAsked(page))
    const authRequest = /name="authRequest" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const form = { authRequest, answer: 'allow' }
    for (const headers of [{}, { origin: 'null' }, { origin: 'https://wiki.example.test' }])
      assert.equal((await browser.post('/ext/consent', form, headers as Record<string, string>)).status, 403)
    // Without the cookie, or with the cookie of another session, no consent is stored.
    await submit(openBrowser(host.address), page, { answer: 'allow' })
    await signInTo(browser, portal, { login: second.login, request: { prompt: 'login' } })
    assert.ok(isAsked(await submit(browser, page, { answer: 'allow' })))
    const consents = await host.database.query(
      sql`select from consents where user_id in (${first.id}, ${second.id})`,
    )
    assert.equal(consents.length, 0)
    assert.equal((await browser.get('/ext/consent?authRequest=made-up')).status, 400)
  })

  it('has granted both consents after allowing them concurrently in two tabs', async () => {
    const { browser, login, id } = await createUser()
    await signInTo(browser, portal, { login })
    const pages = await Promise.all(
      ['profile', 'email'].map((word) => ask(browser, { scope: `openid ${word}` })),
    )
    await Promise.all(pages.map((page) => submit(browser, page, { answer: 'allow' })))
    const [consent] = await host.database.query<{ scope: string }>(
      sql`select scope from consents where user_id = ${id}`,
    )
    assert.deepEqual(consent?.scope.split(' ').sort(), ['email', 'openid', 'profile'])
  })
})

describe('a client that any program on the device can impersonate', () => {
  const addresses = {
    numbered: 'http://127.0.0.1:41234/callback',
    named: 'http://localhost:3000/callback',
    scheme: 'com.example.notes:/callback',
  }
  const clientOf = (id: string, redirectUri: string, options = {}): TestClient => ({
    id,
    redirectUri,
    postLogoutRedirectUri: redirectUri,
    ...options,
  })
  const impersonable = Object.entries(addresses).map(([id, address]) => clientOf(id, address))
  const authenticated = [
    clientOf('secret', addresses.named, { secret: 'a-secret-of-the-app-of-32-characters' }),
    clientOf('own', addresses.named, { extraSettings: { FirstParty: 'true' } }),
    clientOf('elsewhere', 'https://127.example.test/callback'),
  ]
  const host = fixture(startIdentityUnderTest, {
    environment: Object.assign({}, ...[...impersonable, ...authenticated].map(registrationOf)),
  })

  const openFor = async (client: TestClient) => {
    const browser = openBrowser(host.address)
    const { login } = await host.addAccount()
    const first = await signInTo(browser, client, { login })
    assert.ok(queryOf(first).code, client.id)
    const ask = async (overrides = {}) =>
      browser.follow(
        await browser.get('/connect/authorize', authorizationRequestOf(client, createPkce(), overrides)),
      )
    return { browser, ask }
  }
  const isAsked = ({ text }: Page) => /asked each time.*another program/.test(text)

  it('requires consent every time', async () => {
    for (const client of impersonable) {
      const { browser, ask } = await openFor(client)
      assert.equal(queryOf(await ask({ prompt: 'none' })).error, 'consent_required')
      const again = await ask()
      assert.ok(isAsked(again), client.id)
      assert.equal(queryOf(await submit(browser, again, { answer: 'deny' })).error, 'access_denied')
      const more = await submit(browser, await ask(), { answer: 'allow' })
      assert.ok(queryOf(more).code, client.id)
    }
  })

  it('gets nothing from the consent to another request that started earlier', async () => {
    for (const overrides of [{}, { prompt: 'consent' }]) {
      const [client] = impersonable
      assert.ok(client)
      const { browser, ask } = await openFor(client)
      // This program waits until the user gives consent to the real client.
      const waiting = await openBrowser(host.address).get(
        '/connect/authorize',
        authorizationRequestOf(client, createPkce(), overrides),
      )
      assert.ok(queryOf(await submit(browser, await ask(), { answer: 'allow' })).code)
      const { authRequest = '' } = queryOf(waiting)
      assert.ok(isAsked(await browser.follow(await browser.get('/connect/authorize', { authRequest }))))
    }
  })

  it('needs consent only once if a secret, the operator or an https address authenticates it', async () => {
    for (const client of authenticated) {
      const { ask } = await openFor(client)
      assert.ok(queryOf(await ask()).code, client.id)
      assert.ok(queryOf(await ask({ prompt: 'none' })).code, client.id)
    }
  })
})

describe('a sign-out for a client of the settings', () => {
  it('asks the user if another site requests it without an identity token', async () => {
    await using host = await startIdentityUnderTest({ environment: registrationOf(wiki) })
    const browser = openBrowser(host.address)
    const { json } = await requestTokens(browser, wiki)
    const back = { post_logout_redirect_uri: wiki.postLogoutRedirectUri, state: 's' }
    const question = await signOut(browser, { client_id: wiki.id, ...back }, fromOtherSite)
    assert.match(question.text, /<h1>Sign out\?<\/h1>/)
    const foreign = await browser.post('/ext/sign-out', {}, { origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    assert.equal((await submit(browser, question, {})).location, `${wiki.postLogoutRedirectUri}?state=s`)
    const authorization = `Bearer ${json.access_token}`
    assert.equal((await browser.get('/connect/userinfo', {}, { authorization })).status, 401)
    // With the identity token, the user is not asked. Without an address, a final page is shown.
    const next = await requestTokens(browser, wiki)
    const finalPage = await signOut(browser, { id_token_hint: next.json.id_token }, fromOtherSite)
    assert.match(finalPage.text, /You are signed out/)
    await requestTokens(browser, wiki)
    const unregistered = { client_id: wiki.id, post_logout_redirect_uri: 'https://evil.example/' }
    assert.match((await signOut(browser, unregistered)).text, /address that is not registered for it/)
  })
})
