import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { openBrowser, queryOf, refresh } from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { signInAt, type TestClient, tokensAt, wiki } from '../support/registered-clients.ts'
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

describe('Clients that administrators make', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

  const ask = (method: string, body?: unknown, token = rest.administrator.token, path = '/ext/clients') =>
    rest.call(method, path, { token, ...(body !== undefined && { body }) })
  const make = async (others = {}): Promise<TestClient> => {
    const { status, body } = await ask('POST', { ...requested, ...others })
    assert.equal(status, 200, JSON.stringify(body))
    return {
      id: body.client.id,
      redirectUri,
      postLogoutRedirectUri,
      ...(body.secret !== null && { secret: body.secret }),
    }
  }
  const noticed = (isSo: () => Promise<boolean>) => until(isSo, 'the identity host to notice')
  const tokensOf = (client: TestClient, login: string) =>
    tokensAt(openBrowser(rest.identity.address), client, { login, request: { scope } })
  test('sign people in within seconds, with a secret that the store does not know', async () => {
    const { login, id } = await rest.signUp()
    const client = await make()
    assert.match(client.secret ?? '', /^[\w-]{43}$/)
    const rows = await rest.database.query(sql`select * from registered_clients where id = ${client.id}`)
    assert.ok(!JSON.stringify(rows).includes(client.secret ?? '?'))
    await noticed(async () => (await tokensOf(client, login).catch(() => undefined))?.status === 200)
    const { json } = await tokensOf(client, login)
    const me = () => rest.call('GET', '/api/me', { token: json.access_token })
    assert.equal((await me()).body.id, id)
    const wrong = await tokensOf({ ...client, secret: 'x'.repeat(43) }, login)
    assert.equal(wrong.json.error, 'invalid_client')
    // Ended at once for its tokens, within seconds for everything else.
    assert.deepEqual((await ask('DELETE', { id: client.id })).body, { success: true })
    assertEnvelope(await me(), 401)
    await noticed(async () => (await tokensOf(client, login).catch(() => undefined))?.status !== 200)
    assertEnvelope(await ask('DELETE', { id: client.id }), 404)
  })

  test('can be public, be changed, and be given another secret', async () => {
    const { login } = await rest.signUp()
    const [open, closed] = [await make({ hasSecret: false }), await make()]
    assert.equal(open.secret, undefined)
    await noticed(async () => (await tokensOf(open, login).catch(() => undefined))?.status === 200)
    assertEnvelope(await ask('POST', { id: open.id }, rest.administrator.token, '/ext/clients/secret'), 400)
    const renewed = await ask('POST', { id: closed.id }, rest.administrator.token, '/ext/clients/secret')
    const now = { ...closed, secret: renewed.body.secret }
    await noticed(async () => (await tokensOf(now, login).catch(() => undefined))?.status === 200)
    assert.equal((await tokensOf(closed, login)).json.error, 'invalid_client')
    const elsewhere = { ...requested, id: open.id, redirectUris: ['https://elsewhere.example.test/'] }
    assert.deepEqual((await ask('PATCH', elsewhere)).body.redirectUris, elsewhere.redirectUris)
    await noticed(async () => {
      const page = await signInAt(openBrowser(rest.identity.address), open, { request: { scope } })
      return queryOf(page).errorId !== undefined
    })
    const { clients } = (await ask('GET')).body
    const ids = clients.map(({ id }: { id: string }) => id)
    assert.ok(ids.includes(open.id) && ids.includes(closed.id))
  })

  test('lose scopes or first-party trust, together with the tokens that had more', async () => {
    const [first, second] = [await rest.signUp(), await rest.signUp()]
    const client = await make({ hasSecret: false })
    await noticed(async () => (await tokensOf(client, first.login).catch(() => undefined))?.status === 200)
    const change = async (others: object) =>
      assert.equal((await ask('PATCH', { ...requested, id: client.id, ...others })).status, 200)
    const me = async (token: string) => (await rest.call('GET', '/api/me', { token })).status
    const refreshed = async (token: string) =>
      (await refresh(openBrowser(rest.identity.address), token, { client_id: client.id })).json
    const [one, other] = [
      (await tokensOf(client, first.login)).json,
      (await tokensOf(client, second.login)).json,
    ]
    assert.equal(await me(one.access_token), 200)
    await change({ scopes: ['openid', 'offline_access'] })
    // At once, before the identity host has noticed.
    assert.equal(await me(one.access_token), 401)
    await noticed(async () => {
      const tokens = await tokensOf(client, first.login).catch(() => undefined)
      return tokens?.json.scope === 'openid offline_access'
    })
    const narrower = await refreshed(one.refresh_token)
    assert.equal(narrower.scope, 'openid offline_access')
    assert.equal(await me(narrower.access_token), 401)
    await change({ isFirstParty: false })
    assert.equal(await me(other.access_token), 401)
    await noticed(async () => {
      const page = await signInAt(openBrowser(rest.identity.address), client, {
        ...{ login: second.login, request: { scope }, answer: 'deny' },
      })
      return queryOf(page).error === 'access_denied'
    })
    // The user was not asked, so nothing is granted; a rejected token is not used up.
    for (let count = 0; count < 2; count += 1)
      assert.equal((await refreshed(other.refresh_token)).error, 'invalid_grant')
    assert.equal((await tokensOf(client, second.login)).status, 200)
    const allowed = await refreshed(other.refresh_token)
    assert.equal(allowed.scope, scope)
    assert.equal(await me(allowed.access_token), 200)
  })

  test('have addresses and scopes that could do no harm', async () => {
    for (const [others, field] of [
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
      const answer = await ask('POST', { ...requested, ...others })
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), [field], JSON.stringify(others))
    }
  })

  test('are for administrators at the web client alone', async () => {
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
