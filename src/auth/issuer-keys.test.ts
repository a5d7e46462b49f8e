import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { afterEach, beforeEach, test } from 'node:test'
import { exportJWK, exportPKCS8, importPKCS8 } from 'jose'
import { startTestIssuer, type TestIssuer } from '../../test/support/test-issuer.ts'
import { until } from '../../test/support/until.ts'
import { createAccessTokenVerifier, type VerifyAccessToken } from './access-token.ts'
import { createIssuerKeys } from './issuer-keys.ts'

const account = {
  id: '0199a1b2-0000-7000-8000-000000000001',
  login: 'ada@example.com',
  securityStamp: 'stamp',
}
const respondUnavailable: RequestListener = (_, response) => response.writeHead(503).end()

let provider: TestIssuer
let verify: VerifyAccessToken
let clock: number
let warnings: number

beforeEach(async () => {
  provider = await startTestIssuer()
  clock = Date.now()
  warnings = 0
  verify = createVerifier()
})
afterEach(() => provider.stop())

test('concurrent first requests cause one fetch', async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.token({ account })))
  await Promise.all(tokens.map((token) => verify(token)))
  assert.equal(provider.fetches(), 1)
})

test('a token that names a new key causes one fetch', async () => {
  const old = provider.currentKey()
  await verify(await provider.token({ account }))
  await provider.rotate()
  const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.token({ account })))
  await Promise.all(tokens.map((token) => verify(token)))
  await verify(await provider.token({ account, key: old }))
  assert.equal(provider.fetches(), 2)
})

test('unknown key ids cause at most four fetches a minute', async () => {
  await verify(await provider.token({ account }))
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const header = { kid: `unknown ${attempt}` }
    await assert.rejects(verify(await provider.token({ account, header })))
  }
  assert.equal(provider.fetches(), 4)
  await provider.rotate()
  clock += 61_000
  await verify(await provider.token({ account }))
  assert.equal(provider.fetches(), 5)
})

test('a withdrawn key stops working after ten minutes', async () => {
  const old = provider.currentKey()
  // The tokens outlive the clock, which this test advances.
  const claims = { exp: Math.floor(clock / 1000) + 3600 }
  const token = await provider.token({ account, claims })
  await verify(token)
  await provider.rotate()
  provider.withdrawOldKeys()
  clock += 10 * 60_000
  // This request uses the old keys and makes the host fetch the new keys.
  await verify(await provider.token({ account, claims, key: old }))
  await until(() => provider.fetches() === 2, 'a second fetch')
  // Each call creates a new token, because verified tokens are cached.
  const another = () => provider.token({ account, claims: { ...claims, jti: randomUUID() }, key: old })
  await until(async () => verify(await another()).then(isFalse, isTrue), 'the key to be dropped')
  await assert.rejects(verify(token))
})

test('known keys keep working while the provider is down', async () => {
  await verify(await provider.token({ account }))
  provider.interrupt(respondUnavailable)
  const claims = { exp: Math.floor(clock / 1000) + 3600 }
  for (let minutes = 0; minutes < 40; minutes += 4) {
    clock += 4 * 60_000
    await verify(await provider.token({ account, claims: { ...claims, jti: `${minutes}` } }))
  }
  await until(() => warnings > 0, 'a warning')
})

test('requests are rejected as overloaded while no keys can be fetched', async () => {
  const token = await provider.token({ account })
  provider.interrupt(respondUnavailable)
  await assert.rejects(verify(token), { kind: 'overloaded' })
  await assert.rejects(verify(token))
  assert.equal(warnings, 1)
  provider.interrupt()
  // After a failed fetch, keys are not fetched for a second.
  await assert.rejects(verify(token))
  clock += 1000
  await verify(token)
  assert.equal(warnings, 1)
})

test('a host is ready once it knows keys', async () => {
  const { requireKeys } = createKeys()
  provider.interrupt(respondUnavailable)
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await assert.rejects(requireKeys())
    clock += 2000
  }
  assert.equal(warnings, 1)
  clock += 60_000
  await assert.rejects(requireKeys())
  assert.equal(warnings, 2)
  provider.interrupt(undefined)
  clock += 2000
  await requireKeys()
  provider.interrupt(respondUnavailable)
  clock += 3_600_000
  await requireKeys()
})

test('keys of another issuer are not used', async () => {
  const otherIssuer = await startTestIssuer()
  const metadata = { issuer: otherIssuer.issuer, jwks_uri: `${otherIssuer.metadataAddress}/jwks` }
  provider.interrupt((_, response) => response.end(JSON.stringify(metadata)))
  await assert.rejects(verify(await provider.token({ account, key: otherIssuer.currentKey() })))
  assert.equal(warnings, 1)
  await otherIssuer.stop()
})

test('tokens signed with another RSA algorithm than RS256 are rejected', async () => {
  const { kid, privateKey, publicKey } = provider.currentKey()
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid }] }
  const metadata = { issuer: provider.issuer, jwks_uri: `${provider.metadataAddress}/jwks` }
  provider.interrupt(({ url }, response) =>
    response.end(JSON.stringify(url?.endsWith('/jwks') ? jwks : metadata)),
  )
  await verify(await provider.token({ account }))
  const pem = await exportPKCS8(privateKey)
  for (const alg of ['RS384', 'RS512', 'PS256']) {
    const key = { kid, publicKey, privateKey: await importPKCS8(pem, alg) }
    await assert.rejects(verify(await provider.token({ account, key, header: { alg } })), alg)
  }
})

test('keys are fetched from the host of the discovery document, even if they have a public address', async () => {
  const issuer = 'https://identity.invalid'
  const jwks = {
    keys: [{ ...(await exportJWK(provider.currentKey().publicKey)), kid: provider.currentKey().kid }],
  }
  const metadata = { issuer, jwks_uri: `${issuer}/.well-known/openid-configuration/jwks` }
  provider.interrupt(({ url }, response) =>
    response.end(JSON.stringify(url?.endsWith('/jwks') ? jwks : metadata)),
  )
  await createVerifier(issuer)(await provider.token({ account, claims: { iss: issuer } }))
})

test('no keys are accepted from a provider that sends invalid responses', async () => {
  const token = await provider.token({ account })
  const bodies = [
    { issuer: provider.issuer },
    { issuer: provider.issuer, jwks_uri: 'no address' },
    { issuer: provider.issuer, jwks_uri: provider.metadataAddress },
    null,
    'text',
  ]
  for (const body of bodies) {
    provider.interrupt((_, response) => response.end(JSON.stringify(body)))
    await assert.rejects(createVerifier()(token), JSON.stringify(body))
  }
  provider.interrupt((_, response) => response.end('<html>'))
  await assert.rejects(createVerifier()(token))
  assert.equal(warnings, bodies.length + 1)
})

const now = () => clock

function createKeys(issuer = provider.issuer) {
  const { metadataAddress } = provider
  const log = {
    warn() {
      warnings += 1
    },
  }
  return createIssuerKeys({ issuer, metadataAddress, now, log })
}

const createVerifier = (issuer = provider.issuer) =>
  createAccessTokenVerifier({
    issuer,
    audience: 'svc-api',
    scope: 'svc.api',
    keys: createKeys(issuer).find,
    now,
  })

const isFalse = () => false
const isTrue = () => true
