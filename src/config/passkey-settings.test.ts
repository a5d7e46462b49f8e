import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPasskeySettings, readTrackerSettings } from './host-settings.ts'
import { readSettings, SettingsError } from './settings.ts'

const passkeysWith = (environment: Readonly<Record<string, string>>) =>
  readSettings(environment, (settings) => readPasskeySettings(settings, readTrackerSettings(settings)))

test('passkeys work on localhost without any setting', () => {
  assert.deepEqual(passkeysWith({}), {
    domain: 'localhost',
    origins: ['http://localhost:5400', 'http://localhost:5200'],
    includeIdentityHost: true,
  })
})

test('passkeys do not work on IP addresses, or over HTTP except on localhost', () => {
  const withIpAddresses = {
    Jwt__Issuer: 'https://10.0.0.1',
    Cors__AllowedOrigins__0: 'https://10.0.0.1:8443',
  }
  assert.equal(passkeysWith(withIpAddresses), undefined)
  const overPlainHttp = {
    Jwt__Issuer: 'http://id.example.com',
    Cors__AllowedOrigins__0: 'http://app.example.com',
  }
  assert.equal(passkeysWith(overPlainHttp), undefined)
})

test('the domain of passkeys is the common suffix of web client and identity host', () => {
  const settingsFor = (web: string, issuer: string) =>
    passkeysWith({ Jwt__Issuer: `https://${issuer}`, Cors__AllowedOrigins__0: `https://${web}` })
  assert.equal(settingsFor('app.example.com', 'id.example.com')?.domain, 'example.com')
  assert.equal(settingsFor('app.example.co.uk', 'id.example.co.uk')?.domain, 'example.co.uk')
  assert.equal(settingsFor('example.com', 'id.example.com')?.domain, 'example.com')
  assert.equal(settingsFor('app.example.com', 'app.example.com:8443')?.domain, 'app.example.com')
  // Without one, it is the domain of the web client, and the identity host's pages offer no passkeys.
  assert.deepEqual(settingsFor('app.example.com', 'id.other.com'), {
    domain: 'app.example.com',
    origins: ['https://app.example.com'],
    includeIdentityHost: false,
  })
})

test('passkeys are not bound to a public suffix', () => {
  for (const suffix of [
    'co.uk',
    'com.au',
    'or.jp',
    'github.io',
    'onrender.com',
    'azurewebsites.net',
    'up.railway.app',
  ]) {
    const [web, identity] = [`https://tracker.${suffix}`, `https://id.${suffix}`]
    const settings = { Jwt__Issuer: identity, Cors__AllowedOrigins__0: web }
    assert.deepEqual(passkeysWith(settings), {
      domain: `tracker.${suffix}`,
      origins: [web],
      includeIdentityHost: false,
    })
    const below = { Jwt__Issuer: `https://id.tracker.${suffix}`, Cors__AllowedOrigins__0: web }
    assert.equal(passkeysWith(below)?.domain, `tracker.${suffix}`)
  }
})

test('a configured domain of passkeys is that of the web client or a parent of it, even a public suffix', () => {
  const web = { Jwt__Issuer: 'https://id.example.com', Cors__AllowedOrigins__0: 'https://app.example.com' }
  const domainWith = (Identity__PasskeyDomain: string) =>
    passkeysWith({ ...web, Identity__PasskeyDomain })?.domain
  assert.equal(domainWith('example.com'), 'example.com')
  assert.equal(domainWith('app.example.com'), 'app.example.com')
  for (const wrong of ['other.com', 'https://example.com', 'xample.com', 'app.example.com.', 'Example.com'])
    assert.throws(() => domainWith(wrong), SettingsError, wrong)
  const onSuffix = { Jwt__Issuer: 'https://id.co.uk', Cors__AllowedOrigins__0: 'https://app.co.uk' }
  assert.equal(passkeysWith({ ...onSuffix, Identity__PasskeyDomain: 'co.uk' })?.domain, 'co.uk')
})
