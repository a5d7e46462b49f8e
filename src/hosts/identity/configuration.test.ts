import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSettings, SettingsError } from '../../config/settings.ts'
import { readIdentitySettings } from './configuration.ts'
import { clientsOf, scriptOriginsOf } from './values/clients.ts'

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
  it('has a default for every variable', () => {
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

  it('parses service clients, which have both scopes unless the settings name some', () => {
    const settings = readSettings(
      {
        Identity__ServiceClients__import__Secret: secret,
        Identity__ServiceClients__import__Login: 'import@example.com',
        Identity__ServiceClients__report__Secret: secret,
        Identity__ServiceClients__report__Login: 'report@example.com',
        Identity__ServiceClients__report__Scopes__0: 'svc.api',
        Identity__ServiceClients__report__SigningAlgorithm: 'ES256',
      },
      readIdentitySettings,
    )
    assert.deepEqual(settings.serviceClients, [
      {
        id: 'import',
        secret,
        login: 'import@example.com',
        scopes: ['svc.api', 'svc.grpc'],
        signingAlgorithm: 'RS256',
      },
      {
        id: 'report',
        secret,
        login: 'report@example.com',
        scopes: ['svc.api'],
        signingAlgorithm: 'ES256',
      },
    ])
  })

  it('rejects invalid settings of a service client', () => {
    assert.deepEqual(
      problemsOf({
        Identity__ServiceClients__import__Secret: 'x'.repeat(31),
        Identity__ServiceClients__import__Scopes__0: 'openid',
        Identity__ServiceClients__import__SigningAlgorithm: 'HS256',
        'Identity__ServiceClients__svc-webclient__Secret': secret,
        'Identity__ServiceClients__svc-webclient__Login': 'a@example.com',
      }),
      [
        'Identity__ServiceClients__import__Secret must have at least 32 characters.',
        'Identity__ServiceClients__import__Login is required: the login of the account it acts as.',
        'Identity__ServiceClients__import__Scopes has openid; a service client can have svc.api, svc.grpc.',
        'Identity__ServiceClients__import__SigningAlgorithm must be one of RS256, ES256.',
        'Identity__ServiceClients__svc-webclient cannot be named like the web client.',
      ],
    )
  })

  it('parses registered clients', () => {
    const { registeredClients } = readSettings(
      {
        Identity__Clients__wiki__Name: 'The wiki',
        Identity__Clients__wiki__RedirectUris__0: 'https://wiki.example.com/callback',
        Identity__Clients__wiki__RedirectUris__1: 'com.example.wiki:/callback',
        Identity__Clients__wiki__PostLogoutRedirectUris__0: 'https://wiki.example.com/',
        Identity__Clients__portal__RedirectUris__0: 'https://portal.example.com/callback',
        Identity__Clients__portal__Secret: secret,
        Identity__Clients__portal__RequirePkce: 'false',
        Identity__Clients__portal__FirstParty: 'true',
        Identity__Clients__portal__Scopes__0: 'openid',
        Identity__Clients__portal__Scopes__1: 'svc.api',
      },
      readIdentitySettings,
    )
    assert.deepEqual(registeredClients, [
      {
        id: 'wiki',
        name: 'The wiki',
        secret: undefined,
        requiresPkce: true,
        scopes: ['openid', 'profile', 'offline_access', 'email'],
        signingAlgorithm: 'RS256',
        redirectUris: ['https://wiki.example.com/callback', 'com.example.wiki:/callback'],
        postLogoutRedirectUris: ['https://wiki.example.com/'],
        isFirstParty: false,
      },
      {
        id: 'portal',
        name: 'portal',
        secret,
        requiresPkce: false,
        scopes: ['openid', 'svc.api'],
        signingAlgorithm: 'RS256',
        redirectUris: ['https://portal.example.com/callback'],
        postLogoutRedirectUris: [],
        isFirstParty: true,
      },
    ])
    assert.deepEqual(
      scriptOriginsOf(clientsOf({ allowedOrigins: [], serviceClients: [], registeredClients })),
      ['https://wiki.example.com'],
    )
  })

  it('rejects a registered client with invalid settings', () => {
    const uriRule =
      'it must be an http or https URL, or have the scheme of an app such as com.example.app:/callback, without a fragment, a user name or white space.'
    assert.deepEqual(
      problemsOf({
        Identity__Clients__a__Name: 'x'.repeat(101),
        Identity__Clients__a__RedirectUris__0: 'javascript:alert(1)',
        Identity__Clients__a__RedirectUris__1: 'https://a.example.com/#here',
        Identity__Clients__a__RedirectUris__2: '/callback',
        Identity__Clients__a__Secret: 'short',
        Identity__Clients__a__Scopes__0: 'svc.all',
        Identity__Clients__b__RedirectUris__0: 'https://b.example.com/',
        Identity__Clients__b__RequirePkce: 'false',
        'Identity__Clients__svc-webclient__RedirectUris__0': 'https://c.example.com/',
      }),
      [
        'Identity__Clients__a__Secret must have at least 32 characters.',
        `Identity__Clients__a__RedirectUris has javascript:alert(1); ${uriRule}`,
        `Identity__Clients__a__RedirectUris has https://a.example.com/#here; ${uriRule}`,
        `Identity__Clients__a__RedirectUris has /callback; ${uriRule}`,
        'Identity__Clients__a__RedirectUris__0 is required.',
        'Identity__Clients__a__Name must have at most 100 characters.',
        'Identity__Clients__a__Scopes has svc.all; a client can have openid, profile, svc.api, svc.grpc, offline_access, email.',
        'Identity__Clients__b__RequirePkce must be true for a client without a secret.',
        'Identity__Clients__svc-webclient has the id of another client.',
      ],
    )
  })

  it('reads the key secret from either variable', () => {
    const secretOf = (environment: Record<string, string>) =>
      readSettings(environment, readIdentitySettings).keySecret
    assert.equal(secretOf({ DATABASE_URL: 'postgresql://localhost/x' }), undefined)
    assert.equal(secretOf({ Jwt__SigningKey: 'first' }), 'first')
    assert.equal(secretOf({ Jwt__SigningKey: 'first', Identity__KeyEncryptionSecret: 'second' }), 'second')
  })

  it('rejects an invalid private key and an invalid URL of the sign-in page', () => {
    assert.deepEqual(problemsOf({ Jwt__SigningPrivateKey: 'x', Identity__LoginPageUrl: 'login' }), [
      'Identity__LoginPageUrl must be an http or https URL.',
      'Jwt__SigningPrivateKey must be an RSA private key of at least 2048 bits, as PEM.',
    ])
  })

  it('parses providers, and rejects settings that cannot work or would admit too many users', () => {
    const { providers } = readSettings(providerSettings('corp'), readIdentitySettings)
    assert.deepEqual([providers[0]?.issuer, providers[0]?.name], ['https://login.example.com/', 'corp'])
    const rejected: readonly { readonly settings: Record<string, string>; readonly problem: RegExp }[] = [
      { settings: { Issuer: 'login.example.com' }, problem: /Issuer must be the address/ },
      {
        settings: { Issuer: 'https://x.example/.well-known/openid-configuration' },
        problem: /Issuer must be the address/,
      },
      { settings: { Issuer: 'https://user:word@x.example' }, problem: /Issuer must be the address/ },
      { settings: { ClientId: '' }, problem: /ClientId is required/ },
      {
        settings: { CreateAccounts: 'true', DefaultProject: 'first' },
        problem: /must be the id of a project/,
      },
      {
        settings: { DefaultProject: '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58' },
        problem: /set CreateAccounts, too/,
      },
      { settings: { Name: 'n'.repeat(101) }, problem: /at most 100 characters/ },
    ]
    for (const { settings, problem } of rejected)
      assert.match(problemsOf(providerSettings('corp', settings)).join(), problem)
    assert.match(problemsOf({ 'Identity__Providers__a b__Issuer': 'https://x.example' }).join(), /invalid id/)
    assert.match(
      problemsOf({ ...providerSettings('corp'), ...providerSettings('Corp') }).join(),
      /differ only in case/,
    )
  })

  it('allows turning passwords off only with a provider and with the extensions', () => {
    for (const environment of [{}, { ...providerSettings('corp'), EXTENSIONS: 'off' }])
      assert.match(problemsOf({ Identity__Passwords: 'off', ...environment }).join(), /can be off only with/)
    assert.deepEqual(problemsOf({ Identity__Passwords: 'off', ...providerSettings('corp') }), [])
  })
})

/** Returns the variables of a valid provider with this id. Each override is keyed by the end of its name. */
function providerSettings(id: string, overrides: Record<string, string> = {}): Record<string, string> {
  const values = { Issuer: 'https://login.example.com/', ClientId: 'tracker', ...overrides }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`Identity__Providers__${id}__${name}`, value]),
  )
}
