import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { createPkce, openBrowser, postSignIn, queryOf, requestOf } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'

const pkce = createPkce()

describe('a login with failed sign-ins', () => {
  let host: IdentityUnderTest
  let another: { readonly address: string }
  before(async () => {
    host = await startIdentityUnderTest()
    another = await host.startAnother()
  })
  after(() => host.stop())

  const attempt = async (login: string, given: string, address = host.address) =>
    queryOf(await postSignIn(openBrowser(address), pkce, { login, password: given }))

  it('is locked after five within 15 minutes, for both instances, even for the right password, for 15 minutes', async () => {
    const { login } = await host.addAccount()
    for (const address of [host.address, another.address, host.address, another.address])
      assert.equal((await attempt(login, 'wrong', address)).error, 'invalid')
    const fifth = await attempt(login, 'wrong')
    assert.deepEqual([fifth.error, fifth.retryAfter], ['invalid', undefined])
    for (const address of [host.address, another.address]) {
      const locked = await attempt(login.toUpperCase(), password, address)
      assert.equal(locked.error, 'locked')
      const seconds = Number(locked.retryAfter)
      assert.ok(seconds > 14 * 60 && seconds <= 15 * 60, String(seconds))
      assert.ok(locked.authRequest)
    }
    host.clock.advance(15 * 60_000)
    assert.ok('authRequest' in (await attempt(login, password)))
    assert.equal((await attempt(login, password)).error, undefined)
  })

  it('without an account is locked just the same', async () => {
    for (let count = 0; count < 5; count += 1)
      assert.equal((await attempt('ghost@example.com', 'wrong')).error, 'invalid')
    assert.equal((await attempt('ghost@example.com', 'wrong')).error, 'locked')
  })

  it('starts from nothing after a success, and after 15 minutes', async () => {
    const { login } = await host.addAccount()
    for (let count = 0; count < 4; count += 1) await attempt(login, 'wrong')
    assert.equal((await attempt(login, password)).error, undefined)
    for (let count = 0; count < 4; count += 1) await attempt(login, 'wrong')
    host.clock.advance(15 * 60_000)
    assert.equal((await attempt(login, 'wrong')).error, 'invalid')
    assert.equal((await attempt(login, password)).error, undefined)
  })

  it('gets no further attempts for other spellings that the store takes for the same', async () => {
    const { login } = await host.addAccount({ login: 'mixed.case@example.com' })
    for (const spelling of [
      login,
      ` ${login}`,
      'MIXED.case@example.com',
      'Mixed.Case@example.com',
      `${login} `,
    ])
      assert.equal((await attempt(spelling, 'wrong')).error, 'invalid')
    assert.equal((await attempt('mIXED.CASE@EXAMPLE.COM', password)).error, 'locked')
  })
})

describe('many concurrent sign-ins', () => {
  it('are verified four at a time, sixteen wait, and the others get 429', async (t) => {
    const host = await startIdentityUnderTest({
      // Slower than for real, so that also a busy machine sends faster than they are verified.
      passwords: createPasswords({ passes: 5 }),
    })
    t.after(() => host.stop())
    const browser = openBrowser(host.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
    const authRequest = queryOf(page).authRequest ?? ''
    const pages = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        openBrowser(host.address).post(
          '/api/account/login',
          { login: `person-${index}@example.com`, password: 'wrong', authRequest },
          { origin },
        ),
      ),
    )
    const refused = pages.filter(({ status }) => status === 429)
    assert.equal(pages.filter(({ status }) => status === 303).length + refused.length, 60)
    assert.ok(refused.length >= 1 && refused.length <= 40, `${refused.length} of 60 were refused`)
    for (const { json, headers } of refused) {
      assert.equal(json.statusCode, 429)
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }
    assert.ok(pages.every(({ location }) => location === '' || location.startsWith(origin)))
  })
})
