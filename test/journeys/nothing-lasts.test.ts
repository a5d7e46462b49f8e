import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { budgetLimits } from '../../src/config/budgets.ts'
import { inDays } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { openBrowser } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { connectOutside, untilWaiting } from '../support/outside-connection.ts'
import { wiki as app, registrationOf, tokensAt } from '../support/registered-clients.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

/** The host caches an active session for thirty seconds: long enough for a thief to create something that lasts a year. */
describe('Nothing that lasts is made', { concurrency: true }, () => {
  let rest: RestUnderTest
  before(async () => {
    const scopes = { Scopes__0: 'openid', Scopes__1: 'svc.api', Scopes__2: 'offline_access' }
    rest = await startRestUnderTest(registrationOf({ ...app, others: { ...app.others, ...scopes } }))
  })
  after(() => rest.stop())

  const ask = (method: string, path: string, token: string, body: unknown = {}) =>
    rest.call(method, path, { token, body })
  const wish = () => ({ name: 'Late', scopes: ['*:write'], expiresAt: inDays(300) })
  const remembered = async (token: string) =>
    assert.equal((await rest.call('GET', '/api/me', { token })).status, 200)

  const ends: Readonly<Record<string, (person: Person) => Promise<{ readonly status: number }>>> = {
    'a new password': ({ token }) =>
      ask('POST', '/api/me/password', token, { currentPassword: password, newPassword: 'Another-Horse-456' }),
    'a password of an administrator': ({ id, login, name }) =>
      ask('PATCH', '/api/user', rest.administrator.token, { id, login, name, password: 'Another-Horse-456' }),
    'the end of all sign-ins': async ({ login }) => {
      const { access_token: other } = await rest.identity.signIn(login)
      return ask('POST', '/ext/sessions/end-all', other)
    },
    'a deactivation': ({ id }) => ask('POST', '/ext/deactivations', rest.administrator.token, { userId: id }),
  }
  for (const [what, end] of Object.entries(ends))
    test(`by a session that ${what} has ended, although it is still cached`, async () => {
      const person = await rest.signUp()
      await remembered(person.token)
      assert.equal((await end(person)).status, 200)
      await remembered(person.token)
      assertEnvelope(await ask('POST', '/ext/tokens', person.token, wish()), 401)
      assertEnvelope(await ask('POST', '/ext/webhook', person.token, { url: 'https://example.com/x' }), 401)
      assertEnvelope(await ask('POST', '/ext/invitations', person.token), 401)
    })

  test('by an administrator whose role was just taken', async () => {
    const person = await rest.signUp()
    const role = (method: string) =>
      ask(method, '/ext/administrators', rest.administrator.token, { userId: person.id })
    assert.equal((await role('POST')).status, 200)
    const { access_token: token } = await rest.identity.signIn(person.login)
    await remembered(token)
    assert.equal((await role('DELETE')).status, 200)
    await remembered(token)
    const userId = rest.administrator.id
    for (const [path, body] of [
      ['/ext/password-links', { userId }],
      ['/ext/deactivations', { userId }],
      ['/ext/clients', { name: 'x' }],
      ['/ext/webhook', { url: 'https://example.com/x' }],
      ['/ext/tokens', wish()],
      ['/api/user', { name: 'x', login: 'x@example.com', password }],
      ['/ext/batch', { items: [{ operation: 'create', resource: 'user', body: { name: 'x' } }] }],
    ] as const)
      assertEnvelope(await ask('POST', path, token, body), 401)
  })

  test('by a request whose body arrives after the end of the session', async () => {
    const person = await rest.signUp()
    await remembered(person.token)
    const { hostname, port } = new URL(rest.address)
    const body = JSON.stringify({ url: 'https://example.com/x' })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${person.token}`,
        'content-type': 'application/json',
        'content-length': String(body.length),
      }
      const sent = request(
        { hostname, port, path: '/ext/webhook', method: 'POST', headers },
        ({ statusCode }) => resolve(statusCode),
      )
      sent.on('error', reject)
      sent.write(body.slice(0, 1))
      setTimeout(async () => {
        const { access_token: other } = await rest.identity.signIn(person.login)
        await ask('POST', '/ext/sessions/end-all', other)
        sent.end(body.slice(1))
      }, 200)
    })
    assert.equal(await answered, 401)
  })

  test('by requests that waited while the session ended', async () => {
    const { id: userId, login } = await rest.signUp()
    await ask('POST', '/ext/administrators', rest.administrator.token, { userId })
    const { access_token: token } = await rest.identity.signIn(login)
    const elsewhere = await connectOutside(rest.database)
    await elsewhere.query('begin; lock table idempotency_keys in exclusive mode')
    const late = Array.from({ length: 8 }, (_, index) =>
      rest.call('POST', '/api/user', {
        token,
        body: { name: 'Late', login: `late-${index}@example.com`, password },
        headers: { 'idempotency-key': `late-${index}` },
      }),
    )
    await untilWaiting(elsewhere, budgetLimits.keyedWritesOfAccount.max)
    const { access_token: other } = await rest.identity.signIn(login)
    assert.equal((await ask('POST', '/ext/sessions/end-all', other)).status, 200)
    await elsewhere.query('commit')
    for (const answer of await Promise.all(late)) assertEnvelope(answer, 401)
    await elsewhere.end()
  })

  test("by an app with a user's consent: its webhooks would outlast the consent", async () => {
    const { login } = await rest.signUp()
    const scope = 'openid svc.api offline_access'
    const { json } = await tokensAt(openBrowser(rest.identity.address), app, { login, request: { scope } })
    await remembered(json.access_token)
    const url = 'https://example.com/x'
    assertEnvelope(await ask('POST', '/ext/webhook', json.access_token, { url }), 403)
    assertEnvelope(await ask('POST', '/ext/sessions/end-all', json.access_token), 403)
    assertEnvelope(await ask('PATCH', '/api/me', json.access_token, { name: 'App' }), 403)
  })

  test('by an app of an administrator: no account, no role, no deactivation', async () => {
    const administrator = await rest.signUp()
    const person = await rest.signUp()
    const { id: userId, login, name } = person
    const makeAdministrator = { userId: administrator.id }
    await ask('POST', '/ext/administrators', rest.administrator.token, makeAdministrator)
    const request = { scope: 'openid svc.api offline_access' }
    const { json } = await tokensAt(openBrowser(rest.identity.address), app, {
      login: administrator.login,
      request,
    })
    const token = json.access_token
    assert.equal((await rest.call('GET', `/api/user?id=${userId}`, { token })).status, 200)
    const account = { login, name, password: 'Another-Horse-456' }
    const item = { operation: 'update', resource: 'user', body: { id: userId, ...account } }
    for (const [method, path, body] of [
      ['POST', '/api/user', { ...account, login: `x-${login}` }],
      ['PATCH', '/api/user', { id: userId, ...account }],
      ['DELETE', '/api/user', { ids: [userId] }],
      ['POST', '/ext/batch', { items: [item] }],
      ['POST', '/ext/deactivations', { userId }],
      ['DELETE', '/ext/administrators', { userId: rest.administrator.id }],
    ] as const)
      assertEnvelope(await ask(method, path, token, body), 403)
    await rest.identity.signIn(login)
    await remembered(person.token)
  })
})
