import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { signingKeyOf, signToken } from '../../src/hosts/identity/keys/signing-keys.ts'
import {
  claimsOf,
  createPkce,
  type Fields,
  headerOf,
  openBrowser,
  type Page,
  queryOf,
  requestOf,
  signedIn,
  signIn,
} from '../support/browser.ts'
import { type IdentityUnderTest, signingPem, startIdentityUnderTest } from '../support/identity-host.ts'
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
  const assertTold = (page: Page, error: string) => assertToldOf(page, host.address, error)

  it('with prompt=none is answered without a page: a code with a session, login_required without', async () => {
    assertTold(await authorize({ prompt: 'none' }), 'login_required')
    const { browser } = await signedIn(host.address)
    assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'none' }))))
    assertTold(await authorize({ prompt: 'none login' }), 'invalid_request')
    assertTold(await authorize({ prompt: 'sometimes' }), 'invalid_request')
  })

  it('with prompt=login or select_account asks for the password again, once; consent asks for nothing', async () => {
    const { browser } = await signedIn(host.address)
    for (const prompt of ['login', 'select_account']) {
      const again = await browser.get('/connect/authorize', requestOf(pkce, { prompt }))
      assert.match(again.location, /^\/api\/account\/login-page/)
      host.clock.advance(1000)
      assert.ok('code' in queryOf(await signIn(browser, pkce, { request: { prompt } })))
    }
    assert.ok(
      'code' in queryOf(await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'consent' }))),
    )
  })

  it('that came back with a session from before prompt=login goes to the sign-in page again', async () => {
    const { browser } = await signedIn(host.address)
    host.clock.advance(1)
    const { location } = await browser.get('/connect/authorize', requestOf(pkce, { prompt: 'login' }))
    const { authRequest = '' } = Object.fromEntries(new URL(location, host.address).searchParams)
    const resumed = await browser.get('/connect/authorize', { authRequest })
    assert.match(resumed.location, /^\/api\/account\/login-page/)
  })

  it('with max_age accepts a session that is recent enough, and returns its time', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const authTime = Number(JSON.parse(atob(tokens.id_token.split('.')[1] ?? '')).auth_time)
    assert.ok(Math.abs(authTime * 1000 - host.clock.now()) < 5000)
    host.clock.advance(60_000)
    const ask = (maxAge: string) => browser.get('/connect/authorize', requestOf(pkce, { max_age: maxAge }))
    assert.ok('code' in queryOf(await ask('120')))
    assert.match((await ask('30')).location, /login-page/)
    assert.match((await ask('0')).location, /login-page/)
    assertTold(await ask('-1'), 'invalid_request')
    assertTold(await ask('soon'), 'invalid_request')
    assertTold(
      await browser.get('/connect/authorize', requestOf(pkce, { max_age: '1', prompt: 'none' })),
      'login_required',
    )
    assert.ok('code' in queryOf(await signIn(browser, pkce, { request: { max_age: '0' } })))
  })

  it('with an id_token_hint wants that account, and no other', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const other = await host.addAccount()
    const hint = { id_token_hint: tokens.id_token }
    host.clock.advance(60 * 60_000)
    assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(pkce, hint))))
    const { browser: othersBrowser } = await signedIn(host.address, { login: other.login })
    assertTold(
      await othersBrowser.get('/connect/authorize', requestOf(pkce, { ...hint, prompt: 'none' })),
      'login_required',
    )
    assert.match(
      (await othersBrowser.get('/connect/authorize', requestOf(pkce, hint))).location,
      /login-page/,
    )
    assertTold(await signIn(othersBrowser, pkce, { login: other.login, request: hint }), 'login_required')
    assertTold(await authorize({ id_token_hint: tokens.access_token }), 'invalid_request')
    assertTold(await authorize({ id_token_hint: 'nonsense' }), 'invalid_request')
  })

  it('with an identity token of another client as its hint is rejected', async () => {
    const { tokens } = await signedIn(host.address)
    // There is one client that gets identity tokens, so another's is signed here, with the host's own key.
    const key = signingKeyOf(headerOf(tokens.id_token).kid, createPrivateKey(signingPem))
    const hintFor = (aud: string) => signToken(key, 'JWT', { ...claimsOf(tokens.id_token), aud })
    assertTold(await authorize({ id_token_hint: await hintFor('somebody-else') }), 'invalid_request')
    assert.match((await authorize({ id_token_hint: await hintFor('svc-webclient') })).location, /login-page/)
  })
})
