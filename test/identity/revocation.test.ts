import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { sweep } from '../../src/hosts/identity/main.ts'
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
    // Another client's token is left as it is, and the answer does not say so.
    const asRobot = { client_id: robot.id, client_secret: robot.secret }
    assert.equal((await revoke(other.tokens.refresh_token, asRobot)).status, 200)
    assert.equal((await revoke(tokens.refresh_token)).status, 200)
    assert.equal((await revoke(tokens.refresh_token)).status, 200)
    assert.equal((await revoke('made-up')).status, 200)
    assertRefused(await revoke(''), 'invalid_request')
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

describe('a revoked access token', () => {
  it('is accepted nowhere any more, while its session and other tokens stay valid', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const { browser, tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    const revoke = (token: string, others: Fields = { client_id: 'svc-webclient' }) =>
      browser.post('/connect/revocation', { token, ...others })
    const statusOf = async (token: string) =>
      (await browser.get('/connect/userinfo', {}, { authorization: `Bearer ${token}` })).status
    // Another client's is left as it is, and the answer does not say so.
    const asRobot = { client_id: robot.id, client_secret: robot.secret }
    assert.equal((await revoke(tokens.access_token, asRobot)).status, 200)
    assert.equal(await statusOf(tokens.access_token), 200)
    assert.equal((await revoke(tokens.access_token)).status, 200)
    assert.equal((await revoke(tokens.access_token)).status, 200)
    assert.equal(await statusOf(tokens.access_token), 401)
    assert.equal(await statusOf(json.access_token), 200)
    assert.equal((await refresh(browser, json.refresh_token)).status, 200)
    // What is remembered of it goes when it would have expired anyway.
    const kept = () => host.database.query(sql`select from revoked_tokens`)
    await sweep(host.database, host.clock.now(), 0)
    assert.equal((await kept()).length, 1)
    await sweep(host.database, host.clock.now() + 40 * 60_000, 0)
    assert.equal((await kept()).length, 0)
  })

  it('is no token that can be revoked while the extensions are off', async (t) => {
    const host = await startIdentityUnderTest({ environment: { EXTENSIONS: 'off' } })
    t.after(() => host.stop())
    const { browser, tokens } = await signedIn(host.address)
    const form = { token: tokens.access_token, client_id: 'svc-webclient' }
    assertRefused(await browser.post('/connect/revocation', form), 'unsupported_token_type')
  })
})
