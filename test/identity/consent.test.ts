import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import {
  createPkce,
  fromOtherSite,
  openBrowser,
  type Page,
  queryOf,
  refresh,
  signOut,
} from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
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

describe('a person', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest({
      environment: { ...registrationOf(wiki), ...registrationOf(portal) },
    })
  })
  after(() => host.stop())

  const newcomer = async () => ({
    browser: openBrowser(host.address),
    ...(await host.addAccount()),
  })

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
    assert.match(more.text, /<li>see your mail address<\/li>/)
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
      const told = queryOf(await signInAt(browser, wiki, { login, answer }))
      assert.deepEqual([told.error, told.state, told.iss], ['access_denied', 'state-1', host.address])
    }
    assert.ok(isAsked(await ask(browser)))
  })

  it('revokes what a host issued whose clock is ahead, also when the client is allowed again', async () => {
    host.clock.advance(30_000)
    const { browser, login, id } = await newcomer()
    const { json } = await tokensAt(browser, wiki, { login })
    await host.database.single.query(sql`
      update consents set scope = '', withdrawn_at = now() where user_id = ${id} and client_id = 'wiki'`)
    const renewed = () => refresh(browser, json.refresh_token, { client_id: 'wiki' })
    const userInfo = () =>
      browser.get('/connect/userinfo', {}, { authorization: `Bearer ${json.access_token}` })
    assert.equal((await userInfo()).status, 401)
    host.clock.advance(60_000)
    assert.equal((await renewed()).json.error, 'invalid_grant')
    const anew = await tokensAt(browser, wiki)
    assert.equal((await renewed()).json.error, 'invalid_grant')
    const next = await refresh(browser, anew.json.refresh_token, { client_id: 'wiki' })
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
  let host: IdentityUnderTest
  before(async () => {
    const all = [...unproven, ...proven].map(registrationOf)
    host = await startIdentityUnderTest({ environment: Object.assign({}, ...all) })
  })
  after(() => host.stop())

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
  it('sent by another site asks on the page of this host without its identity token, and goes back to registered addresses only', async (t) => {
    const host = await startIdentityUnderTest({ environment: registrationOf(wiki) })
    t.after(() => host.stop())
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
