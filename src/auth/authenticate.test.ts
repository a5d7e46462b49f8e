import assert from 'node:assert/strict'
import { createHmac, createPublicKey, randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { decodeJwt, exportSPKI } from 'jose'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { type Account, insertAccount } from '../../test/support/insert-account.ts'
import { startTestIssuer, type TestIssuer, type TokenOptions } from '../../test/support/test-issuer.ts'
import { administratorsOf } from '../accounts/administrators.ts'
import { type Authentication, createAuthentication } from './authenticate.ts'

let fresh: FreshDatabase
let provider: TestIssuer
let authentication: Authentication
let ada: Account
let admin: Account
let clock: number

before(async () => {
  ;[fresh, provider] = await Promise.all([freshDatabase(), startTestIssuer()])
  admin = await insertAccount(fresh.database, { login: 'admin@example.com' })
})
after(async () => {
  await provider?.stop()
  await fresh?.drop()
})
beforeEach(async () => {
  clock = Date.now()
  ada = await insertAccount(fresh.database)
  authentication = createTestAuthentication()
})

test('a token of a session makes its account the caller', async () => {
  const token = await provider.signIn(fresh.database, ada.id)
  const { caller, expiresAt } = await authenticate(token)
  assert.deepEqual(caller, { id: ada.id, isAdministrator: false })
  assert.equal(expiresAt, (decodeJwt(token).exp ?? 0) * 1000)
})

test('an account is an administrator only with the claim of the token', async () => {
  const { caller } = await authenticate(await provider.signIn(fresh.database, admin.id, { admin: true }))
  assert.deepEqual(caller, { id: admin.id, isAdministrator: true })
  const plain = await authenticate(await provider.signIn(fresh.database, admin.id))
  assert.equal(plain.caller.isAdministrator, false)
})

test('a service client acts as its account', async () => {
  const { caller } = await authenticate(await provider.token({ account: ada }))
  assert.equal(caller.id, ada.id)
})

test('an account id in upper case identifies the same account', async () => {
  const { caller } = await authenticate(await tokenWith({ claims: { sub: ada.id.toUpperCase() } }))
  assert.equal(caller.id, ada.id)
})

test('the scheme may be in any case', async () => {
  const token = await provider.signIn(fresh.database, ada.id)
  for (const header of [`bearer ${token}`, `BEARER  ${token}`]) await authentication.authenticate(header)
})

test('a header without exactly one bearer token is rejected', async () => {
  const token = await provider.signIn(fresh.database, ada.id)
  const headers = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer ${token} ${token}`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer x${' '.repeat(5000)}`,
    `Bearer ${'a'.repeat(5000)}`,
    'Bearer a.b.c',
    'Bearer ..',
    `Bearer ${token}\0`,
  ]
  for (const header of headers) await rejects(authentication.authenticate(header), String(header))
})

test('a changed signature, payload or header is rejected', async () => {
  const [header, payload, signature = ''] = (await provider.signIn(fresh.database, ada.id)).split('.')
  const flipped = `${signature.slice(0, 20)}${signature[20] === 'A' ? 'B' : 'A'}${signature.slice(21)}`
  const { sub: _, ...claims } = decodeJwt(`${header}.${payload}.${signature}`)
  const tampered = [
    [header, payload, flipped],
    [header, payload, ''],
    [header, encode({ ...claims, sub: admin.id }), signature],
    [encode({ alg: 'RS256', typ: 'at+jwt' }), payload, signature],
  ]
  for (const parts of tampered) await rejects(authenticate(parts.join('.')), parts.join('.'))
})

test('an unsigned token is rejected', async () => {
  const payload = (await provider.signIn(fresh.database, ada.id)).split('.')[1]
  for (const alg of ['none', 'None', 'NONE', '']) {
    const header = encode({ alg, typ: 'at+jwt', kid: provider.currentKey().kid })
    await rejects(authenticate(`${header}.${payload}.`), alg)
  }
})

test('a token signed by HS256 with the public key as the secret is rejected', async () => {
  const payload = (await provider.signIn(fresh.database, ada.id)).split('.')[1]
  const { kid, publicKey } = provider.currentKey()
  const pem = await exportSPKI(publicKey)
  const der = createPublicKey(pem).export({ format: 'der', type: 'spki' })
  const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`
  for (const secret of [pem, der]) {
    await rejects(
      authenticate(`${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`),
    )
  }
})

test('a key inside the token is not trusted', async () => {
  const otherIssuer = await startTestIssuer()
  const key = otherIssuer.currentKey()
  const jwk = { kty: 'RSA', ...(await crypto.subtle.exportKey('jwk', key.publicKey)) }
  const jku = `${otherIssuer.issuer}/.well-known/openid-configuration/jwks`
  for (const header of [{ jwk }, { jku, kid: provider.currentKey().kid }]) {
    await rejects(authenticate(await tokenWith({ key, header })))
  }
  await otherIssuer.stop()
})

test('tokens of other types than access tokens are rejected', async () => {
  for (const typ of ['JWT', 'id+jwt', undefined, 'at']) {
    await rejects(authenticate(await tokenWith({ header: { typ } })), String(typ))
  }
  await authenticate(await tokenWith({ header: { typ: 'application/at+jwt' } }))
})

test('a token of another issuer or for another audience is rejected', async () => {
  for (const iss of ['https://other.example.com', `${provider.issuer}/`, undefined, [provider.issuer]]) {
    await rejects(authenticate(await tokenWith({ claims: { iss } })), String(iss))
  }
  for (const audience of ['svc-grpc', ['svc-grpc', 'svc'], '', []]) {
    await rejects(authenticate(await tokenWith({ audience })), String(audience))
  }
  await authenticate(await tokenWith({ audience: ['svc-grpc', 'svc-api'] }))
})

test('the scope of the host is required, in a text or in a list', async () => {
  for (const scope of ['', 'openid svc.grpc', 'svc.apis', 'svc_api', ' ']) {
    await rejects(authenticate(await tokenWith({ scope })), scope)
  }
  for (const scope of [undefined, null, 7, {}, ['svc.grpc'], [['svc.api']]]) {
    await rejects(authenticate(await tokenWith({ claims: { scope } })), String(scope))
  }
  await authenticate(await tokenWith({ claims: { scope: ['openid', 'svc.api'] } }))
  await authenticate(await tokenWith({ scope: 'svc.api' }))
})

test('a token is valid from a minute before its start until its expiry', async () => {
  const seconds = Math.floor(clock / 1000)
  clock = seconds * 1000
  const accepted = [{ exp: seconds + 1 }, { nbf: seconds + 60 }, { iat: seconds + 60 }, { iat: undefined }]
  for (const claims of accepted) await authenticate(await tokenWith({ claims }))
  const rejected = [
    ...[{ exp: seconds }, { exp: seconds - 1 }, { exp: seconds - 0.001 }],
    ...[{ nbf: seconds + 61 }, { iat: seconds + 61 }],
    ...[{ exp: undefined }, { exp: '99999999999' }],
  ]
  for (const claims of rejected)
    await rejects(authenticate(await tokenWith({ claims })), JSON.stringify(claims))
})

test('a token is rejected after its expiry', async () => {
  const token = await provider.signIn(fresh.database, ada.id)
  const { recheck } = await authenticate(token)
  clock = (decodeJwt(token).exp ?? 0) * 1000 - 1
  assert.equal(await recheck(), true)
  await authenticate(token)
  clock += 1
  assert.equal(await recheck(), false)
  await rejects(authenticate(token))
})

test('a subject that is not an account is rejected', async () => {
  for (const sub of [randomUUID(), 'admin', '', undefined, '7']) {
    await rejects(authenticate(await tokenWith({ claims: { sub } })), String(sub))
  }
})

test('a token without a valid security stamp or session is rejected', async () => {
  for (const claims of [
    { 'svc:security_stamp': undefined },
    { 'svc:security_stamp': ['x'] },
    { 'svc:security_stamp': '' },
    { sid: 7 },
    { sid: null },
    { sid: '' },
    { sid: 'unknown' },
  ]) {
    await rejects(authenticate(await tokenWith({ claims })), JSON.stringify(claims))
  }
})

test("a token with another user's session is rejected", async () => {
  const { sid } = decodeJwt(await provider.signIn(fresh.database, admin.id))
  await rejects(authenticate(await provider.token({ account: ada, sid: String(sid) })))
})

test('an unavailable store does not cause a 401', async () => {
  const broken = createTestAuthentication({
    ...fresh.database,
    query: () => Promise.reject(new Error('The store is away.')),
  })
  const header = `Bearer ${await provider.signIn(fresh.database, ada.id)}`
  await assert.rejects(broken.authenticate(header), { message: 'The store is away.' })
  await assert.rejects(broken.authenticate(header), { message: 'The store is away.' })
})

function createTestAuthentication(database = fresh.database) {
  return createAuthentication({
    database,
    issuer: provider.issuer,
    audience: 'svc-api',
    scope: 'svc.api',
    metadataAddress: provider.metadataAddress,
    administrators: administratorsOf({ adminLogins: ['admin@example.com'] }),
    sessionCacheSeconds: 30,
    log: { warn: (_, message) => assert.fail(message) },
    now: () => clock,
  })
}

const authenticate = (token: string) => authentication.authenticate(`Bearer ${token}`)

/** The token of a service client, so that only the detail under test is wrong. */
const tokenWith = (options: Partial<TokenOptions>) => provider.token({ account: ada, ...options })

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const rejects = (attempt: Promise<unknown>, message?: string) =>
  assert.rejects(attempt, { kind: 'unauthenticated' }, message)
