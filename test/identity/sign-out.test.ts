import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  type Fields,
  fromOtherSite,
  openBrowser,
  type Page,
  queryOf,
  refresh,
  requestOf,
  signedIn,
  signOut,
} from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin } from '../support/known-clients.ts'

const page = `${origin}/login/`

describe('a sign-out', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  /** Whether the browser is still known, and whether its tokens go on. */
  const stands = async (browser: Browser, refreshToken: string) => {
    const next = await browser.get('/connect/authorize', requestOf(createPkce(), { prompt: 'none' }))
    const isKnown = queryOf(next).code !== undefined
    assert.equal((await refresh(browser, refreshToken)).status === 200, isKnown)
    return isKnown
  }
  /** The page of the client, with a question. */
  const assertAsked = ({ location }: Page, address = page) => {
    assert.ok(location.startsWith(`${address}?logoutId=`), location)
    return queryOf({ location } as Page).logoutId ?? ''
  }

  /** Whatever says that no other site has sent the browser, or does not say it. */
  const own: readonly Fields[] = [
    {},
    ...['same-origin', 'same-site', 'none'].map((site) => ({ 'sec-fetch-site': site })),
    { origin },
    { referer: `${otherOrigin}/login/` },
    { referer: 'http://127.0.0.1:1/a/page/of/this/machine' },
    // What the browser says of itself comes first.
    { 'sec-fetch-site': 'same-site', referer: 'https://evil.example/' },
  ]
  const foreign: readonly Fields[] = [
    fromOtherSite,
    { 'sec-fetch-site': 'cross-site, same-origin' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { referer: 'https://evil.example/page' },
    { referer: 'https://127.0.0.1/another-scheme' },
    { origin, referer: 'https://evil.example/page' },
  ]

  it('with the cookie alone ends the session and goes on, without a page in between', async () => {
    const { tokens: other } = await signedIn(host.address)
    const ways: readonly ((browser: Browser, headers: Fields) => Promise<Page>)[] = [
      (browser, headers) => browser.get('/connect/endsession', {}, headers),
      (browser, headers) => browser.post('/connect/endsession', {}, headers),
      (browser, headers) => browser.get('/api/account/logout', {}, headers),
      (browser, headers) => browser.get('/api/account/logout', { logoutId: 'made-up' }, headers),
      ...[
        { client_id: 'svc-webclient' },
        { client_id: 'nobody' },
        { id_token_hint: 'made-up' },
        { id_token_hint: other.access_token },
        { id_token_hint: other.id_token, client_id: 'nobody' },
        { post_logout_redirect_uri: page },
      ].map((query) => (browser: Browser, headers: Fields) => signOut(browser, query, headers)),
    ]
    const cases = [
      ...own.map((headers) => [headers, ways[0]] as const),
      ...ways.map((way) => [{}, way] as const),
    ]
    for (const [headers, way] of cases) {
      const { browser, tokens } = await signedIn(host.address)
      assert.ok(way)
      const left = await browser.follow(await way(browser, headers), headers)
      assert.equal(left.location, page)
      assert.equal(browser.cookies.size, 0)
      const { sid } = claimsOf(tokens.access_token)
      const kept = await host.database.query(sql`select from refresh_tokens where session_id = ${sid}`)
      assert.equal(kept.length, 0)
      assert.equal(await stands(browser, tokens.refresh_token), false)
    }
  })

  it('from another site is asked about first, unless it has the identity token of this very session', async () => {
    const { tokens: other } = await signedIn(host.address)
    const queries = [
      {},
      { client_id: 'svc-webclient' },
      { id_token_hint: other.id_token },
      { id_token_hint: 'x' },
    ]
    const cases = [
      ...foreign.map((headers) => [headers, {}] as const),
      ...queries.map((query) => [fromOtherSite, query] as const),
    ]
    for (const [headers, query] of cases) {
      const { browser, tokens } = await signedIn(host.address)
      const asked = await signOut(browser, query, headers)
      const logoutId = assertAsked(asked)
      assert.deepEqual(asked.headers.getSetCookie(), [], 'The cookie stays.')
      const copy = await signedIn(host.address)
      assert.equal(await stands(copy.browser, copy.tokens.refresh_token), true)
      const left = await browser.post('/api/account/logout', { logoutId }, { origin })
      assert.equal(left.location, page)
      assert.equal(await stands(browser, tokens.refresh_token), false)
    }
    const { browser, tokens } = await signedIn(host.address)
    assert.equal((await signOut(browser, { id_token_hint: tokens.id_token }, fromOtherSite)).location, page)
    assert.equal(await stands(browser, tokens.refresh_token), false)
  })

  it('asks by the link of another site, whose visitor stays signed in for as long as nothing is answered', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const attacker = await signedIn(host.address)
    const checked = await attacker.browser.get('/connect/endsession', {
      id_token_hint: attacker.tokens.id_token,
    })
    // A form of another site, which brings no cookie, and whose redirect may not say where it came from.
    const form = await openBrowser(host.address).post('/connect/endsession', {}, fromOtherSite)
    assertAsked(await browser.follow(form))
    // The attacker's own checked sign-out, by a link.
    assertAsked(await browser.follow(checked, fromOtherSite))
    assertAsked(await browser.follow(form, fromOtherSite))
    assert.equal(await stands(browser, tokens.refresh_token), true)
  })

  it('leads to no address that is not registered, and says so on a page of this host', async () => {
    for (const headers of [{}, fromOtherSite]) {
      const { browser, tokens } = await signedIn(host.address)
      const query = {
        post_logout_redirect_uri: `${page}?foo=bar`,
        state: 's-1',
        id_token_hint: tokens.id_token,
      }
      const left = await signOut(browser, query, headers)
      assert.deepEqual([left.status, left.location], [200, ''])
      assert.match(left.text, /<h1>You are signed out<\/h1>/)
      assert.match(left.text, /address that is not registered for it/)
      assert.match(left.headers.getSetCookie()[0] ?? '', /^identity=; .*Max-Age=0/)
      assert.equal(await stands(browser, tokens.refresh_token), false)
    }
    const { browser, tokens } = await signedIn(host.address)
    const logoutId = assertAsked(
      await signOut(browser, { post_logout_redirect_uri: 'https://evil.example/' }, fromOtherSite),
    )
    const left = await browser.post('/api/account/logout', { logoutId }, { origin })
    assert.match(left.text, /address that is not registered for it/)
    assert.equal(await stands(browser, tokens.refresh_token), false)
  })

  it('ends nothing while a browser only loads the address beforehand', async () => {
    const { browser, tokens } = await signedIn(host.address)
    for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }]) {
      const refused = await signOut(browser, { id_token_hint: tokens.id_token }, headers)
      assertEnvelope({ ...refused, body: refused.json }, 403)
    }
    assert.equal(await stands(browser, tokens.refresh_token), true)
  })

  it('is answered from an allowed origin only', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const logoutId = assertAsked(await signOut(browser, {}, fromOtherSite))
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}] as Fields[]) {
      const refused = await browser.post('/api/account/logout', { logoutId }, headers)
      assertEnvelope({ ...refused, body: refused.json }, 403)
    }
    // The answer by a link is no answer either.
    assertAsked(await browser.get('/api/account/logout', { logoutId }))
    assert.equal(await stands(browser, tokens.refresh_token), true)
  })

  it('asks on the page of the client, and goes where the client wanted afterwards', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const query = {
      client_id: 'svc-webclient',
      post_logout_redirect_uri: `${otherOrigin}/login/`,
      state: 's-1',
    }
    const asked = await signOut(browser, query, fromOtherSite)
    const logoutId = assertAsked(asked, `${otherOrigin}/login/`)
    host.clock.advance(60 * 60_000)
    // A page of another site: its post comes without the cookie.
    const elsewhere = openBrowser(host.address)
    const left = await elsewhere.post('/api/account/logout', { logoutId }, { origin: otherOrigin })
    assert.equal(left.location, `${otherOrigin}/login/?state=s-1`)
    assert.match(left.headers.getSetCookie()[0] ?? '', /^identity=; .*Max-Age=0/)
    assert.equal(await stands(browser, tokens.refresh_token), false)
  })

  it('asks where the address was left open for five minutes', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const { location } = await browser.get('/connect/endsession', { id_token_hint: tokens.id_token })
    host.clock.advance(5 * 60_000)
    assert.equal((await openBrowser(host.address).get(location)).location, page)
    assertAsked(await browser.get(location, {}, fromOtherSite))
    assert.equal(await stands(browser, tokens.refresh_token), true)
  })

  it('in a browser without a session ends that of the identity token', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const left = await signOut(openBrowser(host.address), { id_token_hint: tokens.id_token })
    assert.equal(left.location, page)
    assert.equal(await stands(browser, tokens.refresh_token), false)
  })
})
