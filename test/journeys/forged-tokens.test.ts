import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportSPKI, type JWTPayload } from 'jose'
import type { Environment } from '../../src/config/settings.ts'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { startTestIssuer, type TestIssuer, type TokenOptions } from '../support/test-issuer.ts'

describe('A token of an issuer that does what a right one never does', { concurrency: true }, () => {
  let rest: RestUnderTest
  let issuer: TestIssuer
  let person: Person
  let sid: string

  before(async () => {
    ;({ rest, issuer } = await startWithIssuer({ Auth__SessionValidationCacheSeconds: '0' }))
    // The account and its session are the real host's; only the tokens are not.
    person = await rest.signUp()
    sid = await sessionOf(person)
  })
  after(() => Promise.all([rest.stop(), issuer.stop()]))

  async function sessionOf({ id }: Person): Promise<string> {
    const [row] = await rest.database.query<{ sid: string }>(
      sql`select id as sid from signin_sessions where user_id = ${id}`,
    )
    return row?.sid ?? ''
  }
  const tokenWith = (options: Omit<TokenOptions, 'account'> = {}) =>
    issuer.token({ account: person, sid, ...options })
  const statusOf = async (token: string, path = '/api/me') => (await rest.call('GET', path, { token })).status
  const now = () => Math.floor(Date.now() / 1000)

  const accepted: readonly (readonly [string, () => Omit<TokenOptions, 'account'>])[] = [
    ['with the claims of the identity host', () => ({})],
    ['of a service client, without a session', () => ({ claims: { sid: undefined } })],
    ['for several audiences, ours among them', () => ({ audience: ['svc-grpc', 'svc-api'] })],
    ['with our scope alone', () => ({ scope: 'svc.api' })],
    ['that begins within the clock skew', () => ({ claims: { nbf: now() + 30 } })],
    ['that was issued within the clock skew', () => ({ claims: { iat: now() + 30 } })],
  ]
  for (const [what, options] of accepted) {
    test(`${what} is accepted`, async () => {
      assert.equal(await statusOf(await tokenWith(options())), 200)
    })
  }

  const claim = (claims: Readonly<Record<string, unknown>>) => () => ({ claims: claims as JWTPayload })
  const refused: readonly (readonly [string, () => Omit<TokenOptions, 'account'>])[] = [
    ['of another issuer', claim({ iss: 'https://elsewhere.example.com' })],
    ['without an issuer', claim({ iss: undefined })],
    ['for the command host', () => ({ audience: 'svc-grpc' })],
    ['without an audience', claim({ aud: undefined })],
    ['without our scope', () => ({ scope: 'openid svc.grpc' })],
    ['whose scope only begins like ours', () => ({ scope: 'svc.api.read' })],
    ['that has just expired', () => ({ claims: { exp: now() } })],
    ['that never expires', claim({ exp: undefined })],
    ['that is not valid yet', () => ({ claims: { nbf: now() + 120 } })],
    ['that was issued later than now', () => ({ claims: { iat: now() + 120 } })],
    ['of the type JWT', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['of the type of an identity token', () => ({ header: { typ: 'id+jwt' } })],
    ['that names a key nobody has', () => ({ header: { kid: 'unknown' } })],
    ['without a subject', claim({ sub: undefined })],
    ['whose subject is no account', () => ({ claims: { sub: randomUUID() } })],
    ['whose subject is no UUID', claim({ sub: "x' or true --" })],
    ['with another security stamp', claim({ 'svc:security_stamp': randomUUID() })],
    ['without a security stamp', claim({ 'svc:security_stamp': undefined })],
    ['of a session that does not exist', claim({ sid: 'nothing' })],
    ['whose session is no text', claim({ sid: 17 })],
    ['that claims an administrator who is not in the list', () => ({ admin: true })],
  ]
  for (const [what, options] of refused) {
    test(`${what} is rejected`, async () => {
      assertEnvelope(await rest.call('GET', '/api/me', { token: await tokenWith(options()) }), 401)
    })
  }

  test('that has just expired opens no stream', async () => {
    const token = await tokenWith({ claims: { exp: now() } })
    for (const path of ['/api/projects', '/ext/changes']) {
      const headers = { accept: 'text/event-stream' }
      assertEnvelope(await rest.call('GET', path, { token, headers }), 401)
    }
  })

  test('with the session of another account is rejected', async () => {
    const token = await issuer.token({ account: rest.administrator, sid })
    assertEnvelope(await rest.call('GET', '/api/me', { token }), 401)
  })

  test('signed with another key, another algorithm or none is rejected', async () => {
    const other = await issuer.token({ account: person, sid })
    const [head = '', payload = '', signature = ''] = other.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid, publicKey } = issuer.currentKey()
    const secret = await exportSPKI(publicKey)
    const symmetric = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`
    const forged = [
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.${signature}`,
      `${symmetric}.${createHmac('sha256', secret).update(symmetric).digest('base64url')}`,
      `${encode({ alg: 'RS512', typ: 'at+jwt', kid })}.${payload}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -6)}AAAAAA`,
      `${head}.${payload.slice(0, -4)}AAAA.${signature}`,
      `${head}.${payload}`,
      `${other}.${signature}`,
    ]
    for (const token of forged) assert.equal(await statusOf(token), 401, token.slice(0, 60))
  })

  test('makes no administrator with another value than the string true', async () => {
    for (const admin of ['false', 'yes', '', true]) {
      const account = rest.administrator
      const token = await issuer.token({ account, claims: { 'svc:admin': admin } })
      assert.ok([401, 403].includes(await statusOf(token, '/api/users')), String(admin))
    }
  })

  test('signed with a new key is accepted at once, and made-up keys do not wear the provider out', async () => {
    const own = await startWithIssuer()
    const statusThere = async (token: string) => (await own.rest.call('GET', '/api/me', { token })).status
    const { id } = own.rest.administrator
    const first = await own.issuer.signIn(own.rest.database, id)
    assert.equal(await statusThere(first), 200)
    await own.issuer.rotate()
    assert.equal(await statusThere(await own.issuer.signIn(own.rest.database, id)), 200)
    assert.equal(await statusThere(first), 200)
    const fetches = own.issuer.fetches()
    const account = own.rest.administrator
    const madeUp = Array.from({ length: 30 }, (_, index) =>
      own.issuer.token({ account, header: { kid: `made-up-${index}` } }),
    )
    for (const token of await Promise.all(madeUp)) assert.equal(await statusThere(token), 401)
    assert.ok(own.issuer.fetches() - fetches < 10, `${own.issuer.fetches() - fetches} fetches`)
    await own.stop()
  })

  test('is verified while the issuer is away, and again once it is back', async () => {
    const own = await startWithIssuer({ LOG_LEVEL: 'silent' })
    const { id } = own.rest.administrator
    const token = await own.issuer.signIn(own.rest.database, id)
    const status = async (one = token) => (await own.rest.call('GET', '/api/me', { token: one })).status
    own.issuer.interrupt((_request, response) => response.writeHead(500).end())
    const untold = await own.rest.call('GET', '/api/me', { token })
    assertEnvelope(untold, 503)
    assert.equal(untold.headers.get('retry-after'), '1')
    assertEnvelope(await own.rest.call('GET', '/api/me', { token: 'x' }), 401)
    own.issuer.interrupt()
    for (let asks = 0; asks < 60 && (await status()) !== 200; asks += 1) await sleep(100)
    assert.equal(await status(), 200)
    own.issuer.interrupt((_request, response) => response.writeHead(500).end())
    assert.equal(await status(await own.issuer.signIn(own.rest.database, id)), 200)
    await own.stop()
  })
})

async function startWithIssuer(environment: Environment = {}) {
  const issuer = await startTestIssuer()
  const rest = await startRestUnderTest({ Jwt__Issuer: issuer.issuer, ...environment })
  return { rest, issuer, stop: () => Promise.all([rest.stop(), issuer.stop()]) }
}
