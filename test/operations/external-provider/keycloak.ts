import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../../src/db/sql.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  openBrowser,
  type Page,
  queryOf,
  redeem,
  requestOf,
} from '../../support/browser.ts'
import { fixture } from '../../support/fixture.ts'
import { startIdentityUnderTest } from '../../support/identity-host.ts'

const issuer = process.env.KEYCLOAK_ISSUER ?? ''
const password = 'Keycloak-Horse-1'

const settingsOf = (id: string, extraSettings: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries({
      Issuer: issuer,
      ClientId: 'tracker',
      ClientSecret: 'a secret that Keycloak has given',
      ...extraSettings,
    }).map(([name, value]) => [`Identity__Providers__${id}__${name}`, value]),
  )

describe('Keycloak as the external provider', () => {
  const host = fixture(startIdentityUnderTest, {
    environment: {
      ...settingsOf('plain'),
      ...settingsOf('open', { LinkByVerifiedEmail: 'true', CreateAccounts: 'true' }),
      ...settingsOf('wrong', { ClientSecret: 'another secret' }),
    },
  })

  const leave = async (
    browser: Browser,
    provider: string,
    pkce = createPkce(),
    overrides = {},
  ): Promise<Page> => {
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce, overrides)))
    return browser.get('/ext/sign-in/with', { provider, authRequest: queryOf(page).authRequest ?? '' })
  }
  /** Fills in the form of Keycloak, unless the browser already has a session there. */
  const signInThere = async (left: Page, username: string, there = openBrowser(issuer)): Promise<Page> => {
    const page = await there.follow(await there.get(left.location))
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page.text) ?? []
    if (action === undefined) return page
    return there.follow(
      await there.post(action.replaceAll('&amp;', '&'), { username, password, credentialId: '' }),
    )
  }
  const arrive = async (provider: string, username: string): Promise<Page> => {
    const browser = openBrowser(host.address)
    return browser.follow(await signInThere(await leave(browser, provider), username))
  }

  it('signs in only users that the settings allow', async () => {
    assert.equal((await arrive('plain', 'ann')).status, 403)
    const unverified = await arrive('open', 'bob')
    assert.equal(unverified.status, 403, unverified.text)
    assert.ok(queryOf(await arrive('open', 'ann')).code)
    assert.ok(queryOf(await arrive('plain', 'ann')).code)
    const made = await host.database.query<{ name: string }>(
      sql`select name from users where login = 'ann@example.com'`,
    )
    assert.deepEqual(made, [{ name: 'Ann Example' }])
  })

  it('asks a user who must sign in again for the password, and ends its session at the sign-out', async () => {
    const browser = openBrowser(host.address)
    const there = openBrowser(issuer)
    const pkce = createPkce()
    const callback = await browser.follow(await signInThere(await leave(browser, 'open', pkce), 'ann', there))
    const { json } = await redeem(browser, pkce, callback)
    const again = await leave(browser, 'open', createPkce(), { prompt: 'login' })
    assert.match((await there.follow(await there.get(again.location))).text, /<form/)
    const left = await browser.follow(
      await browser.get('/connect/endsession', {
        id_token_hint: json.id_token,
        post_logout_redirect_uri: 'http://app.example.test/login/',
      }),
    )
    assert.equal(claimsOf(queryOf(left).id_token_hint ?? '').preferred_username, 'ann')
    const back = await browser.follow(await there.follow(await there.get(left.location)))
    assert.equal(back.location, 'http://app.example.test/login/')
    const silent = await leave(browser, 'open')
    assert.match((await there.follow(await there.get(silent.location))).text, /<form/)
  })

  it('is not used if the client secret is wrong', async () => {
    const page = await arrive('wrong', 'ann')
    assert.equal(page.status, 400)
    assert.match(page.text, /did not confirm your sign-in/)
  })

  it('is reported as unreachable once it has stopped', async () => {
    const browser = openBrowser(host.address)
    const callback = await signInThere(await leave(browser, 'open'), 'ann')
    process.kill(-Number(process.env.KEYCLOAK_PROCESS))
    await new Promise((resolve) => setTimeout(resolve, 5000))
    assert.match((await browser.follow(callback)).text, /cannot be reached/)
  })
})
