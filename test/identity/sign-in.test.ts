import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Browser,
  createPkce,
  type Fields,
  openBrowser,
  postSignIn,
  queryOf,
  requestOf,
  signedIn,
} from '../support/browser.ts'
import { cheapPasswords, password } from '../support/cheap-passwords.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin } from '../support/known-clients.ts'

const pkce = createPkce()

/** A pending request, as the sign-in page finds it in its address. */
async function pendingIn(browser: Browser, others: Fields = {}): Promise<string> {
  const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce, others)))
  return queryOf(page).authRequest ?? ''
}

describe('the sign-in page', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  it('is that of the origin that asked; a missing or made-up request goes to the first one with error=request', async () => {
    const browser = openBrowser(host.address)
    const authRequest = await pendingIn(browser, { redirect_uri: `${otherOrigin}/signin-callback/` })
    const { location } = await browser.get('/api/account/login-page', { authRequest })
    assert.equal(location, `${otherOrigin}/login/?authRequest=${authRequest}`)
    for (const query of [{}, { authRequest: 'nonsense' }, { authRequest: `${authRequest}x` }])
      assert.equal(
        (await browser.get('/api/account/login-page', query)).location,
        `${origin}/login/?error=request`,
      )
  })

  it('is Identity__LoginPageUrl where the asking origin is not known', async (t) => {
    const own = await startIdentityUnderTest({
      environment: { Identity__LoginPageUrl: 'https://sso.example/enter?theme=dark' },
    })
    t.after(() => own.stop())
    const browser = openBrowser(own.address)
    assert.equal(
      (await browser.get('/api/account/login-page')).location,
      'https://sso.example/enter?theme=dark&error=request',
    )
    assert.ok(
      (
        await browser.get('/api/account/login-page', { authRequest: await pendingIn(browser) })
      ).location.startsWith(`${origin}/login/?authRequest=`),
    )
  })

  it('of a request whose origin is allowed no more is gone', async () => {
    const narrower = await host.startAnother({
      Cors__AllowedOrigins__0: otherOrigin,
      Cors__AllowedOrigins__1: '',
    })
    const authRequest = await pendingIn(openBrowser(host.address))
    const { location } = await openBrowser(narrower.address).get('/api/account/login-page', { authRequest })
    assert.equal(location, `${otherOrigin}/login/?error=request`)
  })

  it('gets an unknown errorId answered with 404, the envelope and the two properties', async () => {
    for (const query of [{}, { errorId: 'x' }, { errorId: await pendingIn(openBrowser(host.address)) }]) {
      const { status, json } = await openBrowser(host.address).get('/api/account/error', query)
      assert.equal(status, 404)
      assert.deepEqual(Object.keys(json), ['statusCode', 'message', 'error', 'errorDescription'])
    }
  })
})

describe('a reported error', () => {
  it('is shown for an hour', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const browser = openBrowser(host.address)
    const { errorId = '' } = queryOf(await browser.get('/connect/authorize', { client_id: 'nobody' }))
    const statusNow = async () => (await browser.get('/api/account/error', { errorId })).status
    host.clock.advance(60 * 60_000 - 5000)
    assert.equal(await statusNow(), 200)
    host.clock.advance(5000)
    assert.equal(await statusNow(), 404)
  })
})

describe('the post of the sign-in page', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  it('with the right password goes on with the pending request on this host', async () => {
    const browser = openBrowser(host.address)
    const posted = await postSignIn(browser, pkce, { login: '  ADA@Example.com ' })
    assert.equal(posted.status, 303)
    assert.match(posted.location, /^\/connect\/authorize\?authRequest=/)
    assert.ok('code' in queryOf(await browser.follow(posted)))
  })

  it('from a foreign origin, from none and from a hidden one is 403 with the envelope', async () => {
    const browser = openBrowser(host.address)
    const authRequest = await pendingIn(browser)
    const form = { login: 'ada@example.com', password, authRequest }
    const foreign: Fields[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${origin}.evil.example` },
      { origin: 'null', referer: `${origin}/login/` },
      { origin: 'https://evil.example', referer: `${origin}/login/` },
      { referer: 'https://evil.example/?x=http://app.example.test/' },
      { referer: 'nonsense' },
    ]
    for (const headers of foreign) {
      const { status, json } = await browser.post('/api/account/login', form, headers)
      assert.equal(status, 403, JSON.stringify(headers))
      assert.deepEqual(json, { statusCode: 403, message: 'The sign-in must come from an allowed origin.' })
    }
    assert.equal(browser.cookies.size, 0)
    const byReferer = await browser.post('/api/account/login', form, { referer: `${origin}/login/?x=1` })
    assert.match(byReferer.location, /^\/connect\/authorize/)
  })

  it('with a wrong password, an unknown login, a removed account or nothing at all leads back with error=invalid', async () => {
    const removed = await host.addAccount({ active: false })
    const attempts: Fields[] = [
      { login: 'ada@example.com', password: 'wrong' },
      { login: 'nobody@example.com', password },
      { login: removed.login, password },
      { login: '', password: '' },
      { login: 'a'.repeat(257), password },
      { login: 'ada@example.com', password: 'p'.repeat(129) },
    ]
    for (const attempt of attempts) {
      const browser = openBrowser(host.address)
      const authRequest = await pendingIn(browser)
      const page = await browser.post('/api/account/login', { ...attempt, authRequest }, { origin })
      assert.equal(page.location, `${origin}/login/?authRequest=${authRequest}&error=invalid`)
      assert.equal(browser.cookies.size, 0)
    }
  })

  it('without a valid pending request leads to the page with error=request, even with the right password', async () => {
    for (const authRequest of ['', 'nonsense', 'https://evil.example/']) {
      const browser = openBrowser(host.address)
      const form = { login: 'ada@example.com', password, authRequest }
      const page = await browser.post('/api/account/login', form, { origin })
      assert.equal(page.location, `${origin}/login/?error=request`)
      assert.equal(browser.cookies.size, 0)
    }
  })

  it('verifies a login of 256 and a password of 128 characters, and no longer password', async () => {
    const hashed = cheapPasswords()
    const outcomeOf = async (loginLength: number, passwordLength: number) => {
      const suffix = '@example.com'
      const login = `${'l'.repeat(loginLength - suffix.length)}${suffix}`
      const long = 'p'.repeat(passwordLength)
      await host.addAccount({ login, passwordHash: await hashed.hash(long) })
      const page = await postSignIn(openBrowser(host.address), pkce, { login, password: long })
      return queryOf(page).error ?? 'signed in'
    }
    assert.equal(await outcomeOf(256, 128), 'signed in')
    assert.equal(await outcomeOf(250, 129), 'invalid')
  })

  it('sets a cookie that scripts cannot read, Lax, for eight hours and never longer', async () => {
    const browser = openBrowser(host.address)
    const posted = await postSignIn(browser, pkce)
    const [cookie = ''] = posted.headers.getSetCookie()
    assert.match(cookie, /^identity=[\w-]+\.[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax$/)
    host.clock.advance(7.9 * 60 * 60_000)
    const used = await browser.get('/connect/authorize', requestOf(pkce))
    assert.ok('code' in queryOf(used))
    assert.deepEqual(used.headers.getSetCookie(), [], 'The cookie must not slide.')
    host.clock.advance(0.1 * 60 * 60_000)
    assert.match((await browser.get('/connect/authorize', requestOf(pkce))).location, /login-page/)
  })

  it('under an https issuer sets the cookie with the __Host- prefix and Secure', async (t) => {
    const secure = await startIdentityUnderTest({ environment: { Jwt__Issuer: 'https://id.example' } })
    t.after(() => secure.stop())
    const posted = await postSignIn(openBrowser(secure.address), pkce)
    assert.match(
      posted.headers.getSetCookie()[0] ?? '',
      /^__Host-identity=[\w.-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  it('keeps people signed in over a restart', async () => {
    const { browser } = await signedIn(host.address)
    const restarted = await host.startAnother()
    const later = openBrowser(restarted.address)
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    assert.ok('code' in queryOf(await later.get('/connect/authorize', requestOf(pkce))))
  })

  it('takes no cookie that was made up or changed', async () => {
    const { browser } = await signedIn(host.address)
    const [[name = '', value = ''] = []] = browser.cookies
    for (const made of [
      'x',
      `${value.slice(0, -2)}AA`,
      value.slice(0, 30),
      `${value}; identity=y`.replace(value, 'z'),
    ]) {
      browser.cookies.set(name, made)
      assert.match((await browser.get('/connect/authorize', requestOf(pkce))).location, /login-page/)
    }
  })
})
