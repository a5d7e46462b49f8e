import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { changePassword } from '../../src/accounts/change-password.ts'
import { createLockouts } from '../../src/accounts/lockouts.ts'
import { type Authentication, createAuthentication } from '../../src/auth/authenticate.ts'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assertions.ts'
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
import { cheapPasswords, password } from '../support/cheap-passwords.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin, robot } from '../support/known-clients.ts'
import { assertRejected } from './support/assertions.ts'

const loginPage = `${origin}/login/`

function assertCleared({ headers }: Pick<Response, 'headers'>): void {
  const cookies = headers.getSetCookie()
  assert.equal(cookies.length, 1)
  assert.match(cookies[0] ?? '', /^identity=; .*Max-Age=0/)
}

describe('a sign-out', () => {
  const host = fixture(startIdentityUnderTest)

  const hasSession = async (browser: Browser) => {
    const next = await browser.get('/connect/authorize', requestOf(createPkce(), { prompt: 'none' }))
    return queryOf(next).code !== undefined
  }
  /**
   * Returns whether the browser still has a session, and asserts that its tokens can be refreshed only then.
   * Spends the refresh token.
   */
  const isActive = async (browser: Browser, refreshToken: string) => {
    const isKnown = await hasSession(browser)
    assert.equal((await refresh(browser, refreshToken)).status === 200, isKnown)
    return isKnown
  }
  /** Asserts that the browser is on the page of the client that asks the user. */
  const assertAsked = (page: Page, address = loginPage) => {
    assert.ok(page.location.startsWith(`${address}?logoutId=`), page.location)
    return queryOf(page).logoutId ?? ''
  }

  /** Headers that exclude another site, or that do not reveal one. */
  const ownSiteHeaders: readonly Fields[] = [
    {},
    ...['same-origin', 'same-site', 'none'].map((site) => ({ 'sec-fetch-site': site })),
    { origin },
    { referer: `${otherOrigin}/login/` },
    { referer: 'http://127.0.0.1:1/a/page/of/this/machine' },
    // Sec-Fetch-Site takes precedence.
    { 'sec-fetch-site': 'same-site', referer: 'https://evil.example/' },
  ]
  const otherSiteHeaders: readonly Fields[] = [
    fromOtherSite,
    { 'sec-fetch-site': 'cross-site, same-origin' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { referer: 'https://evil.example/page' },
    { referer: 'https://127.0.0.1/another-scheme' },
    { origin, referer: 'https://evil.example/page' },
  ]

  it('without a valid hint ends the session of the cookie and redirects', async () => {
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
        { post_logout_redirect_uri: loginPage },
      ].map((query) => (browser: Browser, headers: Fields) => signOut(browser, query, headers)),
    ]
    const cases = [
      ...ownSiteHeaders.map((headers) => ({ headers, way: ways[0] })),
      ...ways.map((way) => ({ headers: {}, way })),
    ]
    for (const { headers, way } of cases) {
      const { browser, tokens } = await signedIn(host.address)
      assert.ok(way)
      const finalPage = await browser.follow(await way(browser, headers), headers)
      assert.equal(finalPage.location, loginPage)
      assert.equal(browser.cookies.size, 0)
      const { sid } = claimsOf(tokens.access_token)
      const refreshTokens = await host.database.query(
        sql`select from refresh_tokens where session_id = ${sid}`,
      )
      assert.equal(refreshTokens.length, 0)
      assert.equal(await isActive(browser, tokens.refresh_token), false)
    }
  })

  it('from another site must be confirmed by the user', async () => {
    const { tokens: other } = await signedIn(host.address)
    const queries = [
      {},
      { client_id: 'svc-webclient' },
      { id_token_hint: other.id_token },
      { id_token_hint: 'x' },
    ]
    const cases = [
      ...otherSiteHeaders.map((headers) => ({ headers, query: {} })),
      ...queries.map((query) => ({ headers: fromOtherSite, query })),
    ]
    for (const { headers, query } of cases) {
      const { browser, tokens } = await signedIn(host.address)
      const question = await signOut(browser, query, headers)
      const logoutId = assertAsked(question)
      assert.deepEqual(question.headers.getSetCookie(), [], 'The cookie stays.')
      assert.ok(await hasSession(browser), 'The session is active until the confirmation.')
      const finalPage = await browser.post('/api/account/logout', { logoutId }, { origin })
      assert.equal(finalPage.location, loginPage)
      assert.equal(await isActive(browser, tokens.refresh_token), false)
    }
    const { browser, tokens } = await signedIn(host.address)
    const withHint = await signOut(browser, { id_token_hint: tokens.id_token }, fromOtherSite)
    assert.equal(withHint.location, loginPage)
    assert.equal(await isActive(browser, tokens.refresh_token), false)
  })

  it('by a link of another site asks the user, who stays signed in until the confirmation', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const attacker = await signedIn(host.address)
    const attackersRedirect = await attacker.browser.get('/connect/endsession', {
      id_token_hint: attacker.tokens.id_token,
    })
    // A form of another site sends no cookie, and its redirect may not reveal the site.
    const redirectOfForm = await openBrowser(host.address).post('/connect/endsession', {}, fromOtherSite)
    assertAsked(await browser.follow(redirectOfForm))
    // A link opens a sign-out that was validated for the attacker.
    assertAsked(await browser.follow(attackersRedirect, fromOtherSite))
    assertAsked(await browser.follow(redirectOfForm, fromOtherSite))
    assert.equal(await isActive(browser, tokens.refresh_token), true)
  })

  it('does not redirect to an unregistered URL', async () => {
    for (const headers of [{}, fromOtherSite]) {
      const { browser, tokens } = await signedIn(host.address)
      const query = {
        post_logout_redirect_uri: `${loginPage}?foo=bar`,
        state: 's-1',
        id_token_hint: tokens.id_token,
      }
      const finalPage = await signOut(browser, query, headers)
      assert.deepEqual([finalPage.status, finalPage.location], [200, ''])
      assert.match(finalPage.text, /<h1>You are signed out<\/h1>/)
      assert.match(finalPage.text, /address that is not registered for it/)
      assertCleared(finalPage)
      assert.equal(await isActive(browser, tokens.refresh_token), false)
    }
    const { browser, tokens } = await signedIn(host.address)
    const logoutId = assertAsked(
      await signOut(browser, { post_logout_redirect_uri: 'https://evil.example/' }, fromOtherSite),
    )
    const finalPage = await browser.post('/api/account/logout', { logoutId }, { origin })
    assert.match(finalPage.text, /address that is not registered for it/)
    assert.equal(await isActive(browser, tokens.refresh_token), false)
  })

  it('ends nothing if a browser only prefetches the URL', async () => {
    const { browser, tokens } = await signedIn(host.address)
    for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }]) {
      const rejected = await signOut(browser, { id_token_hint: tokens.id_token }, headers)
      assertEnvelope({ ...rejected, body: rejected.json }, 403)
    }
    assert.equal(await isActive(browser, tokens.refresh_token), true)
  })

  it('is confirmed from an allowed origin only', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const logoutId = assertAsked(await signOut(browser, {}, fromOtherSite))
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}] as Fields[]) {
      const rejected = await browser.post('/api/account/logout', { logoutId }, headers)
      assertEnvelope({ ...rejected, body: rejected.json }, 403)
    }
    // A link cannot confirm it either.
    assertAsked(await browser.get('/api/account/logout', { logoutId }))
    assert.equal(await isActive(browser, tokens.refresh_token), true)
  })

  it('asks on the page of the client', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const query = {
      client_id: 'svc-webclient',
      post_logout_redirect_uri: `${otherOrigin}/login/`,
      state: 's-1',
    }
    const question = await signOut(browser, query, fromOtherSite)
    const logoutId = assertAsked(question, `${otherOrigin}/login/`)
    // The user may take up to a day to confirm.
    host.clock.advance(60 * 60_000)
    // The post of a page of another site has no cookie.
    const otherBrowser = openBrowser(host.address)
    const finalPage = await otherBrowser.post('/api/account/logout', { logoutId }, { origin: otherOrigin })
    assert.equal(finalPage.location, `${otherOrigin}/login/?state=s-1`)
    assertCleared(finalPage)
    assert.equal(await isActive(browser, tokens.refresh_token), false)
  })

  it('asks the user if another site opens its redirect after five minutes', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const { location } = await browser.get('/connect/endsession', { id_token_hint: tokens.id_token })
    host.clock.advance(5 * 60_000)
    assert.equal((await openBrowser(host.address).get(location)).location, loginPage)
    assertAsked(await browser.get(location, {}, fromOtherSite))
    assert.equal(await isActive(browser, tokens.refresh_token), true)
  })

  it('in a browser without a session ends the session of the identity token', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const finalPage = await signOut(openBrowser(host.address), { id_token_hint: tokens.id_token })
    assert.equal(finalPage.location, loginPage)
    assert.equal(await isActive(browser, tokens.refresh_token), false)
  })
})

const sessionCacheSeconds = 30

describe('a session', () => {
  let restHost: Authentication
  let commandHost: Authentication
  const host = fixture(startIdentityUnderTest)
  before(() => {
    const hostOf = (audience: string, scope: string) =>
      createAuthentication({
        database: host.database,
        issuer: host.address,
        audience,
        scope,
        metadataAddress: `${host.address}/.well-known/openid-configuration`,
        administrators: administratorsOf({ adminLogins: ['root@example.com'] }),
        sessionCacheSeconds,
        log: { warn: () => undefined },
        now: host.clock.now,
      })
    restHost = hostOf('svc-api', 'svc.api')
    commandHost = hostOf('svc-grpc', 'svc.grpc')
  })

  const isAccepted = (token: string, by = restHost) =>
    by.authenticate(`Bearer ${token}`).then(
      () => true,
      () => false,
    )
  /** Asserts that the session has ended: here at once, and on the other hosts after half a minute. */
  const assertEnded = async (browser: Browser, tokens: { access_token: string; refresh_token: string }) => {
    assertRejected(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    assert.match((await browser.get('/connect/authorize', requestOf(createPkce()))).location, /login-page/)
    assert.equal(browser.cookies.size, 0, 'The identity cookie is removed.')
    host.clock.advance(sessionCacheSeconds * 1000)
    assert.equal(await isAccepted(tokens.access_token), false)
  }

  it('is accepted by the REST host only', async () => {
    const { tokens } = await signedIn(host.address)
    assert.equal(await isAccepted(tokens.access_token), true)
    assert.equal(await isAccepted(tokens.access_token, commandHost), false)
    assert.equal(await isAccepted(tokens.id_token), false)
    const service = await openBrowser(host.address).post('/connect/token', {
      grant_type: 'client_credentials',
      client_id: robot.id,
      client_secret: robot.secret,
    })
    assert.equal(await isAccepted(service.json.access_token), true)
    assert.equal(await isAccepted(service.json.access_token, commandHost), true)
  })

  it('ends at sign-out, without a page in between', async () => {
    const { browser, tokens } = await signedIn(host.address)
    assert.equal(await isAccepted(tokens.access_token), true)
    const redirect = await browser.get('/connect/endsession', {
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${origin}/login/`,
      state: 's-1',
    })
    assert.match(redirect.location, /^\/api\/account\/logout\?logoutId=/)
    const finalPage = await browser.get(redirect.location)
    assert.equal(finalPage.location, `${origin}/login/?state=s-1`)
    assertCleared(finalPage)
    assert.deepEqual(
      await host.database.query(
        sql`select id from refresh_tokens where session_id = ${claimsOf(tokens.access_token).sid}`,
      ),
      [],
    )
    await assertEnded(browser, tokens)
  })

  it('ends as a whole when a refresh token is used again', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    assert.equal(await isAccepted(json.access_token), true)
    assertRejected(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    await assertEnded(browser, json)
  })

  it('ends when the password changes', async () => {
    const { id, login } = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login })
    assert.equal(await isAccepted(tokens.access_token), true)
    await changePassword(
      { database: host.database, passwords: cheapPasswords(), lockouts: createLockouts(host) },
      { id, isAdministrator: false },
      { currentPassword: password, newPassword: 'Another-Horse-2' },
    )
    await assertEnded(browser, tokens)
    const again = await signedIn(host.address, { login, password: 'Another-Horse-2' })
    assert.equal(await isAccepted(again.tokens.access_token), true)
  })

  it('ends when only the security stamp is replaced', async () => {
    const { id, login } = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login })
    await host.database.transaction((transaction) =>
      transaction.query(sql`update users set security_stamp = 'another' where id = ${id}`),
    )
    await assertEnded(browser, tokens)
  })

  it('ends when the account is removed', async () => {
    const { id, login } = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login })
    assert.equal(await isAccepted(tokens.access_token), true)
    await host.database.transaction((transaction) =>
      transaction.query(sql`update users set active = false where id = ${id}`),
    )
    await assertEnded(browser, tokens)
  })

  it('ends eight hours after the sign-in', async () => {
    const { browser, tokens } = await signedIn(host.address)
    let current = tokens
    for (let hour = 1; hour < 8; hour += 1) {
      host.clock.advance(60 * 60_000)
      current = (await refresh(browser, current.refresh_token)).json
      assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(createPkce()))))
    }
    host.clock.advance(60 * 60_000)
    await assertEnded(browser, current)
  })
})
