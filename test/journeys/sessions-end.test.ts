import assert from 'node:assert/strict'
import { request } from 'node:http'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { budgetLimits } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { inDays } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assertions.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  openBrowser,
  postSignIn,
  queryOf,
  refresh,
  requestOf,
  signedIn,
  type Tokens,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { origin } from '../support/known-clients.ts'
import { wiki as app, registrationOf, requestTokens } from '../support/registered-clients.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { setUpApp } from '../support/second-factors.ts'

const cacheSeconds = 1
const newPassword = 'Another-456'

interface SignedIn extends Person {
  readonly browser: Browser
  readonly tokens: Tokens
}

// Runs the identity host and two REST instances, because a session must end on all of them.
describe('Everything issued to a session', { concurrency: true }, () => {
  let addresses: readonly string[]

  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: String(cacheSeconds) })
  before(async () => {
    addresses = [rest.address, (await rest.startAnother()).address]
  })

  async function join(): Promise<SignedIn> {
    const person = await rest.signUp({ name: 'Mara' })
    return { ...person, ...(await signedIn(rest.identity.address, { login: person.login })) }
  }
  const statusesWith = (token: string) =>
    Promise.all(addresses.map(async (address) => (await send(address, 'GET', '/api/me', { token })).status))
  const asAdministrator = async (method: string, path: string, body: object) => {
    const answer = await rest.administrator.call(method, path, body)
    assert.deepEqual([answer.status, answer.body.success], [200, true])
  }
  /** Requests a code. Returns where the browser ends: at the client, or at the sign-in page. */
  const destination = async (browser: Browser) => {
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    return queryOf(page).code === undefined ? 'sign-in page' : 'client'
  }

  async function assertActive({ browser, tokens }: SignedIn) {
    assert.deepEqual(await statusesWith(tokens.access_token), [200, 200])
    assert.equal(await destination(browser), 'client')
  }

  async function assertEnded({ browser, tokens }: SignedIn) {
    assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
    const authorization = `Bearer ${tokens.access_token}`
    assert.equal((await browser.get('/connect/userinfo', {}, { authorization })).status, 401)
    assert.equal(await destination(browser), 'sign-in page')
    assert.equal(browser.cookies.size, 0)
    // The identity host knows at once, the others when their cache expires.
    await sleep(cacheSeconds * 1000)
    assert.deepEqual(await statusesWith(tokens.access_token), [401, 401])
    assertEnvelope(await rest.call('GET', '/api/projects', { token: tokens.access_token }), 401)
  }

  /** Changes of credentials. Each returns the login and the password that are valid afterwards. */
  const credentialChanges: Readonly<
    Record<string, (person: SignedIn) => Promise<{ readonly login: string; readonly password: string }>>
  > = {
    async 'a new password from an administrator'({ id, name, login }) {
      await asAdministrator('PATCH', '/api/user', { id, name, login, password: newPassword })
      return { login, password: newPassword }
    },
    async 'a new login from an administrator'({ id, name }) {
      const login = `renamed-${id}@example.com`
      await asAdministrator('PATCH', '/api/user', { id, name, login })
      return { login, password }
    },
    async 'a new password from the user'({ login, token }) {
      const body = { currentPassword: password, newPassword }
      assert.equal((await rest.call('POST', '/api/me/password', { token, body })).status, 200)
      return { login, password: newPassword }
    },
  }
  for (const [cause, change] of Object.entries(credentialChanges))
    test(`stops working on every instance after ${cause}`, async () => {
      const firstSession = await join()
      const otherSession = await signedIn(rest.identity.address, { login: firstSession.login })
      const service = await rest.identity.serviceToken(firstSession.login)
      for (const session of [firstSession, { ...firstSession, ...otherSession }]) await assertActive(session)
      assert.deepEqual(await statusesWith(service), [200, 200])
      const credentials = await change(firstSession)
      await Promise.all([firstSession, { ...firstSession, ...otherSession }].map(assertEnded))
      assert.deepEqual(await statusesWith(service), [401, 401])
      const { access_token: fresh } = await rest.identity.signIn(credentials.login, credentials)
      assert.deepEqual(await statusesWith(fresh), [200, 200])
      const old = await postSignIn(openBrowser(rest.identity.address), createPkce(), {
        login: firstSession.login,
        password,
      })
      assert.equal(queryOf(old).error, 'invalid')
    })

  const ends: Readonly<Record<string, (person: SignedIn) => Promise<unknown>>> = {
    'the account is removed': ({ id }) => asAdministrator('DELETE', '/api/user', { ids: [id] }),
    async 'the user signs out'({ browser, tokens }) {
      const page = await browser.get('/connect/endsession', {
        id_token_hint: tokens.id_token,
        post_logout_redirect_uri: `${origin}/login/`,
      })
      assert.equal((await browser.follow(page)).location, `${origin}/login/`)
    },
    async 'a refresh token is used a second time'({ browser, tokens }) {
      const successor = (await refresh(browser, tokens.refresh_token)).json
      assert.deepEqual(await statusesWith(successor.access_token), [200, 200])
      assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
      assert.equal((await refresh(browser, successor.refresh_token)).json.error, 'invalid_grant')
    },
  }
  for (const [cause, end] of Object.entries(ends))
    test(`stops working on every instance when ${cause}`, async () => {
      const person = await join()
      await assertActive(person)
      await end(person)
      await assertEnded(person)
    })

  test('keeps working when another session of the same user ends', async () => {
    const person = await join()
    const otherSession = await signedIn(rest.identity.address, { login: person.login })
    const { browser, tokens } = otherSession
    await browser.follow(await browser.get('/connect/endsession', { id_token_hint: tokens.id_token }))
    await assertEnded({ ...person, ...otherSession })
    await assertActive(person)
    assert.equal((await refresh(person.browser, person.tokens.refresh_token)).status, 200)
  })

  test('keeps working when a refresh token is revoked, except for that token', async () => {
    const person = await join()
    const { browser, tokens } = person
    const form = { client_id: 'svc-webclient', token: tokens.refresh_token }
    assert.equal((await browser.post('/connect/revocation', form)).status, 200)
    assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
    await assertActive(person)
  })
})

const realClock = { now: Date.now, advance: () => undefined }

/** A session that is stolen for a minute could otherwise create a link that leads to a permanent account. */
describe('A link of a session ends', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest)

  const ask = (method: string, path: string, token: string | undefined, body: unknown = {}) =>
    rest.call(method, path, { token, body })
  const asRoot = (method: string, path: string, body: unknown) =>
    ask(method, path, rest.administrator.token, body)
  /** Creates a user who may create every kind of link, with two sessions, one of which is stolen. */
  const signUpOwner = async () => {
    const owner = await rest.signUp()
    assert.equal((await asRoot('POST', '/ext/administrators', { userId: owner.id })).status, 200)
    const [{ access_token: stolen, refresh_token: stolenRefresh }, { access_token: ownToken }] =
      await Promise.all([rest.identity.signIn(owner.login), rest.identity.signIn(owner.login)])
    return { ...owner, stolen, stolenRefresh, ownToken }
  }
  const makeLinks = async (token: string, person: Person): Promise<readonly [string, string]> => {
    const [invitation, passwordLink] = await Promise.all([
      ask('POST', '/ext/invitations', token),
      ask('POST', '/ext/password-links', token, { userId: person.id }),
    ])
    assert.deepEqual([invitation.status, passwordLink.status], [200, 200])
    return [invitation.body.secret, passwordLink.body.secret]
  }
  const useBoth = async ([invitation, passwordLink]: readonly [string, string]) => {
    const login = `${crypto.randomUUID()}@example.com`
    const account = { secret: invitation, name: 'N', login, password }
    const accepted = await ask('POST', '/ext/invitations/accept', undefined, account)
    const change = { secret: passwordLink, newPassword: 'Another-Horse-456' }
    const changed = await ask('POST', '/ext/password-links/use', undefined, change)
    return [accepted.status, changed.status]
  }

  type Owner = Awaited<ReturnType<typeof signUpOwner>>
  const ends: Readonly<Record<string, (owner: Owner) => Promise<unknown>>> = {
    'its owner ends that session on another device': ({ ownToken, stolen }) =>
      ask('DELETE', '/ext/sessions', ownToken, { ids: [claimsOf(stolen).sid] }),
    'an administrator ends that session': ({ stolen }) =>
      asRoot('DELETE', '/ext/sessions', { ids: [claimsOf(stolen).sid] }),
    'its owner ends all sessions': ({ ownToken }) => ask('POST', '/ext/sessions/end-all', ownToken),
    'its owner sets a new password': ({ ownToken }) =>
      ask('POST', '/api/me/password', ownToken, {
        currentPassword: password,
        newPassword: 'Other-Horse-456',
      }),
    'the session has already ended, and its owner sets up a second factor': async ({
      stolen,
      login,
      ownToken,
    }) => {
      await rest.database.singleWrites.query(
        sql`update signin_sessions set ended_at = now() where id = ${claimsOf(stolen).sid}`,
      )
      return setUpApp({ ...rest.identity, clock: realClock }, login, ownToken)
    },
    'its owner loses the role of an administrator': ({ id }) =>
      asRoot('DELETE', '/ext/administrators', { userId: id }),
    'its refresh token is used twice': async ({ stolenRefresh }) => {
      for (let use = 0; use < 2; use += 1) await refresh(openBrowser(rest.identity.address), stolenRefresh)
    },
    'its owner sets up a second factor': ({ login, ownToken }) =>
      setUpApp({ ...rest.identity, clock: realClock }, login, ownToken),
  }
  for (const [cause, end] of Object.entries(ends))
    test(`when ${cause}`, async () => {
      const owner = await signUpOwner()
      const links = await makeLinks(owner.stolen, await rest.signUp())
      await end(owner)
      assert.deepEqual(await useBoth(links), [410, 410])
    })

  test('not when another session of the account ends', async () => {
    const owner = await signUpOwner()
    const links = await makeLinks(owner.ownToken, await rest.signUp())
    await ask('DELETE', '/ext/sessions', owner.ownToken, { ids: [claimsOf(owner.stolen).sid] })
    assert.deepEqual(await useBoth(links), [200, 200])
  })

  test('even if it is created while the session ends', async () => {
    const owner = await signUpOwner()
    const ids = [claimsOf(owner.stolen).sid]
    const invitations = Array.from({ length: 10 }, () => ask('POST', '/ext/invitations', owner.stolen))
    assert.equal((await ask('DELETE', '/ext/sessions', owner.ownToken, { ids })).status, 200)
    for (const { status, body } of await Promise.all(invitations)) {
      if (status === 401) continue
      assert.equal(status, 200)
      const account = { name: 'N', login: `${crypto.randomUUID()}@example.com`, password }
      assertEnvelope(
        await ask('POST', '/ext/invitations/accept', undefined, { secret: body.secret, ...account }),
        410,
      )
    }
  })
})

/**
 * The host caches a session for thirty seconds, during which the session could otherwise create something
 * that lasts a year.
 */
describe('Nothing long-lived is created', { concurrency: true }, () => {
  const scopes = { Scopes__0: 'openid', Scopes__1: 'svc.api', Scopes__2: 'offline_access' }
  const rest = fixture(
    startRestUnderTest,
    registrationOf({ ...app, extraSettings: { ...app.extraSettings, ...scopes } }),
  )

  const ask = (method: string, path: string, token: string, body: unknown = {}) =>
    rest.call(method, path, { token, body })
  const requested = () => ({ name: 'Late', scopes: ['*:write'], expiresAt: inDays(300) })
  const cacheSession = async (token: string) =>
    assert.equal((await rest.call('GET', '/api/me', { token })).status, 200)

  const ends: Readonly<Record<string, (person: Person) => Promise<{ readonly status: number }>>> = {
    'a new password': ({ token }) =>
      ask('POST', '/api/me/password', token, { currentPassword: password, newPassword: 'Another-Horse-456' }),
    'a password from an administrator': ({ id, login, name }) =>
      ask('PATCH', '/api/user', rest.administrator.token, { id, login, name, password: 'Another-Horse-456' }),
    'the end of all sessions': async ({ login }) => {
      const { access_token: other } = await rest.identity.signIn(login)
      return ask('POST', '/ext/sessions/end-all', other)
    },
    'a deactivation': ({ id }) => ask('POST', '/ext/deactivations', rest.administrator.token, { userId: id }),
  }
  for (const [cause, end] of Object.entries(ends))
    test(`by a session that ${cause} has ended`, async () => {
      const person = await rest.signUp()
      await cacheSession(person.token)
      assert.equal((await end(person)).status, 200)
      await cacheSession(person.token)
      assertEnvelope(await ask('POST', '/ext/tokens', person.token, requested()), 401)
      assertEnvelope(await ask('POST', '/ext/webhook', person.token, { url: 'https://example.com/x' }), 401)
      assertEnvelope(await ask('POST', '/ext/invitations', person.token), 401)
    })

  test('by an administrator whose role was just revoked', async () => {
    const person = await rest.signUp()
    const changeRole = (method: 'POST' | 'DELETE') =>
      ask(method, '/ext/administrators', rest.administrator.token, { userId: person.id })
    assert.equal((await changeRole('POST')).status, 200)
    const { access_token: token } = await rest.identity.signIn(person.login)
    await cacheSession(token)
    assert.equal((await changeRole('DELETE')).status, 200)
    await cacheSession(token)
    const userId = rest.administrator.id
    for (const [path, body] of [
      ['/ext/password-links', { userId }],
      ['/ext/deactivations', { userId }],
      ['/ext/clients', { name: 'x' }],
      ['/ext/webhook', { url: 'https://example.com/x' }],
      ['/ext/tokens', requested()],
      ['/api/user', { name: 'x', login: 'x@example.com', password }],
      ['/ext/batch', { items: [{ operation: 'create', resource: 'user', body: { name: 'x' } }] }],
    ] as const)
      assertEnvelope(await ask('POST', path, token, body), 401)
  })

  test('by a request whose body arrives after the end of the session', async () => {
    const person = await rest.signUp()
    await cacheSession(person.token)
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
    await using direct = await connectDirectly(rest.database)
    await direct.query('begin; lock table idempotency_keys in exclusive mode')
    const waitingRequests = Array.from({ length: 8 }, (_, index) =>
      rest.call('POST', '/api/user', {
        token,
        body: { name: 'Late', login: `late-${index}@example.com`, password },
        headers: { 'idempotency-key': `late-${index}` },
      }),
    )
    await untilWaiting(direct, budgetLimits.keyedWritesOfAccount.max)
    const { access_token: other } = await rest.identity.signIn(login)
    assert.equal((await ask('POST', '/ext/sessions/end-all', other)).status, 200)
    await direct.query('commit')
    for (const answer of await Promise.all(waitingRequests)) assertEnvelope(answer, 401)
  })

  test("by an app with a user's consent", async () => {
    const { login } = await rest.signUp()
    const scope = 'openid svc.api offline_access'
    const { json } = await requestTokens(openBrowser(rest.identity.address), app, {
      login,
      request: { scope },
    })
    await cacheSession(json.access_token)
    const url = 'https://example.com/x'
    assertEnvelope(await ask('POST', '/ext/webhook', json.access_token, { url }), 403)
    assertEnvelope(await ask('POST', '/ext/sessions/end-all', json.access_token), 403)
    assertEnvelope(await ask('PATCH', '/api/me', json.access_token, { name: 'App' }), 403)
  })

  test('by an app of an administrator, such as an account, a role or a deactivation', async () => {
    const administrator = await rest.signUp()
    const person = await rest.signUp()
    const { id: userId, login, name } = person
    const makeAdministrator = { userId: administrator.id }
    await ask('POST', '/ext/administrators', rest.administrator.token, makeAdministrator)
    const request = { scope: 'openid svc.api offline_access' }
    const { json } = await requestTokens(openBrowser(rest.identity.address), app, {
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
    await cacheSession(person.token)
  })
})
