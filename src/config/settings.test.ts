import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readCommandSettings } from '../hosts/commands/configuration.ts'
import { readRestSettings } from '../hosts/rest/configuration.ts'
import { readWebSettings } from '../hosts/web/configuration.ts'
import { type Environment, readSettings, SettingsError, unknownSettings } from './settings.ts'
import { readStoreSettings } from './store-settings.ts'

describe('the configuration', () => {
  it('needs no variable at all', () => {
    const { port, issuer, metadataAddress, audience, rateLimit, allowedOrigins } = readSettings(
      {},
      readRestSettings,
    )
    assert.equal(port, 5100)
    assert.equal(issuer, 'http://localhost:5200')
    assert.equal(metadataAddress, 'http://localhost:5200/.well-known/openid-configuration')
    assert.equal(audience, 'svc-api')
    assert.deepEqual(rateLimit, { permitLimit: 300, queueLimit: 20 })
    assert.deepEqual(allowedOrigins, ['http://localhost:5400', 'http://127.0.0.1:5400'])
  })

  it('takes numbered variables in their order and logins separated by commas', () => {
    const environment = {
      Cors__AllowedOrigins__10: 'https://b.example',
      Cors__AllowedOrigins__2: 'https://a.example',
      SVC_ADMIN_LOGINS: 'ann@example.com, bob@example.com,',
    }
    const { allowedOrigins, adminLogins } = readSettings(environment, readRestSettings)
    assert.deepEqual(allowedOrigins, ['https://a.example', 'https://b.example'])
    assert.deepEqual(adminLogins, ['ann@example.com', 'bob@example.com'])
  })

  it('switches the extensions on and off with the same words on every host', () => {
    const hosts: readonly ((environment: Environment) => boolean)[] = [
      (environment) => readSettings(environment, readRestSettings).extensions,
      (environment) => readSettings(environment, readCommandSettings).extensions,
      (environment) => readSettings(environment, readWebSettings).client.extensions,
    ]
    for (const extensionsWith of hosts) {
      for (const on of [{}, { EXTENSIONS: 'on' }, { EXTENSIONS: 'true' }, { EXTENSIONS: ' ' }])
        assert.equal(extensionsWith(on), true)
      for (const EXTENSIONS of ['off', 'Off', 'false', '0'])
        assert.equal(extensionsWith({ EXTENSIONS }), false, EXTENSIONS)
      for (const EXTENSIONS of ['maybe', 'on,off'])
        assert.throws(
          () => extensionsWith({ EXTENSIONS }),
          /EXTENSIONS must be true or false \(or on or off\)/,
        )
    }
  })

  it('takes one of three steps of hours', () => {
    const stepWith = (HOURS_STEP: string) => readSettings({ HOURS_STEP }, readRestSettings).hoursStep
    assert.deepEqual(['', '0.01', '0.25', '1'].map(stepWith), [0.01, 0.01, 0.25, 1])
    for (const wrong of ['0.5', '0', 'one', '0,25'])
      assert.throws(() => stepWith(wrong), /HOURS_STEP must be one of 0\.01, 0\.25, 1\./)
  })

  it('reports everything that is wrong at once', () => {
    const environment = {
      REST_PORT: '70000',
      LOG_LEVEL: 'loud',
      Jwt__Issuer: 'localhost',
      Cors__AllowedOrigins__0: 'https://a.example/path',
      DATABASE_URL: 'mysql://localhost/x',
      RateLimit__Rest__PermitLimit: '-1',
      EXTENSIONS: 'maybe',
      Auth__SessionValidationCacheSeconds: 'soon',
    }
    assert.throws(
      () =>
        readSettings(environment, (settings) => [readRestSettings(settings), readStoreSettings(settings)]),
      (error) => {
        assert.ok(error instanceof SettingsError)
        assert.deepEqual(error.problems, [
          'Jwt__Issuer must be an http or https address.',
          'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.',
          'Auth__SessionValidationCacheSeconds must be a whole number from 0 to 3600.',
          'Cors__AllowedOrigins has https://a.example/path, which is not an origin such as https://app.example.com.',
          'EXTENSIONS must be true or false (or on or off).',
          'REST_PORT must be a whole number from 0 to 65535.',
          'RateLimit__Rest__PermitLimit must be a whole number from 0 to 1000000.',
          'DATABASE_URL must start with postgresql://.',
        ])
        return true
      },
    )
  })
})

describe('variables that look like settings', () => {
  it('are named with the setting that was meant', () => {
    const environment = {
      Jwt_Issuer: 'http://localhost',
      RateLimit__REST__PermitLimit: '1',
      BANKPORT: '1',
      Cors__AllowedOrigins: 'https://app.example.com',
      Identity__Clients__shop__Redirects__0: 'https://shop.example.com/',
    }
    assert.deepEqual(unknownSettings(environment), [
      'Jwt_Issuer is not a setting; Jwt__Issuer is.',
      'RateLimit__REST__PermitLimit is not a setting; RateLimit__Rest__PermitLimit is.',
      'BANKPORT is not a setting; BANK_PORT is.',
      'Cors__AllowedOrigins is not a setting.',
      'Identity__Clients__shop__Redirects__0 is not a setting.',
    ])
  })

  it('are named with what replaces them where a release has removed them', () => {
    const environment = {
      CHANGE_LOG_DAYS: '90',
      Identity__Providers__corp__SignOut: 'false',
      Identity__Providers__corp__Scopes__12: 'email',
      DATA_DIR: '.data',
    }
    assert.deepEqual(unknownSettings(environment), [
      'CHANGE_LOG_DAYS has no effect any more: the change log is kept for 30 days.',
      'Identity__Providers__corp__SignOut has no effect any more: a sign-out continues at the provider, where the provider has one.',
      'Identity__Providers__corp__Scopes__12 has no effect any more: a provider is asked for openid, profile and email.',
    ])
  })

  it('are neither settings nor variables of other programs', () => {
    const environment = {
      BANK_PORT: '9999',
      BANK_SERVICE_HOST: '10.0.0.1',
      HOSTNAME: 'tracker',
      PATH: '/bin',
      Cors__AllowedOrigins__12: 'https://app.example.com',
      Identity__Clients__my_shop__RedirectUris__0: 'https://shop.example.com/',
      Identity__ServiceClients__robot__Secret: 'x',
    }
    assert.deepEqual(unknownSettings(environment), [])
  })
})

describe('the number of trusted proxies', () => {
  const proxiesWith = (environment: Environment) => {
    const { trustedProxies } = readSettings(environment, readRestSettings)
    return [trustedProxies(2), trustedProxies(1)]
  }

  it('is none by default, and each host has its own once forwarded headers are believed', () => {
    assert.deepEqual(proxiesWith({}), [0, 0])
    assert.deepEqual(proxiesWith({ TRUSTED_PROXIES: '3' }), [0, 0])
    assert.deepEqual(proxiesWith({ ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' }), [2, 1])
  })

  it('is the one that was set, on every host', () => {
    const enabled = { ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' }
    for (const proxies of [1, 2])
      assert.deepEqual(proxiesWith({ ...enabled, TRUSTED_PROXIES: String(proxies) }), [proxies, proxies])
    assert.throws(() => proxiesWith({ ...enabled, TRUSTED_PROXIES: '11' }), /TRUSTED_PROXIES must be/)
  })
})
