import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Browser,
  claimsOf,
  createPkce,
  openBrowser,
  queryOf,
  redeem,
  refresh,
  requestOf,
  signIn,
} from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'

const spellings: Readonly<Record<string, (path: string) => string>> = {
  capitals: (path) => path.toUpperCase(),
  'a slash at the end': (path) => `${path}/`,
  'capitals and a slash': (path) => `${path.toUpperCase()}/`,
  escapes: (path) => path.replace('c', '%63').replace('t', '%54'),
}

/** Requests every address in another spelling; redirects are followed unchanged. */
const spelledBy = (browser: Browser, spell: (path: string) => string): Browser => ({
  ...browser,
  get: (path, ...rest) => browser.get(spell(path), ...rest),
  post: (path, ...rest) => browser.post(spell(path), ...rest),
})

describe('The spelling of a path of the identity host', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  for (const [words, spell] of Object.entries(spellings))
    it(`does not matter for a sign-in: ${words}`, async () => {
      const browser = spelledBy(openBrowser(host.address), spell)
      const pkce = createPkce()
      const callback = await signIn(browser, pkce)
      assert.match(callback.location, /\/signin-callback\/\?code=/)
      const { json: tokens } = await redeem(browser, pkce, callback)
      assert.equal(claimsOf(tokens.access_token).sub, host.person.id)
      const { json: renewed } = await refresh(browser, tokens.refresh_token)
      const person = await browser.get('/connect/userinfo', undefined, {
        authorization: `Bearer ${renewed.access_token}`,
      })
      assert.deepEqual([person.status, person.json.sub], [200, host.person.id])
      // The cookie belongs to every path, so the next sign-in asks for no password, in whatever spelling.
      const again = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
      assert.ok(queryOf(again).code)
    })

  it('does not change who may read a response, or its errors', async () => {
    for (const path of ['/Connect/Authorize', '/connect/authorize/', '/CONNECT/ENDSESSION/'])
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await fetch(`${host.address}${path}`, {
          method,
          headers: { origin, 'access-control-request-method': 'GET' },
          redirect: 'manual',
        })
        assert.equal(answer.headers.get('access-control-allow-origin'), null, `${method} ${path}`)
      }
    const refusal = await openBrowser(host.address).post('/CONNECT/Token/', { grant_type: 'none' })
    assert.deepEqual([refusal.status, refusal.json.error], [401, 'invalid_client'])
    const foreign = await openBrowser(host.address).post('/API/Account/Login/', {}, { origin: 'http://evil' })
    assert.equal(foreign.status, 403)
    const wrong = await openBrowser(host.address).get('/CONNECT/Token/')
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST, OPTIONS'])
  })

  it('does not matter to health, documents and pages', async () => {
    for (const path of [
      ...[
        '/Healthz',
        '/READYZ/',
        '/.Well-Known/OpenID-Configuration',
        '/.well-known/openid-configuration/jwks/',
      ],
      ...['/swagger/', '/swagger/index.html', '/Swagger/Index.html', '/swagger/extensions/', '/SWAGGER'],
    ])
      assert.equal((await openBrowser(host.address).get(path)).status, 200, path)
  })
})
