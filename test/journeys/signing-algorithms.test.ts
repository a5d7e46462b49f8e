import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { headerOf, openBrowser, refresh } from '../support/browser.ts'
import { registrationOf, tokensAt, wiki } from '../support/registered-clients.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

const scopes = { Scopes__0: 'openid', Scopes__1: 'svc.api', Scopes__2: 'offline_access' }
const app = { ...wiki, others: { ...wiki.others, ...scopes, SigningAlgorithm: 'ES256' } }
const request = { scope: 'openid svc.api offline_access' }

describe('A client that asks for tokens signed by ES256', { concurrency: true }, () => {
  let rest: RestUnderTest
  before(async () => {
    rest = await startRestUnderTest(registrationOf(app))
  })
  after(() => rest.stop())

  const read = async (path: string) => (await openBrowser(rest.identity.address).get(path)).json
  const publishedKeys = () => read('/.well-known/openid-configuration/jwks')
  const tokensOf = async (login: string) => {
    const browser = openBrowser(rest.identity.address)
    const { json } = await tokensAt(browser, app, { login, request })
    return { browser, ...json }
  }

  test('gets them at sign-in and refresh, with published keys, and they are accepted', async () => {
    const { login, id } = await rest.signUp()
    const tokens = await tokensOf(login)
    const keys = createLocalJWKSet(await publishedKeys())
    for (const token of [tokens.access_token, tokens.id_token]) {
      assert.equal(headerOf(token).alg, 'ES256')
      const { payload } = await jwtVerify(token, keys, { algorithms: ['ES256'] })
      assert.equal(payload.sub, id)
    }
    const fresh = (await refresh(tokens.browser, tokens.refresh_token, { client_id: app.id })).json
    assert.deepEqual([headerOf(fresh.access_token).alg, headerOf(fresh.id_token).alg], ['ES256', 'ES256'])
    const { body } = await rest.call('GET', '/api/me', { token: fresh.access_token })
    assert.equal(body.id, id)
    const authorization = `Bearer ${fresh.access_token}`
    const person = await openBrowser(rest.identity.address).get('/connect/userinfo', {}, { authorization })
    assert.equal(person.json.sub, id)
  })

  test('changes nothing for the others, and is seen in the documents', async () => {
    const { login } = await rest.signUp()
    const tokens = await rest.identity.signIn(login)
    assert.equal(headerOf(tokens.access_token).alg, 'RS256')
    const { keys } = await publishedKeys()
    assert.deepEqual(
      keys.map(({ alg, kty, crv, d }: Record<string, string>) => [alg, kty, crv, d]),
      [
        ['RS256', 'RSA', undefined, undefined],
        ['ES256', 'EC', 'P-256', undefined],
      ],
    )
    for (const path of ['openid-configuration', 'oauth-authorization-server'])
      assert.deepEqual((await read(`/.well-known/${path}`)).id_token_signing_alg_values_supported, [
        ...['RS256', 'ES256'],
      ])
  })

  test('has them rejected where the head names another algorithm or another key', async () => {
    const { login } = await rest.signUp()
    const { access_token: token } = await tokensOf(login)
    const { keys } = await publishedKeys()
    const [, claims, signature] = String(token).split('.')
    const encode = (head: object) => Buffer.from(JSON.stringify(head)).toString('base64url')
    const heads = [
      { alg: 'RS256' },
      { kid: keys[0].kid },
      { alg: 'none' },
      { alg: 'ES384' },
      { alg: 'HS256' },
    ]
    for (const changed of heads) {
      const head = encode({ ...headerOf(token), ...changed })
      const forged = `${head}.${claims}.${changed.alg === 'none' ? '' : signature}`
      assertEnvelope(await rest.call('GET', '/api/me', { token: forged }), 401)
      const authorization = `Bearer ${forged}`
      const host = openBrowser(rest.identity.address)
      assert.equal((await host.get('/connect/userinfo', {}, { authorization })).status, 401)
    }
  })
})
