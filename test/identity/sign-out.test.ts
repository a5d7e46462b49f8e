import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertEnvelope } from '../support/assert-envelope.ts'
import {
  type Browser,
  createPkce,
  type Fields,
  openBrowser,
  type Page,
  queryOf,
  refresh,
  requestOf,
  signedIn,
  signIn,
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

  it('is asked about first, unless the client sends the identity token of this very session', async () => {
    const { tokens: foreign } = await signedIn(host.address)
    const ways: readonly ((browser: Browser) => Promise<Page>)[] = [
      (browser) => browser.get('/connect/endsession'),
      (browser) => browser.get('/connect/endsession', { client_id: 'svc-webclient' }),
      (browser) => browser.get('/connect/endsession', { id_token_hint: foreign.id_token }),
      (browser) => browser.post('/connect/endsession', {}),
      (browser) => browser.get('/api/account/logout'),
      (browser) => browser.get('/api/account/logout', { logoutId: 'made-up' }),
    ]
    for (const way of ways) {
      const { browser, tokens } = await signedIn(host.address)
      const asked = await browser.follow(await way(browser))
      const logoutId = assertAsked(asked)
      assert.deepEqual(asked.headers.getSetCookie(), [], 'The cookie stays.')
      const copy = await signedIn(host.address)
      assert.equal(await stands(copy.browser, copy.tokens.refresh_token), true)
      const left = await browser.post('/api/account/logout', { logoutId }, { origin })
      assert.equal(left.location, page)
      assert.equal(await stands(browser, tokens.refresh_token), false)
    }
  })

  it('asks by the link of another site, whose visitor stays signed in for as long as nothing is answered', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const attacker = await signedIn(host.address)
    const own = await attacker.browser.get('/connect/endsession', { id_token_hint: attacker.tokens.id_token })
    // A link, a form of another site (which brings no cookie), and the attacker's own checked sign-out.
    const form = await openBrowser(host.address).post('/connect/endsession', {})
    for (const address of ['/connect/endsession', form.location, own.location])
      assertAsked(await browser.follow(await browser.get(address)))
    assert.equal(await stands(browser, tokens.refresh_token), true)
  })

  it('is answered from an allowed origin only', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const logoutId = assertAsked(await browser.follow(await browser.get('/connect/endsession')))
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
    const asked = await browser.follow(
      await browser.get('/connect/endsession', {
        client_id: 'svc-webclient',
        post_logout_redirect_uri: `${otherOrigin}/login/`,
        state: 's-1',
      }),
    )
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
    assertAsked(await browser.get(location))
    assert.equal(await stands(browser, tokens.refresh_token), true)
  })

  it('in a browser without a session ends that of the identity token', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const left = await signOut(openBrowser(host.address), { id_token_hint: tokens.id_token })
    assert.equal(left.location, page)
    assert.equal(await stands(browser, tokens.refresh_token), false)
  })
})

describe('signing in in a browser that is signed in', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  const asking = { request: { prompt: 'login' } }

  it('to another account ends the session before, whatever the site of the page that posts', async () => {
    const other = await host.addAccount()
    for (const isCookieSent of [true, false]) {
      const { browser, tokens } = await signedIn(host.address)
      const pkce = createPkce()
      const shown = await browser.follow(
        await browser.get('/connect/authorize', requestOf(pkce, asking.request)),
      )
      const posting = isCookieSent ? browser : openBrowser(host.address)
      const form = {
        login: other.login,
        password: 'Correct-Horse-1',
        authRequest: queryOf(shown).authRequest ?? '',
      }
      const next = await posting.follow(await posting.post('/api/account/login', form, { origin }))
      assert.ok(queryOf(next).code, next.location)
      assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 401)
    }
  })

  it('to the same account, or with a wrong password, leaves it as it is', async () => {
    const other = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address)
    await signIn(browser, createPkce(), { ...asking, login: other.login, password: 'wrong' })
    const { json } = await refresh(browser, tokens.refresh_token)
    await signIn(browser, createPkce(), asking)
    assert.equal((await refresh(browser, json.refresh_token)).status, 200)
  })

  it('with a request that somebody else began ends nothing of theirs but what they began it with', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const attacker = openBrowser(host.address)
    const shown = await attacker.follow(await attacker.get('/connect/authorize', requestOf(createPkce())))
    const other = await host.addAccount()
    const form = {
      login: other.login,
      password: 'Correct-Horse-1',
      authRequest: queryOf(shown).authRequest ?? '',
    }
    await openBrowser(host.address).post('/api/account/login', form, { origin })
    assert.equal((await refresh(browser, tokens.refresh_token)).status, 200)
  })
})

describe('a sign-in that nobody uses', () => {
  it('ends after the minutes of Identity__InactivityMinutes, and not while it is used', async (t) => {
    const host = await startIdentityUnderTest({ environment: { Identity__InactivityMinutes: '60' } })
    t.after(() => host.stop())
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
    // The cookie counts as use like a refresh.
    assert.ok(queryOf(await browser.get('/connect/authorize', requestOf(createPkce()))).code)
    host.clock.advance(40 * 60_000)
    const second = await refresh(browser, first.refresh_token)
    assert.equal(second.status, 200)
    host.clock.advance(60 * 60_000)
    assert.equal((await refresh(browser, second.json.refresh_token)).json.error, 'invalid_grant')
  })
})
