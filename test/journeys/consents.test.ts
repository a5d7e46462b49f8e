import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { createPkce, openBrowser, queryOf, refresh } from '../support/browser.ts'
import { registrationOf, requestAt, signInAt, tokensAt, wiki } from '../support/registered-clients.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('The consents of a user', () => {
  let rest: RestUnderTest
  before(async () => {
    rest = await startRestUnderTest({
      Auth__SessionValidationCacheSeconds: '0',
      ...registrationOf({
        ...wiki,
        others: { ...wiki.others, Scopes__0: 'openid', Scopes__1: 'svc.api', Scopes__2: 'offline_access' },
      }),
    })
  })
  after(() => rest?.stop())

  const scope = 'openid svc.api offline_access'
  const withdraw = (token: string, clientId: string) =>
    rest.call('DELETE', '/ext/consents', { token, body: { clientId } })

  test('is seen, and taken back with every token that the app was given', async () => {
    const { login, token } = await rest.signUp()
    const browser = openBrowser(rest.identity.address)
    const { json } = await tokensAt(browser, wiki, { login, request: { scope } })
    const me = () => rest.call('GET', '/api/me', { token: json.access_token })
    assert.equal((await me()).status, 200)
    // Long before it is taken back; what follows happens within a second.
    await rest.database.query(sql`update refresh_tokens set created_at = now() - interval '10 seconds'`)
    const [consent, ...more] = (await rest.call('GET', '/ext/consents', { token })).body.consents
    assert.equal(more.length, 0)
    assert.deepEqual([consent.clientId, consent.name], ['wiki', wiki.others?.Name])
    assert.deepEqual(consent.scopes.sort(), ['offline_access', 'openid', 'svc.api'])
    // A code that was issued but not used yet.
    const pkce = createPkce()
    const callback = await signInAt(browser, wiki, { request: { scope }, pkce })
    assert.ok(queryOf(callback).code)
    assert.deepEqual((await withdraw(token, 'wiki')).body, { success: true })
    assertEnvelope(await me(), 401)
    const client = { client_id: 'wiki' }
    assert.equal((await refresh(browser, json.refresh_token, client)).json.error, 'invalid_grant')
    const redeemed = await browser.post('/connect/token', {
      ...{ grant_type: 'authorization_code', client_id: 'wiki', code: queryOf(callback).code ?? '' },
      ...{ redirect_uri: wiki.redirectUri, code_verifier: pkce.verifier },
    })
    assert.equal(redeemed.json.error, 'invalid_grant')
    assert.deepEqual((await rest.call('GET', '/ext/consents', { token })).body, { consents: [] })
    assertEnvelope(await withdraw(token, 'wiki'), 404)
    // The user is asked again; new tokens work, withdrawn ones do not.
    const page = await browser.follow(
      await browser.get('/connect/authorize', requestAt(wiki, createPkce(), { scope })),
    )
    assert.match(page.text, /name="answer"/)
    await rest.database.query(sql`update consents set withdrawn_at = now() - interval '1 second'`)
    const anew = (await tokensAt(browser, wiki, { request: { scope } })).json
    assert.equal((await rest.call('GET', '/api/me', { token: anew.access_token })).status, 200)
    assert.equal((await refresh(browser, json.refresh_token, client)).json.error, 'invalid_grant')
  })

  test('belongs to its owner only, and the app itself cannot change it', async () => {
    const [owner, stranger] = [await rest.signUp(), await rest.signUp()]
    const browser = openBrowser(rest.identity.address)
    const { json } = await tokensAt(browser, wiki, { login: owner.login, request: { scope } })
    assertEnvelope(await withdraw(json.access_token, 'wiki'), 403)
    assertEnvelope(await withdraw(stranger.token, 'wiki'), 404)
    const path = `/ext/consents?userId=${owner.id}`
    assertEnvelope(await rest.call('GET', path, { token: stranger.token }), 403)
    const { consents } = (await rest.call('GET', path, { token: rest.administrator.token })).body
    assert.equal(consents.length, 1)
  })
})
