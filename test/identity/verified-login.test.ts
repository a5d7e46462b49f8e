import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { type Browser, claimsOf, openBrowser, queryOf } from '../support/browser.ts'
import { arriveFrom, insertIdentity, startExternalProvider } from '../support/external-provider.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { registrationOf, requestTokens, type SignInOptions, wiki } from '../support/registered-clients.ts'

/** Returns the claim in the identity token, and asserts that userinfo returns the same. */
async function isVerified(browser: Browser, options: SignInOptions = {}): Promise<unknown> {
  const { json } = await requestTokens(browser, wiki, options)
  const authorization = `Bearer ${json.access_token}`
  const { json: person } = await browser.get('/connect/userinfo', {}, { authorization })
  const claim = claimsOf(json.id_token).email_verified
  assert.equal(person.email_verified, claim)
  return claim
}

describe('email_verified', () => {
  const external = fixture(startExternalProvider)
  const host = fixture(() =>
    startIdentityUnderTest({
      environment: {
        ...registrationOf(wiki),
        ...external.settings('linking', { LinkByVerifiedEmail: 'true' }),
        ...external.settings('making', { CreateAccounts: 'true' }),
      },
    }),
  )
  const trusting = fixture(startIdentityUnderTest, {
    environment: { ...registrationOf(wiki), Identity__LoginsAreVerified: 'true' },
  })
  const arrive = async (
    provider: string,
    person: { sub: string; email: string; email_verified: boolean },
  ) => {
    const browser = openBrowser(host.address)
    assert.ok(queryOf(await arriveFrom(external, host.address, { provider, person, browser })).code)
    return browser
  }

  it('is false for a login that nothing has verified', async () => {
    const { login } = await host.addAccount()
    assert.equal(await isVerified(openBrowser(host.address), { login }), false)
  })

  it('is true if a provider has verified the login, until the login changes', async () => {
    const { id, login } = await host.addAccount()
    const person = { sub: `of-${id}`, email: login, email_verified: true }
    assert.equal(await isVerified(await arrive('linking', person)), true)
    assert.equal(await isVerified(openBrowser(host.address), { login }), true)
    await host.database.singleWrites.query(sql`update users set login = ${`new-${login}`} where id = ${id}`)
    assert.equal(await isVerified(openBrowser(host.address), { login: `new-${login}` }), false)
  })

  it('is true for an account that was created by a sign-in at a provider', async () => {
    const person = { sub: 'brought', email: 'brought@example.com', email_verified: true }
    assert.equal(await isVerified(await arrive('making', person)), true)
  })

  it('becomes true at the next sign-in with an identity that has the same verified address', async () => {
    const { id, login } = await host.addAccount()
    const sub = `earlier-${id}`
    await insertIdentity(host.database, external.issuer, { userId: id, subject: sub })
    const arriveLabelled = async (label: string) => {
      await host.database.singleWrites.query(
        sql`update outside_identities set label = ${label} where subject = ${sub}`,
      )
      return arrive('linking', { sub, email: login, email_verified: true })
    }
    assert.equal(await isVerified(await arriveLabelled(`${login} (not verified)`)), false)
    assert.equal(await isVerified(await arriveLabelled('other@example.com')), false)
    assert.equal(await isVerified(await arriveLabelled(login)), true)
  })

  it('is true for every login that is an email address if the settings say so', async () => {
    const { login } = await trusting.addAccount()
    assert.equal(await isVerified(openBrowser(trusting.address), { login }), true)
    const { login: bare } = await trusting.addAccount({ login: 'no-address' })
    assert.equal(await isVerified(openBrowser(trusting.address), { login: bare }), undefined)
  })
})
