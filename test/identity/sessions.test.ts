import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { changePassword } from '../../src/accounts/change-password.ts'
import { createLockouts } from '../../src/accounts/lockouts.ts'
import { type Authentication, createAuthentication } from '../../src/auth/authenticate.ts'
import { sql } from '../../src/db/sql.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  openBrowser,
  queryOf,
  refresh,
  requestOf,
  signedIn,
} from '../support/browser.ts'
import { cheapPasswords, password } from '../support/cheap-passwords.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, robot } from '../support/known-clients.ts'
import { assertRefused } from './support/assert-refused.ts'

const sessionCacheSeconds = 30

describe('a session', () => {
  let host: IdentityUnderTest
  let restHost: Authentication
  let commandHost: Authentication
  before(async () => {
    host = await startIdentityUnderTest()
    const hostOf = (audience: string, scope: string) =>
      createAuthentication({
        database: host.database,
        issuer: host.address,
        audience,
        scope,
        metadataAddress: `${host.address}/.well-known/openid-configuration`,
        administrators: administratorsOf({ adminLogins: ['root@example.com'] }),
        sessionCacheSeconds,
        log: { warn: () => undefined },
        now: host.clock.now,
      })
    restHost = hostOf('svc-api', 'svc.api')
    commandHost = hostOf('svc-grpc', 'svc.grpc')
  })
  after(() => host.stop())

  const isAccepted = (token: string, by = restHost) =>
    by.authenticate(`Bearer ${token}`).then(
      () => true,
      () => false,
    )
  /** Nothing of the session works: neither here at once, nor at the other hosts after half a minute. */
  const assertOver = async (browser: Browser, tokens: { access_token: string; refresh_token: string }) => {
    assertRefused(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    assert.match((await browser.get('/connect/authorize', requestOf(createPkce()))).location, /login-page/)
    assert.equal(browser.cookies.size, 0, 'The identity cookie is removed.')
    host.clock.advance(sessionCacheSeconds * 1000)
    assert.equal(await isAccepted(tokens.access_token), false)
  }

  it('is accepted by the REST host, and by the command host with a token for it', async () => {
    const { tokens } = await signedIn(host.address)
    assert.equal(await isAccepted(tokens.access_token), true)
    assert.equal(await isAccepted(tokens.access_token, commandHost), false)
    assert.equal(await isAccepted(tokens.id_token), false)
    const service = await openBrowser(host.address).post('/connect/token', {
      grant_type: 'client_credentials',
      client_id: robot.id,
      client_secret: robot.secret,
    })
    assert.equal(await isAccepted(service.json.access_token), true)
    assert.equal(await isAccepted(service.json.access_token, commandHost), true)
  })

  it('ends at sign-out, without a page in between', async () => {
    const { browser, tokens } = await signedIn(host.address)
    assert.equal(await isAccepted(tokens.access_token), true)
    const asked = await browser.get('/connect/endsession', {
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${origin}/login/`,
      state: 's-1',
    })
    assert.match(asked.location, /^\/api\/account\/logout\?logoutId=/)
    const left = await browser.get(asked.location)
    assert.equal(left.location, `${origin}/login/?state=s-1`)
    assert.match(left.headers.getSetCookie()[0] ?? '', /^identity=; .*Max-Age=0/)
    assert.deepEqual(
      await host.database.query(
        sql`select id from refresh_tokens where session_id = ${claimsOf(tokens.access_token).sid}`,
      ),
      [],
    )
    await assertOver(browser, tokens)
  })

  it('ends as a whole when a refresh token is used again', async () => {
    const { browser, tokens } = await signedIn(host.address)
    const { json } = await refresh(browser, tokens.refresh_token)
    assert.equal(await isAccepted(json.access_token), true)
    assertRefused(await refresh(browser, tokens.refresh_token), 'invalid_grant')
    await assertOver(browser, json)
  })

  it('ends when the password changes', async () => {
    const { id, login } = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login })
    assert.equal(await isAccepted(tokens.access_token), true)
    await changePassword(
      { database: host.database, passwords: cheapPasswords(), lockouts: createLockouts(host) },
      { id, isAdministrator: false },
      { currentPassword: password, newPassword: 'Another-Horse-2' },
    )
    await assertOver(browser, tokens)
    const again = await signedIn(host.address, { login, password: 'Another-Horse-2' })
    assert.equal(await isAccepted(again.tokens.access_token), true)
  })

  it('ends when the stamp is replaced, with nothing else done', async () => {
    const { id, login } = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login })
    await host.database.transaction((transaction) =>
      transaction.query(sql`update users set security_stamp = 'another' where id = ${id}`),
    )
    await assertOver(browser, tokens)
  })

  it('ends when the account is deactivated', async () => {
    const { id, login } = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login })
    assert.equal(await isAccepted(tokens.access_token), true)
    await host.database.transaction((transaction) =>
      transaction.query(sql`update users set active = false where id = ${id}`),
    )
    await assertOver(browser, tokens)
  })

  it('ends eight hours after the sign-in, however often it was refreshed', async () => {
    const { browser, tokens } = await signedIn(host.address)
    let current = tokens
    for (let hour = 1; hour < 8; hour += 1) {
      host.clock.advance(60 * 60_000)
      current = (await refresh(browser, current.refresh_token)).json
      assert.ok('code' in queryOf(await browser.get('/connect/authorize', requestOf(createPkce()))))
    }
    host.clock.advance(60 * 60_000)
    await assertOver(browser, current)
  })
})
