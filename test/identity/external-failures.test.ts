import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, describe, it } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import {
  type Browser,
  createPkce,
  type Fields,
  openBrowser,
  type Page,
  queryOf,
  requestOf,
} from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'

const callback = (id: string) => `/ext/sign-in/from/${id}`
const secret = 'a secret that the provider has given'

describe('a misbehaving provider', () => {
  const first = fixture(startMaliciousProvider)
  const second = fixture(startMaliciousProvider)
  const settings = (id: string, { issuer }: MaliciousProvider) => ({
    [`Identity__Providers__${id}__Issuer`]: issuer,
    [`Identity__Providers__${id}__ClientId`]: 'tracker',
    [`Identity__Providers__${id}__ClientSecret`]: secret,
  })
  const host = fixture(() =>
    startIdentityUnderTest({
      environment: {
        ...settings('first', first),
        ...settings('second', second),
        ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
      },
    }),
  )
  before(async () => {
    first.now = host.clock.now
    await host.database.query(sql`
      insert into outside_identities (id, issuer, subject, user_id, provider, label)
      values (${newId()}, ${first.issuer}, 'somebody', ${host.person.id}, 'first', 'x')`)
  })

  const goToProvider = async (
    browser: Browser,
    provider = 'first',
    headers: Fields = {},
    request: Fields = {},
  ): Promise<Page> => {
    const page = await browser.follow(
      await browser.get('/connect/authorize', requestOf(createPkce(), request)),
    )
    const query = { provider, authRequest: queryOf(page).authRequest ?? '' }
    return browser.get('/ext/sign-in/with', query, headers)
  }
  /** Sends the browser to the callback with a correct response, or with overrides of one. */
  const returnFromProvider = async (
    browser: Browser,
    atProvider: Page,
    overrides: Fields = {},
  ): Promise<Page> => {
    const { state = '', nonce = '' } = queryOf(atProvider)
    first.nonce = nonce
    return browser.follow(
      await browser.get(callback('first'), { code: 'code', state, iss: first.issuer, ...overrides }),
    )
  }
  const signInDuring = async (
    misbehaviour: Misbehaviour,
    overrides: Fields = {},
    request: Fields = {},
  ): Promise<Page> => {
    const browser = openBrowser(host.address)
    const atProvider = await goToProvider(browser, 'first', {}, request)
    first.misbehave = misbehaviour
    const page = await returnFromProvider(browser, atProvider, overrides)
    first.misbehave = {}
    assert.equal(browser.cookies.has('identity'), queryOf(page).code !== undefined)
    return page
  }
  /** Lets the cached discovery document expire, so that the next sign-in fetches it again. */
  const expireDiscovery = () => host.clock.advance(11 * 60_000)
  const assertRejected = (page: Page, sentence = /is invalid|did not/) => {
    assert.equal(page.status, 400, page.text)
    assert.match(page.text, sentence)
  }

  it('signs users in while it behaves correctly', async () => {
    assert.ok(queryOf(await signInDuring({})).code)
  })

  it('cannot sign a user in by an invalid token', async () => {
    const inSeconds = (seconds: number) => Math.floor(host.clock.now() / 1000) + seconds
    const wrongs: readonly Misbehaviour[] = [
      { key: otherKey },
      { algorithm: 'HS256' },
      { claims: { iss: second.issuer } },
      { claims: { aud: 'another' } },
      { claims: { azp: 'another' } },
      { claims: { nonce: 'another' } },
      { claims: { aud: ['tracker', 'another'] } },
      { claims: { sub: '' } },
      { claims: { sub: 's'.repeat(256) } },
      { claims: { sub: 'nul\0' } },
    ]
    for (const wrong of wrongs) assertRejected(await signInDuring(wrong))
    assertRejected(await signInDuring({ claims: { exp: inSeconds(-120) } }))
    assertRejected(await signInDuring({ claims: { nbf: inSeconds(120) } }))
    // A small difference between the clocks is allowed.
    assert.ok(queryOf(await signInDuring({ claims: { exp: inSeconds(-30) } })).code)
    assert.ok(queryOf(await signInDuring({ claims: { nbf: inSeconds(30) } })).code)
  })

  it('cannot use an old session if a new sign-in is requested', async () => {
    const signInAged = (age: number | undefined, request: Fields) =>
      signInDuring({ claims: { auth_time: age && Math.floor(host.clock.now() / 1000) - age } }, {}, request)
    const login = { prompt: 'login' }
    const hour = { max_age: '3600' }
    // The age is undefined if the provider does not report the time of the sign-in.
    type Ages = readonly (number | undefined)[]
    const cases: readonly { request: Fields; tooOld: Ages; recent: Ages }[] = [
      { request: login, tooOld: [120], recent: [1, undefined] },
      { request: hour, tooOld: [3700, undefined], recent: [120] },
      { request: { ...login, ...hour }, tooOld: [120, undefined], recent: [1] },
      { request: {}, tooOld: [], recent: [9999, undefined] },
    ]
    for (const { request, tooOld, recent } of cases) {
      for (const age of tooOld)
        assertRejected(await signInAged(age, request), /first did not confirm that you did/)
      for (const age of recent) assert.ok(queryOf(await signInAged(age, request)).code)
    }
  })

  it('determines when the user authenticated', async () => {
    const authTime = Math.floor(host.clock.now() / 1000) - 1800
    const page = await signInDuring({ claims: { auth_time: authTime } }, {}, { max_age: '3600' })
    assert.ok(queryOf(page).code)
    const [session] = await host.database.query<{ authenticatedAt: number }>(sql`
      select extract(epoch from proved_at)::int as "authenticatedAt" from signin_sessions
      order by created_at desc limit 1`)
    assert.equal(session?.authenticatedAt, authTime)
  })

  it('cannot send a response of another issuer', async () => {
    assertRejected(await signInDuring({}, { iss: second.issuer }))
    const sent = first.codes.length
    assertRejected(await signInDuring({}, { iss: '' }))
    assert.equal(first.codes.length, sent)
    // Sends the response of one provider to the callback of the other.
    const browser = openBrowser(host.address)
    const { state = '' } = queryOf(await goToProvider(browser))
    const page = await browser.get(callback('second'), { code: 'code', state, iss: second.issuer })
    assert.equal(page.status, 400)
    assert.equal(second.codes.length, 0)
  })

  it('can respond only once to an attempt, in the browser that started it, within 15 minutes', async () => {
    const browser = openBrowser(host.address)
    const atProvider = await goToProvider(browser)
    assert.ok(queryOf(await returnFromProvider(browser, atProvider)).code)
    assert.match((await returnFromProvider(browser, atProvider)).text, /has expired/)
    // A browser with a session is not sent to the provider, so each attempt starts without one.
    const firstBrowser = openBrowser(host.address)
    const sent = first.codes.length
    const withCookieOfItsOwn = openBrowser(host.address)
    await goToProvider(withCookieOfItsOwn)
    for (const other of [openBrowser(host.address), withCookieOfItsOwn])
      assert.match((await returnFromProvider(other, await goToProvider(firstBrowser))).text, /has expired/)
    assert.equal(first.codes.length, sent)
    const lateAttempt = await goToProvider(firstBrowser)
    host.clock.advance(16 * 60_000)
    assert.match((await returnFromProvider(firstBrowser, lateAttempt)).text, /has expired/)
    assert.equal(first.codes.length, sent)
    for (const state of ['', 'made-up'])
      assert.equal((await returnFromProvider(browser, atProvider, { state })).status, 400)
  })

  it('signs in only one of ten concurrent requests with the same state', async () => {
    const browser = openBrowser(host.address)
    const atProvider = await goToProvider(browser)
    const pages = await Promise.all(Array.from({ length: 10 }, () => returnFromProvider(browser, atProvider)))
    assert.equal(pages.filter((page) => queryOf(page).code).length, 1)
  })

  it('serves two concurrent sign-ins of one browser', async () => {
    const browser = openBrowser(host.address)
    const attempts = [await goToProvider(browser), await goToProvider(browser)]
    for (const atProvider of attempts) assert.ok(queryOf(await returnFromProvider(browser, atProvider)).code)
  })

  it('gets at most two hundred concurrent sign-ins from one address', async () => {
    const goFrom = (address: string) =>
      goToProvider(openBrowser(host.address), 'first', { 'x-forwarded-for': address })
    await host.database.query(sql`
      insert into outside_attempts (id, sealed, expires_at, address)
      select sha256(number::text::bytea), 'x', ${new Date(host.clock.now() + 10 * 60_000)}, '2001:db8:0:7::/64'
      from generate_series(1, 198) as number`)
    const crowd = await Promise.all([1, 2, 3, 4, 5, 6].map((last) => goFrom(`2001:db8:0:7::${last}`)))
    assert.deepEqual(crowd.map(({ status }) => status).sort(), [302, 302, 429, 429, 429, 429])
    const rejected = await goFrom('2001:db8:0:7:ffff::1')
    const seconds = Number(rejected.headers.get('retry-after'))
    assert.ok(seconds > 500 && seconds <= 600, String(seconds))
    assert.match(rejected.text, /<p role="alert">Too many sign-ins from your network address/)
    for (const other of ['2001:db8:0:8::1', '203.0.113.7']) assert.equal((await goFrom(other)).status, 302)
    host.clock.advance(11 * 60_000)
    assert.equal((await goFrom('2001:db8:0:7::1')).status, 302)
  })

  it('is reported to the user if it responds with an error or with nonsense', async () => {
    assertRejected(await signInDuring({}, { error: 'access_denied', code: '' }), /did not sign you in/)
    const answers = [
      { status: 400, body: '{"error":"invalid_grant"}' },
      { status: 401, body: '{"error":"invalid_client"}' },
      { status: 500, body: 'no' },
      { status: 302, body: '' },
      { status: 204, body: '' },
      { status: 200, body: '<html>', type: 'text/html' },
      { status: 200, body: '[]' },
      { status: 200, body: '{"access_token":"x","token_type":"Bearer"}' },
      { status: 200, body: `{"id_token":"${'x'.repeat(300_000)}"}` },
    ]
    for (const token of answers)
      assertRejected(await signInDuring({ token }), /is invalid|did not|cannot be reached/)
  })

  it('is reported to the user while it is down', async () => {
    assertRejected(await signInDuring({ isDown: true }), /first cannot be reached/)
    const browser = openBrowser(host.address)
    expireDiscovery()
    for (const misbehave of [
      { isDown: true },
      { discovery: { issuer: second.issuer } },
      { discovery: { authorization_endpoint: 'javascript:alert(1)' } },
    ]) {
      first.misbehave = misbehave
      assertRejected(await goToProvider(browser), /cannot be reached|is invalid/)
      // After a failure, the host waits for five seconds before it fetches the document again.
      host.clock.advance(6000)
    }
    first.misbehave = {}
    expireDiscovery()
    assert.ok(queryOf(await returnFromProvider(browser, await goToProvider(browser))).code)
  })

  it('cannot make this host send requests to internal addresses', async () => {
    for (const { token_endpoint, sentence } of [
      { token_endpoint: `${second.issuer}/token`, sentence: /cannot be reached/ },
      { token_endpoint: 'https://127.0.0.1:1/token', sentence: /cannot be reached/ },
      { token_endpoint: 'file:///etc/passwd', sentence: /is invalid|cannot be reached/ },
    ]) {
      expireDiscovery()
      first.misbehave = { discovery: { token_endpoint } }
      const browser = openBrowser(host.address)
      assertRejected(await returnFromProvider(browser, await goToProvider(browser)), sentence)
    }
    first.misbehave = {}
    expireDiscovery()
    assert.deepEqual(second.codes, [])
  })

  it('is rejected if it is unknown, or if there is no pending request', async () => {
    const browser = openBrowser(host.address)
    for (const query of [{}, { provider: 'first' }, { provider: 'third', authRequest: 'x' }])
      assert.equal((await browser.get('/ext/sign-in/with', query as Fields)).status, 400)
    assert.equal((await browser.get(callback('third'))).status, 404)
  })
})

/** Replaces the next correct responses. */
interface Misbehaviour {
  readonly discovery?: Readonly<Record<string, unknown>>
  readonly claims?: JWTPayload
  readonly key?: KeyObject
  readonly algorithm?: string
  /** The response of the token endpoint. */
  readonly token?: { readonly status: number; readonly body: string; readonly type?: string }
  /** Every connection is closed. */
  readonly isDown?: boolean
}

/** A provider with faults. It has no pages, so tests perform its redirects. */
interface MaliciousProvider {
  readonly issuer: string
  readonly codes: string[]
  misbehave: Misbehaviour
  /** The nonce of the sign-in in progress. */
  nonce: string
  now: () => number
  stop(): Promise<void>
}

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = newKey()
const otherKey: KeyObject = newKey().privateKey

async function startMaliciousProvider(): Promise<MaliciousProvider> {
  const server = createServer((request, response) => {
    if (provider.misbehave.isDown) return void request.socket.destroy()
    const { pathname } = new URL(request.url ?? '/', provider.issuer)
    if (pathname === '/.well-known/openid-configuration') return answer(response, discoveryOf(provider))
    if (pathname === '/keys')
      return answer(response, {
        keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' }],
      })
    let form = ''
    request.on('data', (piece) => {
      form += piece
    })
    request.on('end', () => {
      provider.codes.push(new URLSearchParams(form).get('code') ?? '')
      void answerToken(provider, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider: MaliciousProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    codes: [],
    misbehave: {},
    nonce: '',
    now: Date.now,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return provider
}

const discoveryOf = ({ issuer, misbehave }: MaliciousProvider) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256', 'HS256'],
  authorization_response_iss_parameter_supported: true,
  ...misbehave.discovery,
})

async function answerToken({ issuer, nonce, now, misbehave }: MaliciousProvider, response: ServerResponse) {
  const { token, claims, algorithm = 'RS256' } = misbehave
  if (token) {
    response.writeHead(token.status, { 'content-type': token.type ?? 'application/json' })
    return response.end(token.body)
  }
  const seconds = Math.floor(now() / 1000)
  const identity = await new SignJWT({
    iss: issuer,
    aud: 'tracker',
    sub: 'somebody',
    iat: seconds,
    exp: seconds + 300,
    nonce,
    ...claims,
  })
    .setProtectedHeader({ alg: algorithm, kid: 'a' })
    .sign(algorithm === 'RS256' ? (misbehave.key ?? key.privateKey) : Buffer.from(secret))
  return answer(response, {
    access_token: 'access',
    token_type: 'Bearer',
    expires_in: 300,
    id_token: identity,
  })
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
