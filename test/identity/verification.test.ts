import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { createPkce, openBrowser, postSignIn, queryOf, requestOf } from '../support/browser.ts'
import { cheapPasswords, password } from '../support/cheap-passwords.ts'
import { countedPasswords } from '../support/counted-passwords.ts'
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
  it('does the same work and gets the same answer', async (t) => {
    const { passwords, costs } = countedPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })
    const host = await startIdentityUnderTest({ passwords })
    t.after(() => host.stop())
    // A store from before logins were unique.
    await host.database.transaction((transaction) => transaction.query(sql`drop index users_login_active`))
    await host.addAccount({ login: 'twin@example.com' })
    await host.addAccount({ login: 'Twin@example.com' })
    await host.addAccount({ login: 'odd@example.com', passwordHash: 'no hash at all' })
    const browser = openBrowser(host.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const { authRequest = '' } = queryOf(page)
    const costOf = async (login: string, given: string) => {
      costs.length = 0
      const form = { login, password: given, authRequest }
      const page = await openBrowser(host.address).post('/api/account/login', form, { origin })
      assert.equal(page.location, `${origin}/login/?authRequest=${authRequest}&error=invalid`)
      return [...costs]
    }
    assert.deepEqual(await costOf('x'.repeat(300), password), [], 'No account has such a login.')
    for (const [login, given] of [
      ['ada@example.com', 'Wrong-Horse-1'],
      ['nobody@example.com', password],
      ['twin@example.com', password],
      ['odd@example.com', password],
    ] as const)
      assert.deepEqual(await costOf(login, given), ['$argon2id$v=19$m=1024,t=1,p=1'], login)
  })
})
