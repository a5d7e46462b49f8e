import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { identityDocument } from '../../src/hosts/identity/openapi.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'

describe('the identity provider as others find it', () => {
  let host: IdentityUnderTest
  let browser: Browser
  before(async () => {
    host = await startIdentityUnderTest()
    browser = openBrowser(host.address)
  })
  after(() => host.stop())

  it('is discovered with every endpoint of the contract, S256 only, the implicit grant listed, no device flow', async () => {
    const { json, headers } = await browser.get('/.well-known/openid-configuration')
    const { address: issuer } = host
    assert.equal(json.issuer, issuer)
    assert.equal(json.authorization_endpoint, `${issuer}/connect/authorize`)
    assert.equal(json.token_endpoint, `${issuer}/connect/token`)
    assert.equal(json.revocation_endpoint, `${issuer}/connect/revocation`)
    assert.equal(json.introspection_endpoint, `${issuer}/connect/introspect`)
    assert.equal(json.end_session_endpoint, `${issuer}/connect/endsession`)
    assert.equal(json.userinfo_endpoint, `${issuer}/connect/userinfo`)
    assert.equal(json.jwks_uri, `${issuer}/.well-known/openid-configuration/jwks`)
    assert.deepEqual(json.code_challenge_methods_supported, ['S256'])
    assert.ok(json.grant_types_supported.includes('implicit'))
    assert.ok(json.response_types_supported.includes('id_token'))
    assert.ok(!('device_authorization_endpoint' in json))
    assert.ok(!json.grant_types_supported.some((grant: string) => grant.includes('device')))
    assert.deepEqual(json.id_token_signing_alg_values_supported, ['RS256'])
    assert.match(headers.get('cache-control') ?? '', /max-age=300/)
  })

  it('publishes RS256 keys of 2048 bits, and nothing of their private half', async () => {
    const { json } = await browser.get('/.well-known/openid-configuration/jwks')
    assert.equal(json.keys.length, 1)
    for (const key of json.keys) {
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
      assert.equal(key.alg, 'RS256')
      assert.equal(Buffer.from(key.n, 'base64url').length * 8, 2048)
    }
  })

  it('answers /, /healthz, /readyz and /swagger', async () => {
    assert.equal((await browser.get('/')).text, 'Hello World!')
    assert.equal((await browser.get('/healthz')).status, 200)
    assert.equal((await browser.get('/readyz')).status, 200)
    assert.match((await browser.get('/swagger')).text, /swagger-ui/)
  })

  it('serves exactly the reviewed document, which is valid and gives every operation one tag and an id', async () => {
    const { json } = await browser.get('/swagger/v1/swagger.json')
    const snapshot = await readFile(new URL('../../docs/contract/identity.v1.json', import.meta.url), 'utf8')
    assert.deepEqual(json, JSON.parse(snapshot), 'Run `npm run contract` after a wanted change.')
    assert.equal(snapshot, `${JSON.stringify(identityDocument(), null, 2)}\n`)
    const operations = Object.values<
      Record<string, { tags: string[]; operationId: string; responses: object }>
    >(json.paths).flatMap((path) => Object.values(path))
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
    for (const { tags, responses } of operations) {
      assert.equal(tags.length, 1)
      assert.ok('429' in responses)
    }
  })

  it('lets only the allowed origins read its answers', async () => {
    const path = '/.well-known/openid-configuration'
    const allowed = await browser.get(path, {}, { origin })
    assert.equal(allowed.headers.get('access-control-allow-origin'), origin)
    assert.equal(allowed.headers.get('access-control-allow-credentials'), null)
    assert.match(allowed.headers.get('access-control-expose-headers') ?? '', /Retry-After/)
    for (const foreignOrigin of ['https://evil.example', 'null', `${origin}.evil.example`]) {
      const foreign = await browser.get(path, {}, { origin: foreignOrigin })
      const cors = [...foreign.headers.keys()].filter((name) => name.startsWith('access-control-'))
      assert.deepEqual(cors, [], foreignOrigin)
    }
  })

  it('lets no script read the addresses that browsers are sent to, and asks for none beforehand', async () => {
    const preflight = { origin, 'access-control-request-method': 'POST' }
    for (const path of [
      ...['/connect/authorize', '/connect/authorize?client_id=x', '/connect/endsession'],
      ...['/api/account/login-page', '/api/account/login', '/api/account/logout'],
    ]) {
      const asked = await fetch(new URL(path, host.address), { method: 'OPTIONS', headers: preflight })
      const answers = [asked.headers, (await browser.get(path, {}, { origin })).headers]
      for (const headers of answers)
        assert.deepEqual(
          [...headers.keys()].filter((name) => name.startsWith('access-control-')),
          [],
          path,
        )
    }
    const asked = await fetch(new URL('/connect/token', host.address), {
      method: 'OPTIONS',
      headers: preflight,
    })
    assert.equal(asked.headers.get('access-control-allow-origin'), origin)
  })

  it('rejects unknown paths, wrong methods and wrong types with the envelope', async () => {
    assert.deepEqual((await browser.get('/connect/deviceauthorization')).json, {
      statusCode: 404,
      message: 'There is nothing at this address.',
    })
    const method = await browser.get('/connect/token')
    assert.equal(method.status, 405)
    assert.equal(method.json.statusCode, 405)
    const type = await browser.post('/connect/token', '{}', { 'content-type': 'application/json' })
    assert.equal(type.status, 415)
    assert.equal(type.json.error, 'invalid_request')
    assert.equal(type.json.error_description, type.json.message)
    assert.equal(type.headers.get('x-content-type-options'), 'nosniff')
  })

  it('rejects NUL everywhere, once and for all', async () => {
    for (const path of [
      '/connect/authorize',
      '/api/account/login-page',
      '/api/account/error',
      '/connect/endsession',
    ])
      assert.equal((await browser.get(`${path}?errorId=a%00b`)).status, 400, path)
    for (const path of ['/connect/token', '/api/account/login', '/connect/revocation', '/connect/introspect'])
      assert.equal((await browser.post(path, 'login=a%00&%00=b', { origin })).status, 400, path)
  })
})

describe('a start of the identity host', () => {
  it('with another secret than the keys in the store were made with is rejected with a clear message', async (t) => {
    const host = await startIdentityUnderTest()
    t.after(() => host.stop())
    await assert.rejects(
      host.startAnother({ Jwt__SigningKey: 'not the secret of the other instances' }),
      /encrypted with another secret/,
    )
    assert.equal((await openBrowser(host.address).get('/readyz')).status, 200)
  })
})

describe('the rate limit of the identity host', () => {
  it('lets 60 requests a minute and address through, keeps 5 waiting, and rejects the rest with Retry-After', async (t) => {
    const host = await startIdentityUnderTest({ environment: { RateLimit__Identity__PermitLimit: '' } })
    t.after(() => host.stop())
    const browser = openBrowser(host.address)
    const path = '/.well-known/openid-configuration'
    const admitted = await Promise.all(Array.from({ length: 60 }, () => browser.get(path, {}, { origin })))
    assert.ok(admitted.every(({ status }) => status === 200))
    const controller = new AbortController()
    const waiting = Array.from({ length: 5 }, () =>
      fetch(new URL(path, host.address), { signal: controller.signal }).catch(() => undefined),
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    const refused = await browser.post('/connect/token', { grant_type: 'client_credentials' }, { origin })
    assert.equal(refused.status, 429)
    assert.equal(refused.json.statusCode, 429)
    assert.equal(refused.json.error, 'temporarily_unavailable')
    const seconds = Number(refused.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60)
    assert.equal(refused.headers.get('access-control-allow-origin'), origin)
    assert.equal((await browser.get('/healthz')).status, 200)
    controller.abort()
    await Promise.all(waiting)
  })

  it('counts the client behind one proxy, and never an address that a client made up', async (t) => {
    const host = await startIdentityUnderTest({
      environment: {
        ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
        RateLimit__Identity__PermitLimit: '2',
        RateLimit__Identity__QueueLimit: '0',
      },
    })
    t.after(() => host.stop())
    const browser = openBrowser(host.address)
    const statusFor = async (forwarded: string) =>
      (await browser.get('/', {}, { 'x-forwarded-for': forwarded })).status
    assert.deepEqual([await statusFor('198.51.100.1'), await statusFor('198.51.100.1')], [200, 200])
    assert.equal(await statusFor('198.51.100.1'), 429)
    assert.equal(await statusFor('203.0.113.9, 198.51.100.1'), 429)
    assert.equal(await statusFor('198.51.100.2'), 200)
  })
})
