import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSettings, SettingsError } from '../../configuration/settings.ts'
import { clientsOf } from './clients.ts'
import { readIdentitySettings } from './configuration.ts'

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readSettings(environment, readIdentitySettings)
    return []
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.problems
  }
}

const secret = 'a-secret-of-at-least-32-characters'

describe('the configuration of the identity host', () => {
  it('needs no variable at all', () => {
    const settings = readSettings({}, readIdentitySettings)
    assert.equal(settings.port, 5200)
    assert.deepEqual(settings.rateLimit, { permitLimit: 60, queueLimit: 5 })
    assert.equal(settings.keySecret, undefined)
    const client = clientsOf(settings).get('svc-webclient')
    assert.deepEqual(client?.scopes, ['openid', 'profile', 'svc.api', 'offline_access'])
    assert.deepEqual(client?.redirectUris, [
      'http://localhost:5400/signin-callback/',
      'http://127.0.0.1:5400/signin-callback/',
    ])
    assert.deepEqual(client?.postLogoutRedirectUris, [
      'http://localhost:5400/login/',
      'http://127.0.0.1:5400/login/',
    ])
  })

  it('reads service clients with both scopes unless some are named', () => {
    const settings = readSettings(
      {
        Identity__ServiceClients__import__Secret: secret,
        Identity__ServiceClients__import__Login: 'import@example.com',
        Identity__ServiceClients__report__Secret: secret,
        Identity__ServiceClients__report__Login: 'report@example.com',
        Identity__ServiceClients__report__Scopes__0: 'svc.api',
        Identity__ServiceClients__report__Audiences__0: 'svc-api',
      },
      readIdentitySettings,
    )
    assert.deepEqual(settings.serviceClients, [
      { id: 'import', secret, login: 'import@example.com', scopes: ['svc.api', 'svc.grpc'], audiences: [] },
      { id: 'report', secret, login: 'report@example.com', scopes: ['svc.api'], audiences: ['svc-api'] },
    ])
  })

  it('refuses a short secret, a missing login, a foreign scope and the name of the web client', () => {
    assert.deepEqual(
      problemsOf({
        Identity__ServiceClients__import__Secret: 'x'.repeat(31),
        Identity__ServiceClients__import__Scopes__0: 'openid',
        'Identity__ServiceClients__svc-webclient__Secret': secret,
        'Identity__ServiceClients__svc-webclient__Login': 'a@example.com',
      }),
      [
        'Identity__ServiceClients__import__Secret must have at least 32 characters.',
        'Identity__ServiceClients__import__Login is required: the login of the account it acts as.',
        'Identity__ServiceClients__import__Scopes has openid; a service client can have svc.api, svc.grpc.',
        'Identity__ServiceClients__svc-webclient cannot be named like the web client.',
      ],
    )
  })

  it('takes the secret of the keys under either name, and needs none', () => {
    const secretOf = (environment: Record<string, string>) =>
      readSettings(environment, readIdentitySettings).keySecret
    assert.equal(secretOf({ DATABASE_URL: 'postgresql://localhost/x' }), undefined)
    assert.equal(secretOf({ Jwt__SigningKey: 'first' }), 'first')
    assert.equal(secretOf({ Jwt__SigningKey: 'first', Identity__KeyEncryptionSecret: 'second' }), 'second')
  })

  it('refuses a private key or a page that is none', () => {
    assert.deepEqual(problemsOf({ Jwt__SigningPrivateKey: 'x', Identity__LoginPageUrl: 'login' }), [
      'Identity__LoginPageUrl must be an http or https address.',
      'Jwt__SigningPrivateKey must be an RSA private key of at least 2048 bits, as PEM.',
    ])
  })
})
