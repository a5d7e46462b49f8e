import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { openBrowser, queryOf, refresh } from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { requestTokens, signInTo, type TestClient, wiki } from '../support/registered-clients.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

const { redirectUri, postLogoutRedirectUri } = wiki
const requested = {
  name: 'The <b>shop</b>',
  redirectUris: [redirectUri],
  postLogoutRedirectUris: [postLogoutRedirectUri],
  scopes: ['openid', 'profile', 'svc.api', 'offline_access'],
  isFirstParty: true,
}
const scope = requested.scopes.join(' ')

describe('Clients that administrators register', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

  const ask = (method: string, body?: unknown, token = rest.administrator.token, path = '/ext/clients') =>
    rest.call(method, path, body === undefined ? { token } : { token, body })
  const make = async (overrides = {}): Promise<TestClient> => {
    const { status, body } = await ask('POST', { ...requested, ...overrides })
    assert.equal(status, 200, JSON.stringify(body))
    const client = { id: body.client.id, redirectUri, postLogoutRedirectUri }
    return body.secret === null ? client : { ...client, secret: body.secret }
  }
  const untilNoticed = (hasNoticed: () => Promise<boolean>) =>
    until(hasNoticed, 'the identity host to notice')
  const tokensOf = (client: TestClient, login: string) =>
    requestTokens(openBrowser(rest.identity.address), client, { login, request: { scope } })
  const canSignIn = async (client: TestClient, login: string) =>
    (await tokensOf(client, login).catch(() => undefined))?.status === 200

  test('sign users in within seconds', async () => {
    const { login, id } = await rest.signUp()
    const client = await make()
    assert.match(client.secret ?? '', /^[\w-]{43}$/)
    const rows = await rest.database.query(sql`select * from registered_clients where id = ${client.id}`)
    assert.ok(!JSON.stringify(rows).includes(client.secret ?? '?'))
    await untilNoticed(() => canSignIn(client, login))
    const { json } = await tokensOf(client, login)
    const me = () => rest.call('GET', '/api/me', { token: json.access_token })
    assert.equal((await me()).body.id, id)
    const wrong = await tokensOf({ ...client, secret: 'x'.repeat(43) }, login)
    assert.equal(wrong.json.error, 'invalid_client')
    // The tokens of a removed client are rejected at once, and its sign-ins within seconds.
    assert.deepEqual((await ask('DELETE', { id: client.id })).body, { success: true })
    assertEnvelope(await me(), 401)
    await untilNoticed(async () => !(await canSignIn(client, login)))
    assertEnvelope(await ask('DELETE', { id: client.id }), 404)
  })

  test('can be public, be changed, and be given another secret', async () => {
    const { login } = await rest.signUp()
    const [open, confidential] = [await make({ hasSecret: false }), await make()]
    const renewSecret = ({ id }: TestClient) =>
      ask('POST', { id }, rest.administrator.token, '/ext/clients/secret')
    assert.equal(open.secret, undefined)
    await untilNoticed(() => canSignIn(open, login))
    assertEnvelope(await renewSecret(open), 400)
    const renewed = { ...confidential, secret: (await renewSecret(confidential)).body.secret }
    await untilNoticed(() => canSignIn(renewed, login))
    assert.equal((await tokensOf(confidential, login)).json.error, 'invalid_client')
    const changed = { ...requested, id: open.id, redirectUris: ['https://elsewhere.example.test/'] }
    assert.deepEqual((await ask('PATCH', changed)).body.redirectUris, changed.redirectUris)
    await untilNoticed(async () => {
      const page = await signInTo(openBrowser(rest.identity.address), open, { request: { scope } })
      return queryOf(page).errorId !== undefined
    })
    const { clients } = (await ask('GET')).body
    const ids = clients.map(({ id }: { id: string }) => id)
    assert.ok(ids.includes(open.id) && ids.includes(confidential.id))
  })

  test('lose the tokens with more rights when they lose scopes or first-party trust', async () => {
    const [first, second] = [await rest.signUp(), await rest.signUp()]
    const client = await make({ hasSecret: false })
    await untilNoticed(() => canSignIn(client, first.login))
    const change = async (overrides: object) =>
      assert.equal((await ask('PATCH', { ...requested, id: client.id, ...overrides })).status, 200)
    const me = async (token: string) => (await rest.call('GET', '/api/me', { token })).status
    const refreshed = async (token: string) =>
      (await refresh(openBrowser(rest.identity.address), token, { client_id: client.id })).json
    const { json: firstTokens } = await tokensOf(client, first.login)
    const { json: secondTokens } = await tokensOf(client, second.login)
    assert.equal(await me(firstTokens.access_token), 200)
    await change({ scopes: ['openid', 'offline_access'] })
    // The token is rejected before the identity host has noticed the change.
    assert.equal(await me(firstTokens.access_token), 401)
    await untilNoticed(async () => {
      const tokens = await tokensOf(client, first.login).catch(() => undefined)
      return tokens?.json.scope === 'openid offline_access'
    })
    const narrower = await refreshed(firstTokens.refresh_token)
    assert.equal(narrower.scope, 'openid offline_access')
    assert.equal(await me(narrower.access_token), 401)
    await change({ isFirstParty: false })
    assert.equal(await me(secondTokens.access_token), 401)
    await untilNoticed(async () => {
      const options = { login: second.login, request: { scope }, answer: 'deny' }
      const page = await signInTo(openBrowser(rest.identity.address), client, options)
      return queryOf(page).error === 'access_denied'
    })
    // Without the user's consent, nothing is granted, and a rejected token stays unused.
    for (let count = 0; count < 2; count += 1)
      assert.equal((await refreshed(secondTokens.refresh_token)).error, 'invalid_grant')
    assert.equal((await tokensOf(client, second.login)).status, 200)
    const allowed = await refreshed(secondTokens.refresh_token)
    assert.equal(allowed.scope, scope)
    assert.equal(await me(allowed.access_token), 200)
  })

  test('can have only harmless addresses and scopes', async () => {
    for (const [overrides, field] of [
      [{ name: '' }, 'name'],
      [{ name: 'n'.repeat(101) }, 'name'],
      [{ redirectUris: [] }, 'redirectUris'],
      [{ redirectUris: ['javascript:alert(1)'] }, 'redirectUris'],
      [{ redirectUris: ['https://x.example/#a'] }, 'redirectUris'],
      [{ redirectUris: 'https://x.example/' }, 'redirectUris'],
      [{ redirectUris: ['https://x.example/\n'] }, 'redirectUris'],
      [{ redirectUris: [' https://x.example/'] }, 'redirectUris'],
      [{ redirectUris: ['https://bank.example@x.example/'] }, 'redirectUris'],
      [{ redirectUris: [`https://x.example/${'a'.repeat(1000)}`] }, 'redirectUris'],
      [{ postLogoutRedirectUris: ['data:text/html,x'] }, 'postLogoutRedirectUris'],
      [{ scopes: ['everything'] }, 'scopes'],
      [{ scopes: [] }, 'scopes'],
      [{ isFirstParty: 'yes' }, 'isFirstParty'],
      [{ requiresPkce: false, hasSecret: false }, 'requiresPkce'],
      [{ hasSecret: 1 }, 'hasSecret'],
    ] as const) {
      const answer = await ask('POST', { ...requested, ...overrides })
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), [field], JSON.stringify(overrides))
    }
  })

  test('are rejected with one message for addresses that are not valid', async () => {
    const answer = await ask('POST', { ...requested, redirectUris: ['javascript:alert(1)'] })
    assertEnvelope(answer, 400)
    assert.equal(answer.body.errors.redirectUris.length, 1, answer.body.errors.redirectUris.join(' '))
  })

  test('can be managed only by administrators with the web client', async () => {
    const { token } = await rest.signUp()
    const { id } = await make()
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', requested],
      ['PATCH', { ...requested, id }],
      ['DELETE', { id }],
    ] as const)
      assertEnvelope(await ask(method, body, token), 403)
    assertEnvelope(await ask('POST', { id }, token, '/ext/clients/secret'), 403)
    const robot = await rest.identity.serviceToken(rest.administrator.login, 'svc.api')
    assertEnvelope(await ask('POST', requested, robot), 403)
  })
})
