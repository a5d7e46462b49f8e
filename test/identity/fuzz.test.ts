import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import type { Operation } from '../../src/hosts/identity/core/endpoint.ts'
import { contractEndpoints } from '../../src/hosts/identity/endpoints.ts'
import { createPkce, queryOf, refresh, requestOf, signedIn } from '../support/browser.ts'
import { anyCharacter } from '../support/fuzz.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin, robot } from '../support/known-clients.ts'

/** `FUZZ_REQUESTS=20000 npm test -- fuzz` sends more requests. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 200)

describe('a random request to the identity host', () => {
  it('never gets a 5xx, and is never redirected to a foreign origin', async () => {
    await using host = await startIdentityUnderTest()
    const { browser, tokens } = await signedIn(host.address)
    const { authRequest = '' } = queryOf(
      await browser.get('/connect/authorize', requestOf(createPkce(), { prompt: 'login' })),
    )
    const { logoutId = '' } = queryOf(await browser.get('/connect/endsession'))
    const spent = tokens.refresh_token
    const { json } = await refresh(browser, spent)
    const validValues = [
      authRequest,
      logoutId,
      spent,
      json.refresh_token,
      tokens.access_token,
      tokens.id_token,
      cookieOf(browser.cookies),
    ]
    await fc.assert(
      fc.asyncProperty(requestArbitrary(validValues), async (request) => {
        assertHarmless(await host.host.app.inject(injectOptions(request)), host.address)
      }),
      { numRuns: requests },
    )
  })
})

interface Request {
  readonly operation: Operation
  readonly pairs: [string, string][]
  readonly headers: Record<string, string>
  readonly isRaw: boolean
}

function injectOptions({ operation: { method, path }, pairs, headers, isRaw }: Request) {
  const text = isRaw ? pairs.map((pair) => pair.join('=')).join('&') : String(new URLSearchParams(pairs))
  if (method === 'GET') return { method, url: `${path}?${encodeURI(text.toWellFormed())}`, headers }
  return {
    method,
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: text,
  }
}

function assertHarmless(
  { statusCode, body, headers: { location } }: LightMyRequestResponse,
  address: string,
): void {
  assert.ok(statusCode < 500, `${statusCode} ${body}`)
  if (statusCode >= 400) assert.equal(JSON.parse(body).statusCode, statusCode)
  if (location === undefined) return
  assert.ok([origin, otherOrigin, address].includes(new URL(location, address).origin), location)
  assert.ok(!location.startsWith('//') && !/[\r\n\\]/.test(location), location)
}

const cookieOf = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map((pair) => pair.join('=')).join('; ')

const hostileValues = [
  '\0',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  "' or 1=1 --",
  '__proto__',
  'constructor',
  '%',
  '%zz',
  '\u{1F600}',
  '\uD800',
  'a'.repeat(3000),
  '..',
  '[object Object]',
  '9999999999',
  ' ',
  '\r\nset-cookie: x=y',
]

/** Generates requests with known and unknown parameters, whose values are valid, almost valid or invalid. */
function requestArbitrary(validValues: readonly string[]): fc.Arbitrary<Request> {
  const values = Object.values(requestOf(createPkce()))
  const names = [
    ...contractEndpoints.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
    ...hostileValues,
  ]
  const value = fc.oneof(
    fc.constantFrom(
      ...values,
      ...validValues,
      robot.id,
      robot.secret,
      'authorization_code',
      'refresh_token',
      'client_credentials',
    ),
    fc.constantFrom(...hostileValues),
    fc
      .constantFrom(...validValues)
      .chain((text) => fc.nat(text.length).map((length) => text.slice(0, length) + text.slice(length + 1))),
    fc.string({ unit: anyCharacter }),
    fc.webUrl(),
  )
  const header = fc.oneof(
    value.map((text) => headerText(text)),
    value.map((text) => `Bearer ${headerText(text)}`),
    value.map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
    fc.constant(origin),
  )
  return fc.record({
    operation: fc.constantFrom<Operation[]>(...contractEndpoints),
    pairs: fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 12 }),
    headers: fc.dictionary(
      fc.constantFrom('authorization', 'cookie', 'origin', 'referer', 'accept'),
      header,
      { maxKeys: 3 },
    ),
    isRaw: fc.boolean(),
  })
}

/** Removes characters that a header cannot have: control characters, and all beyond Latin-1. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e\xa0-\xff]/g, '')
