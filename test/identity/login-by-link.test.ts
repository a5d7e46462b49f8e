import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPkce, openBrowser, postSignIn, queryOf, requestOf } from '../support/browser.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'

describe('the login-by-link attack', () => {
  it('gains nothing: the code goes to the browser that proved the password', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const attacker = openBrowser(host.address)
    const attackersPkce = createPkce()
    const page = await attacker.follow(await attacker.get('/connect/authorize', requestOf(attackersPkce)))
    const { authRequest = '' } = queryOf(page)
    const victim = openBrowser(host.address)
    const posted = await victim.post(
      '/api/account/login',
      { login: 'ada@example.com', password: 'Correct-Horse-1', authRequest },
      { origin },
    )
    assert.match(posted.location, /^\/connect\/authorize\?authRequest=/)
    // The victim is about to sign in; the attacker tries everything they know.
    const resumed = await attacker.follow(await attacker.get(posted.location))
    assert.ok(resumed.location.startsWith(`${origin}/login/?authRequest=`), resumed.location)
    const repeated = await attacker.get('/connect/authorize', requestOf(attackersPkce, { prompt: 'none' }))
    assert.equal(queryOf(repeated).error, 'login_required')
    assert.ok('code' in queryOf(await victim.follow(posted)))
  })

  it('the pending request never reveals who signed in', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const browser = openBrowser(host.address)
    const posted = await postSignIn(browser, createPkce())
    browser.cookies.clear()
    assert.match((await browser.get(posted.location)).location, /login-page/)
  })
})
