import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createPkce, openBrowser, queryOf, refresh, requestOf, signedIn, signIn } from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'

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

  it('with a request that another user began ends only the session it began with', async () => {
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

describe('an unused session', () => {
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
