import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { claimsOf, createPkce, openBrowser, queryOf, redeem, requestOf } from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { redirectUri } from '../support/known-clients.ts'
import { submit } from '../support/registered-clients.ts'
import { askFactors, atSecondStep, setUpApp } from '../support/second-factors.ts'

const web = 'http://localhost:5400'

describe('a passkey', () => {
  const written: string[] = []
  const host = fixture(startIdentityUnderTest, {
    hostName: 'localhost',
    destination: { write: (line) => void written.push(line) },
    environment: { LOG_LEVEL: 'info', Cors__AllowedOrigins__2: web, Identity__PasskeyDomain: 'localhost' },
  })

  const isSignedIn = (page: { readonly location: string }) => page.location.startsWith(`${redirectUri}?code=`)
  const handleOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

  /** Adds a passkey as the web client does. */
  const add = async (token: string, authenticator = createTestAuthenticator(), overrides = {}) => {
    const optionsResponse = await askFactors(host, token, '/passkey-options', {})
    assert.equal(optionsResponse.status, 200, optionsResponse.text)
    const { options, challenge } = optionsResponse.json
    const requested = { challenge: options.challenge, origin: web, ...overrides }
    const form = { challenge, credential: authenticator.create(requested), name: 'My key' }
    return { authenticator, options, form, answer: await askFactors(host, token, '/passkeys', form) }
  }
  const withPasskey = async (overrides = {}) => {
    const account = await host.addAccount()
    const { access_token: token } = await host.signIn(account.login)
    const { authenticator, answer } = await add(token, createTestAuthenticator(), overrides)
    assert.equal(answer.status, 200, answer.text)
    return { ...account, token, authenticator, recoveryCodes: answer.json.recoveryCodes as string[] }
  }
  const optionsIn = ({ text }: { readonly text: string }) =>
    JSON.parse(/data-options="([^"]+)"/.exec(text)?.[1]?.replaceAll('&#34;', '"') ?? 'null')
  /** Returns the page for a sign-in with only a passkey, and a response to it. */
  const atPasskeyPage = async () => {
    const browser = openBrowser(host.address)
    const pkce = createPkce()
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
    const shown = await browser.get('/ext/passkey', { authRequest: queryOf(page).authRequest ?? '' })
    const { challenge } = optionsIn(shown)
    return {
      browser,
      pkce,
      challenge: challenge as string,
      answer: (credential: string) => submit(browser, shown, { credential }),
    }
  }

  it('signs in as the only factor', async () => {
    const { id, authenticator } = await withPasskey()
    const { browser, pkce, challenge, answer } = await atPasskeyPage()
    const callback = await answer(
      authenticator.get({ challenge, origin: host.address, userHandle: handleOf(id) }),
    )
    assert.ok(isSignedIn(callback), callback.text)
    const { id_token } = (await redeem(browser, pkce, callback)).json
    const { amr, acr, sub } = claimsOf(id_token)
    assert.deepEqual([amr, acr, sub], [['pop', 'mfa'], 'phr', id])
  })

  it('is the second step after the password', async () => {
    const { login, authenticator } = await withPasskey()
    const { browser, pkce, page } = await atSecondStep(host, login)
    const options = optionsIn(page)
    assert.deepEqual(options.allowCredentials[0].id, authenticator.id.toString('base64url'))
    const credential = authenticator.get({
      challenge: options.challenge,
      origin: host.address,
      isVerified: false,
    })
    const callback = await submit(browser, page, { credential })
    assert.ok(isSignedIn(callback), callback.text)
    const { amr, acr } = claimsOf((await redeem(browser, pkce, callback)).json.id_token)
    assert.deepEqual([amr, acr], [['pwd', 'pop', 'mfa'], 'phr'])
  })

  it('of another account is rejected at the second step', async () => {
    const [ada, eve] = [await withPasskey(), await withPasskey()]
    const { browser, page } = await atSecondStep(host, ada.login)
    const requested = { challenge: optionsIn(page).challenge, origin: host.address }
    const rejected = await submit(browser, page, { credential: eve.authenticator.get(requested) })
    assert.ok(!isSignedIn(rejected))
    assert.match(rejected.text, /This passkey is not registered here, or it could not verify you\./)
    assert.doesNotMatch(rejected.text, /This code is wrong|aria-invalid/)
    // Eve's own challenge does not help her.
    const eveStep = await atSecondStep(host, eve.login)
    const other = /name="challenge" value="([^"]+)"/.exec(eveStep.page.text)?.[1] ?? ''
    const signed = eve.authenticator.get({ ...requested, challenge: optionsIn(eveStep.page).challenge })
    assert.ok(!isSignedIn(await submit(browser, page, { challenge: other, credential: signed })))
  })

  // This key has no counter. A counter would detect a second use.
  const uncounted = { counter: 0 }

  it('can answer a challenge only once', async () => {
    const { id, authenticator } = await withPasskey(uncounted)
    const { challenge, answer } = await atPasskeyPage()
    const origin = host.address
    const credential = authenticator.get({ ...uncounted, challenge, origin, userHandle: handleOf(id) })
    const answers = await Promise.all([1, 2, 3].map(() => answer(credential)))
    assert.equal(answers.filter(isSignedIn).length, 1)
  })

  it('with a challenge of the second step does not sign in on the passkey page', async () => {
    const { id, login, authenticator } = await withPasskey(uncounted)
    const secondStep = await atSecondStep(host, login)
    const sealedChallenge = /name="challenge" value="([^"]+)"/.exec(secondStep.page.text)?.[1] ?? ''
    const { challenge } = optionsIn(secondStep.page)
    const origin = host.address
    const credential = authenticator.get({ ...uncounted, challenge, origin, userHandle: handleOf(id) })
    const { authRequest = '' } = Object.fromEntries(secondStep.page.address.searchParams)
    const { browser } = await atPasskeyPage()
    const page = await browser.get('/ext/passkey', { authRequest })
    assert.ok(!isSignedIn(await submit(browser, page, { challenge: sealedChallenge, credential })))
  })

  it('is rejected if any part of its response is wrong', async () => {
    const { id, authenticator } = await withPasskey()
    const other = await host.addAccount()
    const good = { origin: host.address, userHandle: handleOf(id) }
    const attempts = {
      'a page that only looks like ours': { ...good, origin: 'http://localhost.evil.example' },
      'the origin of the web client': { ...good, origin: web },
      'our page in a frame of another site': { ...good, crossOrigin: true },
      'another domain': { ...good, domain: 'evil.example' },
      'the user was not verified': { ...good, isVerified: false },
      'no account named': { origin: host.address },
      'another account named': { ...good, userHandle: handleOf(other.id) },
    }
    for (const [description, requested] of Object.entries(attempts)) {
      const { challenge, answer } = await atPasskeyPage()
      assert.ok(!isSignedIn(await answer(authenticator.get({ challenge, ...requested }))), description)
      await host.database.singleWrites.query(sql`delete from lockouts`)
    }
    for (const { counter, isAccepted } of [
      { counter: 50, isAccepted: true },
      { counter: 50, isAccepted: false },
      { counter: 49, isAccepted: false },
      { counter: 0, isAccepted: false },
      { counter: 51, isAccepted: true },
    ]) {
      const { challenge, answer } = await atPasskeyPage()
      const page = await answer(authenticator.get({ challenge, ...good, counter }))
      assert.equal(isSignedIn(page), isAccepted, `${counter}`)
    }
  })

  it('that is invalid never causes a 5xx', async () => {
    const { id, login, authenticator } = await withPasskey()
    for (const credential of [
      'x',
      '{}',
      'null',
      '[]',
      '{"id":"AA","response":{}}',
      '{"id":7,"response":null}',
      'x'.repeat(11_000),
    ]) {
      const { answer } = await atPasskeyPage()
      const page = await answer(credential)
      assert.equal(page.status, 200, page.text)
    }
    for (let count = 0; count < 5; count += 1) {
      const { challenge, answer } = await atPasskeyPage()
      await answer(
        authenticator.get({ challenge: `x${challenge}`, origin: host.address, userHandle: handleOf(id) }),
      )
    }
    const { challenge, answer } = await atPasskeyPage()
    const page = await answer(
      authenticator.get({ challenge, origin: host.address, userHandle: handleOf(id) }),
    )
    assert.match(page.text, /Too many attempts/)
    const { page: locked } = await atSecondStep(host, login)
    assert.equal(queryOf(locked).error, 'locked')
  })

  it('can be added only once, for the account that requested it, from our pages', async () => {
    const account = await host.addAccount()
    const { access_token: token } = await host.signIn(account.login)
    const { authenticator, form, answer } = await add(token)
    assert.equal(answer.json.recoveryCodes.length, 10)
    assert.equal((await askFactors(host, token, '/passkeys', form)).status, 400)
    assert.equal((await add(token, authenticator)).answer.status, 400)
    const other = await host.addAccount()
    const { access_token: otherToken } = await host.signIn(other.login)
    // A known passkey is rejected, and so is the response to a challenge of another account.
    assert.equal((await add(otherToken, authenticator)).answer.status, 400)
    const { options, challenge } = (await askFactors(host, token, '/passkey-options', {})).json
    const credential = createTestAuthenticator().create({ challenge: options.challenge, origin: web })
    const foreign = await askFactors(host, otherToken, '/passkeys', { challenge, credential, name: 'x' })
    assert.equal(foreign.status, 400)
    const evil = 'https://evil.example'
    for (const overrides of [
      { origin: evil },
      { crossOrigin: true },
      { domain: evil },
      { challenge: 'AAAA' },
    ])
      assert.equal((await add(otherToken, createTestAuthenticator(), overrides)).answer.status, 400)
    // The id of a credential has at most 1,023 bytes (WebAuthn).
    assert.equal((await add(otherToken, createTestAuthenticator({ idBytes: 1100 }))).answer.status, 400)
    // Invalid transports are ignored.
    for (const transports of ['usb', null, 7, Array.from({ length: 20 }, () => 'usb')])
      assert.equal((await add(otherToken, createTestAuthenticator({ transports }))).answer.status, 200)
    assert.equal(options.excludeCredentials.length, 1)
    assert.equal(options.rp.id, 'localhost')
  })

  it('is renamed and removed by its owner only', async () => {
    const { login, token, recoveryCodes } = await withPasskey()
    const { access_token: otherToken } = await host.signIn((await host.addAccount()).login)
    const [{ id, name }] = (await askFactors(host, token)).json.passkeys
    assert.equal(name, 'My key')
    for (const path of ['/passkeys/rename', '/passkeys/remove'])
      assert.equal((await askFactors(host, otherToken, path, { id, name: 'x' })).status, 404)
    assert.equal((await askFactors(host, token, '/passkeys/rename', { id, name: '' })).status, 400)
    assert.equal((await askFactors(host, token, '/passkeys/rename', { id, name: 'Phone' })).status, 200)
    assert.equal((await askFactors(host, token)).json.passkeys[0].name, 'Phone')
    const { answer } = await atSecondStep(host, login)
    // The account has no app whose codes could change.
    assert.match((await answer('wrong')).text, />This code is wrong or has been used before\.</)
    assert.ok(isSignedIn(await answer(recoveryCodes[0] ?? '')))
    assert.equal((await askFactors(host, token, '/passkeys/remove', { id })).status, 200)
    assert.ok((await host.signIn(login)).access_token)
  })

  it('cannot be removed while it is the only way to sign in', async () => {
    const { id, login, token, authenticator } = await withPasskey()
    const signInAlone = async () => {
      const { challenge, answer } = await atPasskeyPage()
      const signed = { challenge, origin: host.address, userHandle: handleOf(id) }
      assert.ok(isSignedIn(await answer(authenticator.get(signed))))
    }
    const [passkey] = (await askFactors(host, token)).json.passkeys
    const remove = () => askFactors(host, token, '/passkeys/remove', { id: passkey.id })
    const domain = async () => {
      const [stored] = await host.database.query(sql`select alone_domain from passkeys where user_id = ${id}`)
      return stored
    }
    const { browser, page } = await atSecondStep(host, login)
    const credential = authenticator.get({ challenge: optionsIn(page).challenge, origin: host.address })
    assert.ok(isSignedIn(await submit(browser, page, { credential })))
    assert.deepEqual(await domain(), { alone_domain: null })
    await signInAlone()
    assert.deepEqual(await domain(), { alone_domain: 'localhost' })
    const [account] = await host.database.query<{ hash: string }>(
      sql`select password_hash as hash from users where id = ${id}`,
    )
    const setHash = (text: string) =>
      host.database.query(sql`update users set password_hash = ${text} where id = ${id}`)
    await setHash('none')
    const { status, json } = await remove()
    assert.equal(status, 400)
    assert.match(JSON.stringify(json), /only way to sign in/)
    await setHash(account?.hash ?? '')
    assert.equal((await remove()).status, 200)
  })

  it('does not prevent sign-ins with an authenticator app', async () => {
    const { login, token } = await withPasskey()
    const app = await setUpApp(host, login, token)
    const { answer } = await atSecondStep(host, login)
    assert.ok(isSignedIn(await answer(app.code())))
  })

  it('is recorded in the security log', () => {
    const events = written.map((line) => JSON.parse(line)).filter(({ security }) => security !== undefined)
    for (const outcome of ['passkey added', 'passkey renamed', 'passkey removed', 'app set up'])
      assert.ok(
        events.some(({ security, outcome: logged }) => security === 'factor-changed' && logged === outcome),
      )
    assert.ok(events.some(({ security, outcome }) => security === 'sign-in' && outcome === 'wrong passkey'))
    assert.ok(
      events.some(({ security, level, account }) => security === 'passkey-copied' && level === 40 && account),
    )
  })
})

interface SigningRequest {
  readonly challenge: string
  readonly origin: string
  readonly domain?: string
  /** By default, the previous counter plus one. */
  readonly counter?: number
  readonly isVerified?: boolean
  readonly userHandle?: string
  /** Whether the page was shown in a frame of another site. */
  readonly crossOrigin?: boolean
}

/** Creates a software passkey that can also behave incorrectly. */
function createTestAuthenticator({ idBytes = 32, transports = ['internal'] as unknown } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(idBytes)
  let count = 0
  const authenticatorData = (
    { domain = 'localhost', counter, isVerified = true }: SigningRequest,
    key?: Buffer,
  ) => {
    count = counter ?? count + 1
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (key ? 0x40 : 0)
    const head = Buffer.alloc(5)
    head.writeUInt8(flags)
    head.writeUInt32BE(count, 1)
    return Buffer.concat([createHash('sha256').update(domain).digest(), head, ...(key ? [key] : [])])
  }
  const clientData = (type: string, { challenge, origin, crossOrigin = false }: SigningRequest) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))
  const credential = (response: object) =>
    JSON.stringify({
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    })
  return {
    id,
    create(requested: SigningRequest): string {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const idLength = Buffer.alloc(2)
      idLength.writeUInt16BE(id.length)
      const key = Buffer.concat([Buffer.alloc(16), idLength, id, coseKey(x, y)])
      return credential({
        clientDataJSON: clientData('webauthn.create', requested).toString('base64url'),
        attestationObject: attestation(authenticatorData(requested, key)).toString('base64url'),
        transports,
      })
    },
    get(requested: SigningRequest): string {
      const data = authenticatorData(requested)
      const client = clientData('webauthn.get', requested)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        ...(requested.userHandle !== undefined && { userHandle: requested.userHandle }),
      })
    },
  }
}

/** CBOR of `{ fmt: "none", attStmt: {}, authData }`. */
function attestation(data: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  return Buffer.concat([
    Buffer.from([0xa3, 0x63]),
    Buffer.from('fmt'),
    Buffer.from([0x64]),
    Buffer.from('none'),
    Buffer.from([0x67]),
    Buffer.from('attStmt'),
    Buffer.from([0xa0, 0x68]),
    Buffer.from('authData'),
    Buffer.from([0x59]),
    length,
    data,
  ])
}

/** COSE: an EC2 key for ES256 on P-256 (RFC 9053, 7.1.1). */
const coseKey = (x: string, y: string): Buffer =>
  Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, 'base64url'),
  ])
