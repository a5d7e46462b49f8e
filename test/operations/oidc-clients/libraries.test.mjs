import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generators, Issuer } from 'openid-client-5'
import * as six from 'openid-client-6'
import { AuthorizationCode } from 'simple-oauth2'
import { issuer, login, openPerson, secret, server, statusOf } from './person.mjs'

const redirect_uri = `${server}/callback`
const scope = 'openid profile email offline_access'

test('openid-client 5 signs in, refreshes, revokes and signs out', async () => {
  const found = await Issuer.discover(issuer)
  const client = new found.Client({
    client_id: 'server',
    client_secret: secret,
    redirect_uris: [redirect_uri],
  })
  const [code_verifier, state, nonce] = [generators.codeVerifier(), generators.state(), generators.nonce()]
  const person = openPerson()
  const { callback } = await person.signIn(
    client.authorizationUrl({
      ...{ scope, state, nonce },
      code_challenge: generators.codeChallenge(code_verifier),
      code_challenge_method: 'S256',
    }),
  )
  const parameters = Object.fromEntries(callback.searchParams)
  const tokens = await client.callback(redirect_uri, parameters, { code_verifier, state, nonce })
  assert.equal(tokens.claims().email, login)
  assert.equal((await client.userinfo(tokens)).preferred_username, login)
  const refreshed = await client.refresh(tokens)
  assert.equal((await client.introspect(refreshed.access_token)).active, true)
  await client.revoke(refreshed.refresh_token)
  const end = client.endSessionUrl({ id_token_hint: refreshed, post_logout_redirect_uri: `${server}/` })
  assert.equal((await fetch(end, { redirect: 'manual' })).status, 302)
  const { location } = await person.browser.get((await person.browser.get(end)).location)
  assert.equal(location, `${server}/`)
  assert.equal(await statusOf(refreshed.access_token), 401)
})

test('openid-client 6 signs in, refreshes, revokes and signs out', async () => {
  const config = await six.discovery(new URL(issuer), 'server', secret, undefined, {
    execute: [six.allowInsecureRequests],
  })
  const pkceCodeVerifier = six.randomPKCECodeVerifier()
  const expectedState = six.randomState()
  const person = openPerson()
  const { callback } = await person.signIn(
    six.buildAuthorizationUrl(config, {
      ...{ redirect_uri, scope, state: expectedState },
      code_challenge: await six.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }).href,
  )
  const tokens = await six.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState })
  assert.equal(tokens.claims().email, login)
  const refreshed = await six.refreshTokenGrant(config, tokens.refresh_token)
  const user = await six.fetchUserInfo(config, refreshed.access_token, tokens.claims().sub)
  assert.equal(user.preferred_username, login)
  await six.tokenRevocation(config, tokens.access_token)
  assert.deepEqual([await statusOf(tokens.access_token), await statusOf(refreshed.access_token)], [401, 200])
  const end = six.buildEndSessionUrl(config, {
    id_token_hint: refreshed.id_token,
    post_logout_redirect_uri: `${server}/`,
  })
  await person.browser.get((await person.browser.get(end.href)).location)
  assert.equal(await statusOf(refreshed.access_token), 401)
})

test('openid-client 6 reads the metadata of RFC 8414', async () => {
  const config = await six.discovery(new URL(issuer), 'server', secret, undefined, {
    algorithm: 'oauth2',
    execute: [six.allowInsecureRequests],
  })
  assert.deepEqual(config.serverMetadata().response_types_supported, ['code'])
})

test('simple-oauth2 signs in, refreshes and revokes both tokens', async () => {
  const client = new AuthorizationCode({
    client: { id: 'passport', secret },
    auth: {
      tokenHost: issuer,
      ...{
        tokenPath: '/connect/token',
        authorizePath: '/connect/authorize',
        revokePath: '/connect/revocation',
      },
    },
  })
  const address = client.authorizeURL({ redirect_uri, scope, state: 'state-1' })
  const { callback } = await openPerson().signIn(address)
  const token = await client.getToken({ code: callback.searchParams.get('code'), redirect_uri })
  assert.equal(await statusOf(token.token.access_token), 200)
  const refreshed = await token.refresh()
  assert.equal(await statusOf(refreshed.token.access_token), 200)
  await refreshed.revokeAll()
  assert.equal(await statusOf(refreshed.token.access_token), 401)
  await assert.rejects(refreshed.refresh(), /Bad Request/)
})
