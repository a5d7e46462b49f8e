import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPkce, type Fields, queryOf, refresh, requestOf, signedIn } from '../support/browser.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { robot } from '../support/known-clients.ts'
import { assertRefused } from './support/assert-refused.ts'

describe('a revoked refresh token', () => {
  it('stops working, and nothing else does', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const { browser, tokens } = await signedIn(host.address)
    const other = await signedIn(host.address)
    const revoke = (token: string, others: Fields = { client_id: 'svc-webclient' }) =>
      browser.post('/connect/revocation', { token, token_type_hint: 'refresh_token', ...others })
    assertRefused(await revoke(tokens.refresh_token, {}), 'invalid_client', 401)
    // Another client's token is left alone, without a word about it.
    const asRobot = { client_id: robot.id, client_secret: robot.secret }
    assert.equal((await revoke(other.tokens.refresh_token, asRobot)).status, 200)
    assert.equal((await revoke(tokens.refresh_token)).status, 200)
    assert.equal((await revoke(tokens.refresh_token)).status, 200)
    assert.equal((await revoke('made-up')).status, 200)
    assertRefused(await revoke(''), 'invalid_request')
    assertRefused(await revoke(tokens.access_token), 'unsupported_token_type')
    assertRefused(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    // Neither the session nor its other tokens ended.
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    assert.equal((await browser.get('/connect/userinfo', {}, headers)).status, 200)
    assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(createPkce()))))
    assert.equal((await refresh(browser, other.tokens.refresh_token)).status, 200)
  })
  it('that was spent before is still recognised when it is used again', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const { browser, tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    await browser.post('/connect/revocation', { token: tokens.refresh_token, client_id: 'svc-webclient' })
    assertRefused(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    assertRefused(await refresh(browser, json.refresh_token), 'invalid_grant')
  })
})
