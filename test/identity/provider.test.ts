import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { IdentityHost } from '../../src/hosts/identity/main.ts'
import { identityDocument } from '../../src/hosts/identity/openapi.ts'
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
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'
import { authorizationRequestOf, portal, registrationOf, wiki } from '../support/registered-clients.ts'

describe('the identity provider', () => {
  const host = fixture(startIdentityUnderTest)
  const browser = fixture(() => openBrowser(host.address))

  it('is discovered with every endpoint of the contract', async () => {
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

  it('publishes RS256 keys of 2048 bits', async () => {
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

  it('serves exactly the reviewed document', async () => {
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

  it('lets only allowed origins read its responses', async () => {
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

  it('lets no script read navigation paths', async () => {
    const preflight = { origin, 'access-control-request-method': 'POST' }
    for (const path of [
      '/connect/authorize',
      '/connect/authorize?client_id=x',
      '/connect/endsession',
      '/api/account/login-page',
      '/api/account/login',
      '/api/account/logout',
    ]) {
      const preflightResponse = await fetch(new URL(path, host.address), {
        method: 'OPTIONS',
        headers: preflight,
      })
      const answers = [preflightResponse.headers, (await browser.get(path, {}, { origin })).headers]
      for (const headers of answers)
        assert.deepEqual(
          [...headers.keys()].filter((name) => name.startsWith('access-control-')),
          [],
          path,
        )
    }
    const preflightResponse = await fetch(new URL('/connect/token', host.address), {
      method: 'OPTIONS',
      headers: preflight,
    })
    assert.equal(preflightResponse.headers.get('access-control-allow-origin'), origin)
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

  it('rejects NUL in every parameter', async () => {
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
  it('with a secret other than that of the stored keys is rejected with a clear message', async () => {
    await using host = await startIdentityUnderTest()
    await assert.rejects(
      host.startAnother({ Jwt__SigningKey: 'not the secret of the other instances' }),
      /encrypted with another secret/,
    )
    assert.equal((await openBrowser(host.address).get('/readyz')).status, 200)
  })
})

describe('the rate limit of the identity host', () => {
  it('accepts 60 requests per minute and address', async () => {
    await using host = await startIdentityUnderTest({ environment: { RateLimit__Identity__PermitLimit: '' } })
    const browser = openBrowser(host.address)
    const path = '/.well-known/openid-configuration'
    const admitted = await Promise.all(Array.from({ length: 60 }, () => browser.get(path, {}, { origin })))
    assert.ok(admitted.every(({ status }) => status === 200))
    const controller = new AbortController()
    // Five of these requests may wait. Once the sixth was rejected, the others have arrived.
    const waiting = Array.from({ length: 6 }, () =>
      fetch(new URL(path, host.address), { signal: controller.signal }).catch(() => undefined),
    )
    await Promise.race(waiting)
    const rejected = await browser.post('/connect/token', { grant_type: 'client_credentials' }, { origin })
    assert.equal(rejected.status, 429)
    assert.equal(rejected.json.statusCode, 429)
    assert.equal(rejected.json.error, 'temporarily_unavailable')
    const seconds = Number(rejected.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60)
    assert.equal(rejected.headers.get('access-control-allow-origin'), origin)
    assert.equal((await browser.get('/healthz')).status, 200)
    controller.abort()
    await Promise.all(waiting)
  })

  it('does not count requests for responses that browsers cache', async () => {
    await using host = await startIdentityUnderTest({
      environment: { RateLimit__Identity__PermitLimit: '1', RateLimit__Identity__QueueLimit: '0' },
    })
    const browser = openBrowser(host.address)
    for (const path of ['/ext/providers', '/ext/form-post.js', '/ext/passkey.js', '/EXT/providers/']) {
      const { status, headers } = await browser.get(path)
      assert.deepEqual(
        [status, headers.get('cache-control')?.startsWith('public, max-age=')],
        [200, true],
        path,
      )
    }
    const statuses = [await browser.get('/ext/providers/x'), await browser.get('/')].map(
      ({ status }) => status,
    )
    assert.deepEqual(statuses, [404, 429])
  })

  it('counts the client behind one proxy', async () => {
    await using host = await startIdentityUnderTest({
      environment: {
        ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
        RateLimit__Identity__PermitLimit: '2',
        RateLimit__Identity__QueueLimit: '0',
      },
    })
    const browser = openBrowser(host.address)
    const statusFor = async (forwarded: string) =>
      (await browser.get('/', {}, { 'x-forwarded-for': forwarded })).status
    assert.deepEqual([await statusFor('198.51.100.1'), await statusFor('198.51.100.1')], [200, 200])
    assert.equal(await statusFor('198.51.100.1'), 429)
    assert.equal(await statusFor('203.0.113.9, 198.51.100.1'), 429)
    assert.equal(await statusFor('198.51.100.2'), 200)
  })
})

const environment = { ...registrationOf(wiki), ...registrationOf(portal) }

describe('the metadata of the provider', () => {
  it('is the metadata of the contract if no client is registered', async (t) => {
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
    assert.ok(discovery.grant_types_supported.includes('implicit'), 'The contract requires it.')
    const metadata = await read(full.address, 'oauth-authorization-server')
    assert.equal(metadata.issuer, full.address)
    assert.deepEqual(metadata.response_types_supported, ['code'])
    assert.deepEqual(metadata.grant_types_supported, [
      'authorization_code',
      'refresh_token',
      'client_credentials',
    ])
    for (const [name, value] of Object.entries(metadata))
      if (!/^(response_types|grant_types|ui_locales)_supported$/.test(name))
        assert.deepEqual(discovery[name], value, name)
  })

  it('of the extensions is in a separate document, as it was reviewed', async () => {
    await using host = await startIdentityUnderTest()
    const { json } = await openBrowser(host.address).get('/swagger/extensions.v1.json')
    const snapshot = new URL('../../docs/contract/identity-extensions.v1.json', import.meta.url)
    assert.deepEqual(json, JSON.parse(await readFile(snapshot, 'utf8')))
  })

  it('describes every path under /ext/ that is served', async () => {
    const provider = { Issuer: 'https://login.example.com', ClientId: 'tracker' }
    const settings = Object.entries(provider).map(([name, value]) => [
      `Identity__Providers__corp__${name}`,
      value,
    ])
    await using host = await startIdentityUnderTest({
      environment: { ...environment, ...Object.fromEntries(settings) },
    })
    const { json } = await openBrowser(host.address).get('/swagger/extensions.v1.json')
    const described = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('{provider}', 'corp')}`),
    )
    // Scripts of pages are not documented.
    const served = routesOf(host.host.app).filter((route) => / \/ext\/.*(?<!\.js)$/.test(route))
    assert.ok(served.length > 25, served.join())
    assert.deepEqual(described.filter((route) => route.includes(' /ext/')).toSorted(), served.toSorted())
  })

  it('of the extensions and the clients of the settings are missing without extensions', async () => {
    await using host = await startIdentityUnderTest({ environment: { ...environment, EXTENSIONS: 'off' } })
    const browser = openBrowser(host.address)
    const rejected = await browser.get('/connect/authorize', authorizationRequestOf(wiki, createPkce()))
    assert.ok(rejected.location.startsWith(`${origin}/login/?errorId=`), rejected.location)
    for (const path of ['/.well-known/oauth-authorization-server', '/ext/sign-in', '/ext/form-post.js'])
      assert.equal((await browser.get(path)).status, 404, path)
    const { json } = await browser.get('/.well-known/openid-configuration')
    assert.deepEqual(json.response_modes_supported, ['query'])
  })
})

/** Returns methods and paths, without those that Fastify adds for HEAD and CORS. */
function routesOf(app: IdentityHost['app']): readonly string[] {
  // Each line of the tree has a part of a path, indented by four characters for each level.
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

const spellings: Readonly<Record<string, (path: string) => string>> = {
  capitals: (path) => path.toUpperCase(),
  'a slash at the end': (path) => `${path}/`,
  'capitals and a slash': (path) => `${path.toUpperCase()}/`,
  escapes: (path) => path.replace('c', '%63').replace('t', '%54'),
}

/** Requests every path in another spelling. Redirects are followed unchanged. */
const spelledBy = (browser: Browser, spell: (path: string) => string): Browser => ({
  ...browser,
  get: (path, ...rest) => browser.get(spell(path), ...rest),
  post: (path, ...rest) => browser.post(spell(path), ...rest),
})

describe('The spelling of a path of the identity host', () => {
  const host = fixture(startIdentityUnderTest)

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
      // The cookie is valid for every path, so the next sign-in needs no password in any spelling.
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
    const rejection = await openBrowser(host.address).post('/CONNECT/Token/', { grant_type: 'none' })
    assert.deepEqual([rejection.status, rejection.json.error], [401, 'invalid_client'])
    const foreign = await openBrowser(host.address).post('/API/Account/Login/', {}, { origin: 'http://evil' })
    assert.equal(foreign.status, 403)
    const wrong = await openBrowser(host.address).get('/CONNECT/Token/')
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST, OPTIONS'])
  })

  it('does not matter to health, documents and pages', async () => {
    for (const path of [
      '/Healthz',
      '/READYZ/',
      '/.Well-Known/OpenID-Configuration',
      '/.well-known/openid-configuration/jwks/',
      '/swagger/',
      '/swagger/index.html',
      '/Swagger/Index.html',
      '/swagger/extensions/',
      '/SWAGGER',
    ])
      assert.equal((await openBrowser(host.address).get(path)).status, 200, path)
  })
})

const formType = 'application/x-www-form-urlencoded'

/** Forms without the value of their last field, which the tests append. */
const posts = [
  { path: '/connect/token', form: 'grant_type=refresh_token&client_id=svc-webclient&refresh_token=' },
  { path: '/connect/revocation', form: 'client_id=svc-webclient&token=' },
  { path: '/api/account/login', form: 'authRequest=x&password=y&login=' },
]

describe('A body that is sent to the identity host', () => {
  const host = fixture(startIdentityUnderTest)

  const post = async (path: string, type: string, body: string | Buffer<ArrayBuffer>) => {
    const response = await fetch(`${host.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, origin },
      body,
      redirect: 'manual',
    })
    return { status: response.status, text: await response.text() }
  }

  for (const { path, form } of posts) {
    it(`is rejected by ${path} when its bytes are not UTF-8, escaped or not`, async () => {
      for (const body of [Buffer.from(`${form}\xfc`, 'latin1'), `${form}%FC`, `${form}%C3%28`]) {
        const answer = await post(path, formType, body)
        const { statusCode, errors } = JSON.parse(answer.text)
        assert.deepEqual([answer.status, statusCode], [400, 400])
        assert.deepEqual(errors, { generalErrors: ['The body is not valid UTF-8.'] })
      }
    })

    it(`is rejected by ${path} in another character set`, async () => {
      for (const charset of ['iso-8859-1', '"ISO-8859-1"']) {
        const answer = await post(path, `${formType}; charset=${charset}`, `${form}a`)
        assert.deepEqual([answer.status, JSON.parse(answer.text).statusCode], [415, 415])
      }
      assert.notEqual((await post(path, `${formType}; charset="UTF-8"`, `${form}%C3%BC`)).status, 415)
    })
  }
})
