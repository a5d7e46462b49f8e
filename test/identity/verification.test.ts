import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { sql } from '../../src/store/sql.ts'
import { createPkce, openBrowser, postSignIn, queryOf, requestOf } from '../support/browser.ts'
import { cheapPasswords, password } from '../support/cheap-passwords.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'

describe('a sign-in whose account changes while its password is verified', () => {
  for (const [change, set] of [
    ['gets a new password', sql`security_stamp = 'another'`],
    ['is removed', sql`active = false`],
  ] as const)
    it(`starts no session when it ${change}`, async (t) => {
      const cheap = cheapPasswords()
      const during: { change?: () => Promise<unknown> } = {}
      const verify = async (hash: string, given: string) => {
        const isRight = await cheap.verify(hash, given)
        await during.change?.()
        return isRight
      }
      const host = await startIdentityUnderTest({ passwords: { ...cheap, verify } })
      t.after(() => host.stop())
      during.change = () =>
        host.database.transaction((transaction) =>
          transaction.query(sql`update users set ${set} where id = ${host.person.id}`),
        )
      const browser = openBrowser(host.address)
      assert.equal(queryOf(await postSignIn(browser, createPkce())).error, 'invalid')
      assert.equal(browser.cookies.size, 0)
    })
})

describe('a sign-in with an ambiguous, an unknown or a known login', () => {
  it('takes the same time and gets the same answer', async (t) => {
    const host = await startIdentityUnderTest({
      passwords: createPasswords({ memoryMebibytes: 32, passes: 2, lanes: 1 }),
    })
    t.after(() => host.stop())
    // A store from before logins were unique.
    await host.database.transaction((transaction) => transaction.query(sql`drop index users_login_active`))
    await host.addAccount({ login: 'twin@example.com' })
    await host.addAccount({ login: 'Twin@example.com' })
    await host.addAccount({ login: 'odd@example.com', passwordHash: 'no hash at all' })
    const browser = openBrowser(host.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const { authRequest = '' } = queryOf(page)
    const attempt = async (login: string, given: string) => {
      const startedAt = performance.now()
      const form = { login, password: given, authRequest }
      const page = await openBrowser(host.address).post('/api/account/login', form, { origin })
      assert.equal(page.location, `${origin}/login/?authRequest=${authRequest}&error=invalid`)
      return performance.now() - startedAt
    }
    const cases = [
      ['x'.repeat(300), password],
      ['ada@example.com', 'Wrong-Horse-1'],
      ['nobody@example.com', password],
      ['twin@example.com', password],
      ['odd@example.com', password],
    ] as const
    // Alternately, so that other work on the machine slows all of them; the fastest of each is what counts.
    const fastest = cases.map(() => Number.POSITIVE_INFINITY)
    const differ = () => Math.max(...fastest.slice(1)) >= 2 * Math.min(...fastest.slice(1))
    // A busy machine gets more rounds; what really takes longer takes longer in all of them.
    for (let round = 0; round < 5 || (round < 20 && differ()); round += 1) {
      if (round % 5 === 0) host.clock.advance(16 * 60_000)
      for (const [index, [login, given]] of cases.entries())
        fastest[index] = Math.min(fastest[index] ?? 0, await attempt(login, given))
    }
    const [withoutHashing = 0, ...hashing] = fastest
    assert.ok(Math.min(...hashing) > withoutHashing + 5, `Each of them hashes: ${fastest}`)
    assert.equal(differ(), false, `They take the same time: ${fastest}`)
  })
})
