import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertEnvelope } from '../support/assert-envelope.ts'
import {
  type Browser,
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
import { origin } from '../support/known-clients.ts'
import { type Person, type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

const cacheSeconds = 1
const newPassword = 'Another-456'

interface SignedIn extends Person {
  readonly browser: Browser
  readonly tokens: Tokens
}

// Both hosts run for real, REST twice: whatever ends a sign-in ends it everywhere.
describe('What was issued before', { concurrency: true }, () => {
  let rest: RestUnderTest
  let addresses: readonly string[]

  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: String(cacheSeconds) })
    addresses = [rest.address, (await rest.startAnother()).address]
  })
  after(() => rest.stop())

  async function join(): Promise<SignedIn> {
    const person = await rest.signUp({ name: 'Mara' })
    return { ...person, ...(await signedIn(rest.identity.address, { login: person.login })) }
  }
  const seenBy = (token: string) =>
    Promise.all(addresses.map(async (address) => (await send(address, 'GET', '/api/me', { token })).status))
  const asAdministrator = async (method: string, path: string, body: object) => {
    const answer = await rest.call(method, path, { token: rest.administrator.token, body })
    assert.deepEqual([answer.status, answer.body.success], [200, true])
  }
  /** Where a browser lands that asks for a code: at the client with one, or at the sign-in page. */
  const landing = async (browser: Browser) => {
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    return queryOf(page).code === undefined ? 'sign-in page' : 'client'
  }

  async function assertStands({ browser, tokens }: SignedIn) {
    assert.deepEqual(await seenBy(tokens.access_token), [200, 200])
    assert.equal(await landing(browser), 'client')
  }

  async function assertEnded({ browser, tokens }: SignedIn) {
    assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
    const authorization = `Bearer ${tokens.access_token}`
    assert.equal((await browser.get('/connect/userinfo', {}, { authorization })).status, 401)
    assert.equal(await landing(browser), 'sign-in page')
    assert.equal(browser.cookies.size, 0)
    // The identity host knows at once, the others when their cache has asked again.
    await sleep(cacheSeconds * 1000)
    assert.deepEqual(await seenBy(tokens.access_token), [401, 401])
    assertEnvelope(await rest.call('GET', '/api/projects', { token: tokens.access_token }), 401)
  }

  /** Each with the password and the login that work afterwards. */
  const credentialChanges: readonly (readonly [
    string,
    (person: SignedIn) => Promise<{ readonly login: string; readonly password: string }>,
  ])[] = [
    [
      'a new password from an administrator',
      async ({ id, name, login }) => {
        await asAdministrator('PATCH', '/api/user', { id, name, login, password: newPassword })
        return { login, password: newPassword }
      },
    ],
    [
      'a new login from an administrator',
      async ({ id, name }) => {
        const login = `renamed-${id}@example.com`
        await asAdministrator('PATCH', '/api/user', { id, name, login })
        return { login, password }
      },
    ],
    [
      'a new password of one’s own',
      async ({ login, token }) => {
        const body = { currentPassword: password, newPassword }
        assert.equal((await rest.call('POST', '/api/me/password', { token, body })).status, 200)
        return { login, password: newPassword }
      },
    ],
  ]
  for (const [what, change] of credentialChanges)
    test(`stops working after ${what}: cookie, refresh tokens, access tokens, on every instance`, async () => {
      const here = await join()
      const elsewhere = await signedIn(rest.identity.address, { login: here.login })
      const service = await rest.identity.serviceToken(here.login)
      for (const one of [here, { ...here, ...elsewhere }]) await assertStands(one)
      assert.deepEqual(await seenBy(service), [200, 200])
      const credentials = await change(here)
      await Promise.all([here, { ...here, ...elsewhere }].map(assertEnded))
      assert.deepEqual(await seenBy(service), [401, 401])
      const { access_token: fresh } = await rest.identity.signIn(credentials.login, credentials)
      assert.deepEqual(await seenBy(fresh), [200, 200])
      const old = await postSignIn(openBrowser(rest.identity.address), createPkce(), {
        login: here.login,
        password,
      })
      assert.equal(queryOf(old).error, 'invalid')
    })

  const ends: readonly (readonly [string, (person: SignedIn) => Promise<unknown>])[] = [
    ['the account is removed', ({ id }) => asAdministrator('DELETE', '/api/user', { ids: [id] })],
    [
      'the person signs out',
      async ({ browser, tokens }) => {
        const page = await browser.get('/connect/endsession', {
          id_token_hint: tokens.id_token,
          post_logout_redirect_uri: `${origin}/login/`,
        })
        assert.equal((await browser.follow(page)).location, `${origin}/login/`)
      },
    ],
    [
      'a refresh token is used a second time',
      async ({ browser, tokens }) => {
        const successor = (await refresh(browser, tokens.refresh_token)).json
        assert.deepEqual(await seenBy(successor.access_token), [200, 200])
        assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
        assert.equal((await refresh(browser, successor.refresh_token)).json.error, 'invalid_grant')
      },
    ],
  ]
  for (const [what, end] of ends)
    test(`stops working when ${what}: cookie, refresh tokens, access tokens, on every instance`, async () => {
      const person = await join()
      await assertStands(person)
      await end(person)
      await assertEnded(person)
    })

  test('keeps working when another session of the same user ends', async () => {
    const person = await join()
    const elsewhere = await signedIn(rest.identity.address, { login: person.login })
    const { browser, tokens } = elsewhere
    await browser.follow(await browser.get('/connect/endsession', { id_token_hint: tokens.id_token }))
    await assertEnded({ ...person, ...elsewhere })
    await assertStands(person)
    assert.equal((await refresh(person.browser, person.tokens.refresh_token)).status, 200)
  })

  test('goes on working when a refresh token is revoked, which itself stops at once', async () => {
    const person = await join()
    const { browser, tokens } = person
    const form = { client_id: 'svc-webclient', token: tokens.refresh_token }
    assert.equal((await browser.post('/connect/revocation', form)).status, 200)
    assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
    await assertStands(person)
  })
})
