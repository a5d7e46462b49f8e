import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { readCommandSettings } from '../hosts/commands/configuration.ts'
import { readRestSettings } from '../hosts/rest/configuration.ts'
import { readWebSettings } from '../hosts/web/configuration.ts'
import { declaredSettings } from './declared-settings.ts'
import type { Setting } from './setting-kinds.ts'
import { type Environment, readSettings, SettingsError, unknownSettings } from './settings.ts'
import { readStoreSettings } from './store-settings.ts'

describe('The configuration', () => {
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

  it('has the address of the identity host as issuer', () => {
    const issuerOf = (environment: Environment) => readSettings(environment, readRestSettings).issuer
    assert.equal(issuerOf({ IDENTITY_PORT: '5210' }), 'http://localhost:5210')
    assert.equal(issuerOf({ HOST: '0.0.0.0' }), 'http://localhost:5200')
    assert.equal(issuerOf({ HOST: '10.0.0.5' }), 'http://10.0.0.5:5200')
    const Jwt__Issuer = 'https://id.example.com'
    assert.equal(issuerOf({ IDENTITY_PORT: '5210', Jwt__Issuer }), Jwt__Issuer)
  })

  it('accepts numbered variables and logins separated by commas', () => {
    const environment = {
      Cors__AllowedOrigins__10: 'https://b.example',
      Cors__AllowedOrigins__2: 'https://a.example',
      SVC_ADMIN_LOGINS: 'ann@example.com, bob@example.com,',
    }
    const { allowedOrigins, adminLogins } = readSettings(environment, readRestSettings)
    assert.deepEqual(allowedOrigins, ['https://a.example', 'https://b.example'])
    assert.deepEqual(adminLogins, ['ann@example.com', 'bob@example.com'])
  })

  it('turns the extensions on and off by the same values on every host', () => {
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

  it('accepts three steps of hours', () => {
    const stepWith = (HOURS_STEP: string) => readSettings({ HOURS_STEP }, readRestSettings).hoursStep
    assert.deepEqual(['', '0.01', '0.25', '1'].map(stepWith), [0.01, 0.01, 0.25, 1])
    for (const wrong of ['0.5', '0', 'one', '0,25'])
      assert.throws(() => stepWith(wrong), /HOURS_STEP must be one of 0\.01, 0\.25, 1\./)
  })

  it('reports all problems at once', () => {
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
          'Jwt__Issuer must be an http or https URL.',
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

describe('A secret', () => {
  const directory = mkdtempSync(join(tmpdir(), 'secrets-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  const fileOf = (content: string) => {
    const path = join(directory, randomUUID())
    writeFileSync(path, content)
    return path
  }

  it('can be the content of a file that a variable with the suffix _FILE names', () => {
    const environment = {
      DATABASE_URL_FILE: fileOf('postgresql://in-a-file/tracker\n'),
      DATABASE_READ_URL_FILE: fileOf('postgresql://one/tracker, postgresql://two/tracker'),
    }
    const { databaseUrl, readUrls } = readSettings(environment, readStoreSettings)
    assert.equal(databaseUrl, 'postgresql://in-a-file/tracker')
    assert.deepEqual(readUrls, ['postgresql://one/tracker', 'postgresql://two/tracker'])
    const client = { Identity__Clients__shop__Secret_FILE: fileOf('of one client') }
    readSettings(client, (settings) => {
      assert.deepEqual(settings.ids('Identity__Clients'), ['shop'])
      assert.equal(settings.getFor('Identity__Clients__{id}__Secret', 'shop'), 'of one client')
    })
  })

  it('is rejected if its file is unusable, or if it is also set directly', () => {
    const missing = join(directory, 'missing')
    const empty = fileOf(' \n')
    const large = fileOf('x'.repeat(70_000))
    const problems: readonly (readonly [Environment, string])[] = [
      [
        { DATABASE_URL: 'postgresql://a/b', DATABASE_URL_FILE: fileOf('postgresql://a/b') },
        'DATABASE_URL and DATABASE_URL_FILE exclude each other.',
      ],
      [
        { DATABASE_URL_FILE: missing },
        `DATABASE_URL_FILE names a file that cannot be read (ENOENT): ${missing}`,
      ],
      [
        { DATABASE_URL_FILE: directory },
        `DATABASE_URL_FILE names a file that cannot be read (EISDIR): ${directory}`,
      ],
      [{ DATABASE_URL_FILE: empty }, `DATABASE_URL_FILE names a file that is empty: ${empty}`],
      [
        { DATABASE_URL_FILE: large },
        `DATABASE_URL_FILE names a file that is larger than 65536 bytes: ${large}`,
      ],
    ]
    for (const [environment, problem] of problems)
      assert.throws(() => readSettings(environment, readStoreSettings), { problems: [problem] })
  })

  it('can be read from a file, unlike other settings', () => {
    const file = fileOf('value')
    for (const [declared, { isSecret }] of Object.entries<Setting<unknown>>(declaredSettings)) {
      if (!declared.includes('_')) continue
      const variable = `${declared.replace('{id}', 'one')}_FILE`
      const unknown = isSecret ? [] : [`${variable} is not a setting: only secrets are read from files.`]
      assert.deepEqual(unknownSettings({ [variable]: file }), unknown)
    }
    assert.deepEqual(unknownSettings({ DATABASEURL_FILE: file, Jwt__SigningKey_File: file }), [
      'DATABASEURL_FILE is not a setting; DATABASE_URL_FILE is.',
      'Jwt__SigningKey_File is not a setting; Jwt__SigningKey_FILE is.',
    ])
  })
})

describe('The URL of the database', () => {
  const problemsOf = (DATABASE_URL: string) => {
    try {
      readSettings({ DATABASE_URL }, readStoreSettings)
      return []
    } catch (error) {
      return (error as SettingsError).problems
    }
  }

  it('accepts only TLS modes that it knows, with files that can be read', () => {
    const url = 'postgresql://ann@db.example.com/tracker'
    for (const mode of ['disable', 'prefer', 'require', 'verify-full'])
      assert.deepEqual(problemsOf(`${url}?sslmode=${mode}`), [])
    assert.deepEqual(problemsOf(`${url}?sslmode=verify_full`), [
      'DATABASE_URL has sslmode=verify_full, which is none of disable, prefer, require, verify-ca, verify-full.',
    ])
    assert.deepEqual(problemsOf(`${url}?sslmode=verify-ca`), [
      'DATABASE_URL has sslmode=verify-ca, which needs sslrootcert, the file of your certificate authority.',
    ])
    assert.deepEqual(problemsOf(`${url}?sslmode=verify-full&sslrootcert=/no/ca.pem&sslkey=/no/key.pem`), [
      'DATABASE_URL has a sslrootcert that cannot be read: /no/ca.pem',
      'DATABASE_URL has a sslkey that cannot be read: /no/key.pem',
    ])
  })

  it('must not have a parameter that the driver would ignore', () => {
    const url = 'postgresql://ann@/tracker?host=%2Frun&port=5432&options=-c%20role%3Dx&application_name=x'
    assert.deepEqual(problemsOf(url), [])
    const parameters =
      'host, port, user, password, sslmode, sslrootcert, sslcert, sslkey, uselibpqcompat, options, application_name'
    assert.deepEqual(problemsOf(`${url}&sslmodee=verify-full&connect_timeout=5`), [
      `DATABASE_URL has a parameter sslmodee, which is none of ${parameters}.`,
      `DATABASE_URL has a parameter connect_timeout, which is none of ${parameters}.`,
    ])
  })

  it('is rejected, without being shown, if the driver would misread its password', () => {
    const expected = [
      'DATABASE_URL must be postgresql://user:password@host:port/database. Percent-encode / as %2F, # as %23, ? as %3F, @ as %40 and % as %25 in each of its parts.',
    ]
    const passwords = ['se/cret', '12/34', 'se#cret', 'se?sslmode=x', 'se@cr?et=1', '%e9']
    for (const password of passwords)
      assert.deepEqual(problemsOf(`postgresql://ann:${password}@db.example.com/tracker`), expected, password)
    for (const address of ['ann:secret@db:99999/tracker', 'ann:se#cret', 'ann@db/tracker?host=/a@b'])
      assert.deepEqual(problemsOf(`postgresql://${address}`), expected, address)
    for (const [password, meant] of Object.entries({
      'se%2Fcret': 'se/cret',
      'se@c': 'se@c',
      '50%x': '50%x',
    })) {
      const url = `postgresql://ann:${password}@db.example.com/tracker`
      assert.deepEqual(problemsOf(url), [], password)
      assert.equal(new pg.Client(url).password, meant)
    }
    for (const url of ['postgresql:///tracker?host=/run', 'postgres://ann:p@[::1]:5432/tracker'])
      assert.deepEqual(problemsOf(url), [], url)
  })
})

describe('Variables that look like settings', () => {
  it('are reported with the setting that was probably meant', () => {
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
      'Cors__AllowedOrigins is not a setting; Cors__AllowedOrigins__0 is.',
      'Identity__Clients__shop__Redirects__0 is not a setting.',
    ])
  })

  it('are reported even with two wrong letters, or with a singular instead of a plural', () => {
    const environment = {
      DATABASE_ULR: 'x',
      PROCESES: '2',
      METRCIS: 'true',
      RESTPORTS: '1',
      TRUSTED_PROXY: '1',
      // A short name, or one with more differences, may belong to another program.
      HOSTS: 'x',
      OTEL_TRACES_SAMPLER: 'always_on',
    }
    assert.deepEqual(unknownSettings(environment), [
      'DATABASE_ULR is not a setting; DATABASE_URL is.',
      'PROCESES is not a setting; PROCESSES is.',
      'METRCIS is not a setting; METRICS is.',
      'RESTPORTS is not a setting; REST_PORT is.',
      'TRUSTED_PROXY is not a setting; TRUSTED_PROXIES is.',
    ])
  })

  it('are reported with their replacement if a release has removed them', () => {
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

  it('are not reported if they are settings, or variables of other programs', () => {
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

describe('The number of trusted proxies', () => {
  const proxiesWith = (environment: Environment) => {
    const { trustedProxies } = readSettings(environment, readRestSettings)
    return [trustedProxies(2), trustedProxies(1)]
  }

  it('is 0 unless forwarded headers are trusted', () => {
    assert.deepEqual(proxiesWith({}), [0, 0])
    assert.deepEqual(proxiesWith({ TRUSTED_PROXIES: '3' }), [0, 0])
    assert.deepEqual(proxiesWith({ ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' }), [2, 1])
  })

  it('is the configured number on every host', () => {
    const enabled = { ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' }
    for (const proxies of [1, 2])
      assert.deepEqual(proxiesWith({ ...enabled, TRUSTED_PROXIES: String(proxies) }), [proxies, proxies])
    assert.throws(() => proxiesWith({ ...enabled, TRUSTED_PROXIES: '11' }), /TRUSTED_PROXIES must be/)
  })
})
