import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { IdentityHost } from '../../src/hosts/identity/main.ts'
import { createPkce, openBrowser } from '../support/browser.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'
import { portal, registrationOf, requestAt, wiki } from '../support/registered-clients.ts'

const environment = { ...registrationOf(wiki), ...registrationOf(portal) }

describe('what the provider says of itself', () => {
  it('is the contract’s where no client is registered, and always true in the document of RFC 8414', async (t) => {
    const [plain, full] = await Promise.all([
      startIdentityUnderTest(),
      startIdentityUnderTest({ environment }),
    ])
    t.after(() => Promise.all([plain.stop(), full.stop()]))
    const read = async (address: string, name: string) =>
      (await openBrowser(address).get(`/.well-known/${name}`)).json
    const contract = await read(plain.address, 'openid-configuration')
    assert.deepEqual(contract.response_modes_supported, ['query'])
    assert.ok(!contract.scopes_supported.includes('email'))
    const discovery = await read(full.address, 'openid-configuration')
    assert.deepEqual(discovery.response_modes_supported, ['query', 'fragment', 'form_post'])
    assert.ok(discovery.grant_types_supported.includes('implicit'), 'The contract wants it listed.')
    const metadata = await read(full.address, 'oauth-authorization-server')
    assert.equal(metadata.issuer, full.address)
    assert.deepEqual(metadata.response_types_supported, ['code'])
    assert.deepEqual(metadata.grant_types_supported, [
      ...['authorization_code', 'refresh_token', 'client_credentials'],
    ])
    for (const [name, value] of Object.entries(metadata))
      if (!/^(response_types|grant_types|ui_locales)_supported$/.test(name))
        assert.deepEqual(discovery[name], value, name)
  })

  it('beyond the contract is in a separate document, as it was reviewed', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    const { json } = await openBrowser(host.address).get('/swagger/extensions.v1.json')
    const snapshot = new URL('../../docs/contract/identity-extensions.v1.json', import.meta.url)
    assert.deepEqual(json, JSON.parse(await readFile(snapshot, 'utf8')))
  })

  it('describes every address under /ext/ that is served, and serves every one that it describes', async (t) => {
    const provider = { Issuer: 'https://login.example.com', ClientId: 'tracker' }
    const settings = Object.entries(provider).map(([name, value]) => [
      `Identity__Providers__corp__${name}`,
      value,
    ])
    const host = await startIdentityUnderTest({
      environment: { ...environment, ...Object.fromEntries(settings) },
    })
    t.after(() => host.stop())
    const { json } = await openBrowser(host.address).get('/swagger/extensions.v1.json')
    const described = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('{provider}', 'corp')}`),
    )
    // Scripts are parts of pages.
    const served = routesOf(host.host.app).filter((route) => / \/ext\/.*(?<!\.js)$/.test(route))
    assert.ok(served.length > 25, served.join())
    assert.deepEqual(described.filter((route) => route.includes(' /ext/')).toSorted(), served.toSorted())
  })

  it('and every client of the settings, are gone while the extensions are off', async (t) => {
    const host = await startIdentityUnderTest({ environment: { ...environment, EXTENSIONS: 'off' } })
    t.after(() => host.stop())
    const browser = openBrowser(host.address)
    const refused = await browser.get('/connect/authorize', requestAt(wiki, createPkce()))
    assert.ok(refused.location.startsWith(`${origin}/login/?errorId=`), refused.location)
    for (const path of ['/.well-known/oauth-authorization-server', '/ext/sign-in', '/ext/form-post.js'])
      assert.equal((await browser.get(path)).status, 404, path)
    const { json } = await browser.get('/.well-known/openid-configuration')
    assert.deepEqual(json.response_modes_supported, ['query'])
  })
})

/** By method and path, without those that Fastify adds for HEAD and for other origins. */
function routesOf(app: IdentityHost['app']): readonly string[] {
  // The tree has a branch's part of the path on each line, four more signs to the right for each level.
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = line.match(/^(.*?── )(\S+)(?: \((.*)\))?$/) ?? []
      const depth = indent.length / 4 - 1
      above.splice(depth, above.length, part)
      const path = above.join('')
      return methods
        .split(', ')
        .flatMap((method) => (/^(GET|POST)$/.test(method) ? [`${method} ${path}`] : []))
    })
}
