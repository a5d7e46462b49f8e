import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { createPkce, type Fields, openBrowser, queryOf, redeem, requestOf } from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import {
  arriveFrom,
  insertIdentity,
  type OutsideProviderUnderTest,
  startOutsideProvider,
} from '../support/outside-provider.ts'
import { submit } from '../support/registered-clients.ts'
import { askFactors, setUpApp } from '../support/second-factors.ts'

describe('a sign-in by a provider without a fresh authentication', () => {
  let outside: OutsideProviderUnderTest
  let host: IdentityUnderTest
  before(async () => {
    outside = await startOutsideProvider()
    host = await startIdentityUnderTest({ environment: outside.settings('plain') })
    await insertIdentity(host.database, outside.issuer, { userId: host.person.id, subject: 'ada' })
  })
  after(async () => {
    await host?.stop()
    await outside?.stop()
  })

  const arrive = async (request: Fields = {}, browser = openBrowser(host.address)) => {
    const pkce = createPkce()
    const way = { provider: 'plain', person: { sub: 'ada' }, browser, pkce, request }
    const page = await arriveFrom(outside, host.address, way)
    return { browser, token: (await redeem(browser, pkce, page)).json.access_token }
  }

  it('changes no factors and connects no other provider, as one that did may', async () => {
    const [old, fresh] = [await arrive(), await arrive({ prompt: 'login' })]
    const refused = await askFactors(host, old.token, '/app', {})
    assert.deepEqual([refused.status, refused.json.error], [401, 'insufficient_user_authentication'])
    assert.match((await old.browser.get('/ext/connect', { provider: 'plain' })).text, /sign in again first/)
    assert.equal((await askFactors(host, fresh.token, '/app', {})).status, 200)
    assert.equal((await fresh.browser.get('/ext/connect', { provider: 'plain' })).status, 302)
  })

  it('is no answer to a client that wants a new one', async () => {
    for (const wanted of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login', max_age: '0' }]) {
      const browser = openBrowser(host.address)
      const page = await browser.follow(
        await browser.get('/connect/authorize', requestOf(createPkce(), wanted as Fields)),
      )
      const { authRequest = '' } = queryOf(page)
      await arrive({}, browser)
      const again = await browser.follow(await browser.get('/connect/authorize', { authRequest }))
      assert.equal(queryOf(again).code, undefined, JSON.stringify(wanted))
      assert.match(again.location, /^http:\/\/app.example.test\/login\//)
    }
  })

  it('is none once its identity was disconnected before the second step', async () => {
    const { id, login } = await host.addAccount()
    const app = await setUpApp(host, login)
    await insertIdentity(host.database, outside.issuer, { userId: id, subject: login })
    const browser = openBrowser(host.address)
    const way = { provider: 'plain', person: { sub: login }, browser }
    const step = await arriveFrom(outside, host.address, way)
    assert.equal(step.address.pathname, '/ext/second-step')
    await host.database.single.query(sql`delete from outside_identities where user_id = ${id}`)
    await submit(browser, step, { code: app.code() })
    assert.equal(browser.cookies.has('identity'), false)
  })
})
