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
  portal,
  registrationOf,
  requestAt,
  signInAt,
  submit,
  type TestClient,
  tokensAt,
  wiki,
} from '../support/registered-clients.ts'
import { assertRejected } from './support/assertions.ts'

const environment = { ...registrationOf(wiki), ...registrationOf(portal) }

describe('a client of the settings', () => {
  const host = fixture(startIdentityUnderTest, { environment })

  /** A browser, and a user who has never been asked for consent. */
  const newcomer = async () => ({ browser: openBrowser(host.address), ...(await host.addAccount()) })

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
    const reported = { name, preferred_username: login, email: login, email_verified: false }
    for (const [key, value] of Object.entries(reported)) assert.equal(claims[key], value, key)
    const authorization = `Bearer ${json.access_token}`
    assert.deepEqual((await browser.get('/connect/userinfo', {}, { authorization })).json, {
      sub: id,
      ...reported,
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
    assertRejected(await withoutPkce({}), 'invalid_client', 401)
    assertRejected(await withoutPkce({ ...secret, code_verifier: createPkce().verifier }), 'invalid_grant')
    // Nor can one be left out where there was a challenge.
    const callback = await signInAt(browser, portal, { login })
    const left = await browser.post('/connect/token', {
      ...{ grant_type: 'authorization_code', client_id: portal.id, ...secret },
      ...{ code: queryOf(callback).code ?? '', redirect_uri: portal.redirectUri },
    })
    assertRejected(left, 'invalid_grant')
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
    const rejected = await walk({ response_mode: 'form_post', prompt: 'wrong' })
    assert.match(rejected.text, /name="error" value="invalid_request"/)
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

  it('that is taken out of the settings of all instances stops working, with its tokens', async () => {
    await using own = await startIdentityUnderTest({ environment: registrationOf(wiki) })
    const { login } = await own.addAccount()
    const { json } = await tokensAt(openBrowser(own.address), wiki, { login })
    const statusAt = async (address: string) => {
      const authorization = `Bearer ${json.access_token}`
      return (await openBrowser(address).get('/connect/userinfo', {}, { authorization })).status
    }
    assert.equal(await statusAt(own.address), 200)
    const names = Object.keys(registrationOf(wiki))
    const startWithout = () => own.startAnother(Object.fromEntries(names.map((name) => [name, undefined])))
    const other = await startWithout()
    assert.equal(await statusAt(other.address), 200)
    await own.host.stop()
    own.clock.advance(61_000)
    const last = await startWithout()
    assert.equal(await statusAt(last.address), 401)
    const form = { grant_type: 'refresh_token', client_id: wiki.id, refresh_token: json.refresh_token }
    assertRejected(await openBrowser(last.address).post('/connect/token', form), 'invalid_client', 401)
  })
})

describe('a person', () => {
  const host = fixture(startIdentityUnderTest, {
    environment: { ...registrationOf(wiki), ...registrationOf(portal) },
  })

  const newcomer = async () => ({ browser: openBrowser(host.address), ...(await host.addAccount()) })

  /** The next page or answer, with what the browser is signed in for already. */
  const ask = async (browser: ReturnType<typeof openBrowser>, others = {}) =>
    browser.follow(await browser.get('/connect/authorize', requestAt(wiki, createPkce(), others)))
  const isAsked = ({ text }: { text: string }) => text.includes('name="answer"')

  it('is asked once for each scope that a third-party client wants, with an explanation', async () => {
    const { browser, login, name } = await newcomer()
    const request = { scope: 'openid profile' }
    await signInAt(browser, wiki, { login, request })
    assert.ok(queryOf(await ask(browser, request)).code)
    const more = await ask(browser, { scope: 'openid email' })
    assert.ok(isAsked(more))
    assert.match(more.text, /<li>see your email address<\/li>/)
    assert.ok(more.text.includes(`${name} (${login})`))
    assert.ok(queryOf(await submit(browser, more, { answer: 'allow' })).code)
    // What was allowed first still is.
    assert.ok(queryOf(await ask(browser, { scope: 'openid profile email' })).code)
  })

  it('reads the sentence in its order, whatever the own name is', async () => {
    const { login } = await host.addAccount({ name: 'Ann\u202e\u2066 B' })
    const browser = openBrowser(host.address)
    await signInAt(browser, wiki, { login, answer: 'deny' })
    const page = await ask(browser)
    assert.ok(page.text.includes(`You are signed in as Ann B (${login})`), page.text)
  })

  it('is asked again where the client wants it, and never without a page', async () => {
    const { browser, login } = await newcomer()
    const silent = await ask(browser, { prompt: 'none' })
    assert.equal(queryOf(silent).error, 'login_required')
    await signInAt(browser, wiki, { login, answer: 'deny' })
    assert.equal(queryOf(await ask(browser, { prompt: 'none' })).error, 'consent_required')
    await signInAt(browser, wiki, { login })
    assert.ok(queryOf(await ask(browser, { prompt: 'none' })).code)
    const again = await ask(browser, { prompt: 'consent' })
    assert.ok(isAsked(again))
    assert.ok(queryOf(await submit(browser, again, { answer: 'allow' })).code)
  })

  it('may deny, which the client learns, and is asked again the next time', async () => {
    const { browser, login } = await newcomer()
    for (const answer of ['deny', '', 'Allow']) {
      const reported = queryOf(await signInAt(browser, wiki, { login, answer }))
      assert.deepEqual(
        [reported.error, reported.state, reported.iss],
        ['access_denied', 'state-1', host.address],
      )
    }
    assert.ok(isAsked(await ask(browser)))
  })

  it('revokes what a host issued whose clock is ahead, also when the client is allowed again', async () => {
    host.clock.advance(30_000)
    const { browser, login, id } = await newcomer()
    const { json } = await tokensAt(browser, wiki, { login })
    await host.database.singleWrites.query(sql`
      update consents set scope = '', withdrawn_at = now() where user_id = ${id} and client_id = 'wiki'`)
    const renewed = () => refresh(browser, json.refresh_token, { client_id: 'wiki' })
    const userInfo = () =>
      browser.get('/connect/userinfo', {}, { authorization: `Bearer ${json.access_token}` })
    assert.equal((await userInfo()).status, 401)
    host.clock.advance(60_000)
    assert.equal((await renewed()).json.error, 'invalid_grant')
    const latest = await tokensAt(browser, wiki)
    assert.equal((await renewed()).json.error, 'invalid_grant')
    const next = await refresh(browser, latest.json.refresh_token, { client_id: 'wiki' })
    assert.equal(next.status, 200)
  })

  it('is not asked about one’s own client', async () => {
    const { browser, login } = await newcomer()
    assert.equal((await tokensAt(browser, portal, { login })).status, 200)
    assert.ok(queryOf(await signInAt(browser, portal, { request: { prompt: 'consent' } })).code)
    assert.deepEqual(await host.database.query(sql`select from consents where client_id = ${portal.id}`), [])
  })

  it('answers for the account that was shown, from the page of this host only', async () => {
    const [first, second] = [await newcomer(), await newcomer()]
    const { browser } = first
    await signInAt(browser, portal, { login: first.login })
    const page = await ask(browser)
    assert.ok(isAsked(page))
    const authRequest = /name="authRequest" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const form = { authRequest, answer: 'allow' }
    for (const headers of [{}, { origin: 'null' }, { origin: 'https://wiki.example.test' }])
      assert.equal((await browser.post('/ext/consent', form, headers as Record<string, string>)).status, 403)
    // Without the cookie, and with that of another sign-in, nothing is kept.
    await submit(openBrowser(host.address), page, { answer: 'allow' })
    await signInAt(browser, portal, { login: second.login, request: { prompt: 'login' } })
    assert.ok(isAsked(await submit(browser, page, { answer: 'allow' })))
    const kept = await host.database.query(
      sql`select from consents where user_id in (${first.id}, ${second.id})`,
    )
    assert.equal(kept.length, 0)
    assert.equal((await browser.get('/ext/consent?authRequest=made-up')).status, 400)
  })

  it('who allows two things in two tabs at once has allowed both', async () => {
    const { browser, login, id } = await newcomer()
    await signInAt(browser, portal, { login })
    const pages = await Promise.all(
      ['profile', 'email'].map((word) => ask(browser, { scope: `openid ${word}` })),
    )
    await Promise.all(pages.map((page) => submit(browser, page, { answer: 'allow' })))
    const [kept] = await host.database.query<{ scope: string }>(
      sql`select scope from consents where user_id = ${id}`,
    )
    assert.deepEqual(kept?.scope.split(' ').sort(), ['email', 'openid', 'profile'])
  })
})

describe('a client that any program on the device could be', () => {
  const addresses = {
    numbered: 'http://127.0.0.1:41234/callback',
    named: 'http://localhost:3000/callback',
    scheme: 'com.example.notes:/callback',
  }
  const clientOf = (id: string, redirectUri: string, others = {}): TestClient => ({
    ...{ id, redirectUri, postLogoutRedirectUri: redirectUri },
    ...others,
  })
  const unproven = Object.entries(addresses).map(([id, address]) => clientOf(id, address))
  const proven = [
    clientOf('secret', addresses.named, { secret: 'a-secret-of-the-app-of-32-characters' }),
    clientOf('own', addresses.named, { others: { FirstParty: 'true' } }),
    clientOf('elsewhere', 'https://127.example.test/callback'),
  ]
  const host = fixture(startIdentityUnderTest, {
    environment: Object.assign({}, ...[...unproven, ...proven].map(registrationOf)),
  })

  const openFor = async (client: TestClient) => {
    const browser = openBrowser(host.address)
    const { login } = await host.addAccount()
    const first = await signInAt(browser, client, { login })
    assert.ok(queryOf(first).code, client.id)
    const ask = async (others = {}) =>
      browser.follow(await browser.get('/connect/authorize', requestAt(client, createPkce(), others)))
    return { browser, ask }
  }
  const isAsked = ({ text }: Page) => /asked each time.*another program/.test(text)

  it('asks every time, and gets nothing without a page', async () => {
    for (const client of unproven) {
      const { browser, ask } = await openFor(client)
      assert.equal(queryOf(await ask({ prompt: 'none' })).error, 'consent_required')
      const again = await ask()
      assert.ok(isAsked(again), client.id)
      assert.equal(queryOf(await submit(browser, again, { answer: 'deny' })).error, 'access_denied')
      const more = await submit(browser, await ask(), { answer: 'allow' })
      assert.ok(queryOf(more).code, client.id)
    }
  })

  it('gets nothing by the answer to another request, begun before it', async () => {
    for (const others of [{}, { prompt: 'consent' }]) {
      const [client] = unproven
      assert.ok(client)
      const { browser, ask } = await openFor(client)
      // Of a program that waits until its person allows the true client something.
      const waiting = await openBrowser(host.address).get(
        '/connect/authorize',
        requestAt(client, createPkce(), others),
      )
      assert.ok(queryOf(await submit(browser, await ask(), { answer: 'allow' })).code)
      const { authRequest = '' } = queryOf(waiting)
      assert.ok(isAsked(await browser.follow(await browser.get('/connect/authorize', { authRequest }))))
    }
  })

  it('is remembered if its secret, its operator or its address authenticates it', async () => {
    for (const client of proven) {
      const { ask } = await openFor(client)
      assert.ok(queryOf(await ask()).code, client.id)
      assert.ok(queryOf(await ask({ prompt: 'none' })).code, client.id)
    }
  })
})

describe('a sign-out for a client of the settings', () => {
  it('sent by another site asks on the page of this host without its identity token, and goes back to registered addresses only', async () => {
    await using host = await startIdentityUnderTest({ environment: registrationOf(wiki) })
    const browser = openBrowser(host.address)
    const { json } = await tokensAt(browser, wiki)
    const back = { post_logout_redirect_uri: wiki.postLogoutRedirectUri, state: 's' }
    const asked = await signOut(browser, { client_id: wiki.id, ...back }, fromOtherSite)
    assert.match(asked.text, /<h1>Sign out\?<\/h1>/)
    const foreign = await browser.post('/ext/sign-out', {}, { origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    assert.equal((await submit(browser, asked, {})).location, `${wiki.postLogoutRedirectUri}?state=s`)
    const authorization = `Bearer ${json.access_token}`
    assert.equal((await browser.get('/connect/userinfo', {}, { authorization })).status, 401)
    // With the identity token no question is asked; without an address there is a final page.
    const next = await tokensAt(browser, wiki)
    const left = await signOut(browser, { id_token_hint: next.json.id_token }, fromOtherSite)
    assert.match(left.text, /You are signed out/)
    await tokensAt(browser, wiki)
    const elsewhere = { client_id: wiki.id, post_logout_redirect_uri: 'https://evil.example/' }
    assert.match((await signOut(browser, elsewhere)).text, /address that is not registered for it/)
  })
})
