import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Environment } from '../../src/config/settings.ts'
import { newId } from '../../src/db/columns.ts'
import { sql } from '../../src/db/sql.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  openBrowser,
  type Page,
  queryOf,
  redeem,
  requestOf,
} from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import {
  type ArriveOptions,
  arriveFrom,
  insertIdentity,
  type OutsideAccount,
  type OutsideProviderUnderTest,
  passThrough,
  startOutsideProvider,
} from '../support/outside-provider.ts'

const project = newId()

describe('a sign-in with an external provider', () => {
  let outside: OutsideProviderUnderTest
  let host: IdentityUnderTest
  before(async () => {
    outside = await startOutsideProvider()
    const setting = (id: string, others: Environment) =>
      outside.settings(id, { Name: `The ${id}`, ...others })
    host = await startIdentityUnderTest({
      environment: {
        ...setting('plain', {}),
        ...setting('linking', { LinkByVerifiedEmail: 'true' }),
        ...setting('making', { CreateAccounts: 'true', DefaultProject: project }),
      },
    })
    const organization = newId()
    await host.database.query(sql`insert into organizations (id, name) values (${organization}, 'Org')`)
    await host.database.query(
      sql`insert into projects (id, name, organization_id) values (${project}, 'First', ${organization})`,
    )
  })
  after(async () => {
    await host?.stop()
    await outside?.stop()
  })

  const arrive = (provider: string, person: OutsideAccount, options?: ArriveOptions) =>
    arriveFrom(outside, host.address, { provider, person, ...options })
  const identitiesOf = (userId: string) =>
    host.database.query<{ issuer: string; subject: string; label: string }>(
      sql`select issuer, subject, label from outside_identities where user_id = ${userId}`,
    )
  const connect = (userId: string, subject: string) =>
    insertIdentity(host.database, outside.issuer, { userId, subject })
  const signInTo = async (callback: Page, pkce: ReturnType<typeof createPkce>, browser: Browser) =>
    claimsOf((await redeem(browser, pkce, callback)).json.access_token)

  it('ends in a session of the account that the identity is connected with, which says how it began', async () => {
    const { id } = await host.addAccount()
    await connect(id, 'known')
    const [browser, pkce] = [openBrowser(host.address), createPkce()]
    const callback = await arrive('plain', { sub: 'known' }, { browser, pkce })
    const { sub, sid } = await signInTo(callback, pkce, browser)
    assert.equal(sub, id)
    const [session] = await host.database.query<{ provider: string; token: string }>(
      sql`select provider, outside_token as token from signin_sessions where id = ${sid}`,
    )
    assert.equal(session?.provider, 'plain')
    assert.ok(session.token && !session.token.includes('eyJ'))
  })

  it('is rejected to people with no account, unless the settings connect or make one', async () => {
    const { login } = await host.addAccount()
    const page = await arrive('plain', { sub: 'stranger', email: login, email_verified: true })
    assert.equal(page.status, 403)
    assert.match(page.text, /No account here is connected to yours at The plain/)
    assert.match(page.text, /href="\/api\/account\/login-page\?authRequest=/)
  })

  it('connects the account whose login is the verified address, where the settings allow it', async () => {
    const { id, login } = await host.addAccount()
    const person = { sub: `of-${id}`, email: login.toUpperCase() }
    for (const email_verified of [false, undefined] as const)
      assert.equal(
        (await arrive('linking', { ...person, ...(email_verified === false && { email_verified }) })).status,
        403,
      )
    assert.deepEqual(await identitiesOf(id), [])
    assert.ok(queryOf(await arrive('linking', { ...person, email_verified: true })).code)
    assert.deepEqual(await identitiesOf(id), [
      { issuer: outside.issuer, subject: person.sub, label: person.email },
    ])
    // From now on by issuer and subject, whatever the address is.
    assert.ok(queryOf(await arrive('plain', { sub: person.sub, email: 'other@example.com' })).code)
  })

  it('connects no account whose login only the store takes for the same', async () => {
    const { id, login } = await host.addAccount({ login: 'kate@corp.example' })
    // The sign of Kelvin, which is written like a K and made small like one.
    const person = { sub: 'kelvin', email: login.replace('k', '\u212a'), email_verified: true }
    const [same] = await host.database.query(sql`select 1 where lower(${person.email}) = lower(${login})`)
    assert.ok(same)
    assert.match((await arrive('linking', person)).text, /There already is an account with your address/)
    assert.deepEqual(await identitiesOf(id), [])
  })

  it('makes an account with the default project, once, and never under a login that exists', async () => {
    const person = { sub: 'new-1', email: 'new-1@example.com', email_verified: true, name: 'New One' }
    const [browser, pkce] = [openBrowser(host.address), createPkce()]
    const { sub } = await signInTo(await arrive('making', person, { browser, pkce }), pkce, browser)
    const [account] = await host.database.query(sql`
      select login, name, (select project_id from user_projects where user_id = account.id and active) as project
      from users as account where id = ${sub}`)
    assert.deepEqual(account, { login: person.email, name: 'New One', project })
    const [kept] = await host.database.query(
      sql`select client, fields ->> 'login' as login from history where row_id = ${sub}`,
    )
    assert.deepEqual(kept, { client: 'provider:making', login: person.email })
    assert.ok(queryOf(await arrive('making', { sub: 'new-1' })).code)
    assert.equal((await identitiesOf(sub)).length, 1)
    const taken = await arrive('making', { ...person, sub: 'new-2' })
    assert.equal(taken.status, 403)
    assert.match(taken.text, /There already is an account with your address/)
    for (const person of [
      { sub: 'new-3', email: 'new-3@example.com' },
      // Looks like the one above, where a zero-width space cannot be seen.
      { sub: 'new-4', email: 'new\u200b-1@example.com', email_verified: true },
    ])
      assert.equal((await arrive('making', person)).status, 403)
  })

  it('makes no account an administrator of the settings', async () => {
    const person = { sub: 'root', email: 'Root@example.com', email_verified: true }
    assert.equal((await arrive('making', person)).status, 403)
    assert.deepEqual(
      await host.database.query(sql`select from users where lower(login) = 'root@example.com'`),
      [],
    )
  })

  it('is rejected for accounts that are removed or deactivated, which are not created again either', async () => {
    for (const close of ['removed', 'deactivated']) {
      const { id, login } = await host.addAccount()
      await connect(id, close)
      await host.database.query(
        close === 'removed'
          ? sql`update users set active = false, deleted_at = now() where id = ${id}`
          : sql`insert into deactivated_accounts (user_id, deactivated_by) values (${id}, ${id})`,
      )
      for (const sub of [close, `another-${close}`]) {
        const page = await arrive('making', { sub, email: login, email_verified: true })
        assert.equal(page.status, 403)
        assert.match(page.text, /Your account here is closed/)
      }
    }
  })

  it('of twenty who come for the first time at once makes one account', async () => {
    const person = { sub: 'crowd', email: 'crowd@example.com', email_verified: true }
    const pages = await Promise.all(Array.from({ length: 20 }, () => arrive('making', person)))
    assert.ok(pages.every((page) => queryOf(page).code))
    const made = await host.database.query(
      sql`select from users join outside_identities on user_id = users.id where login = ${person.email}`,
    )
    assert.equal(made.length, 1)
  })

  it('gives one identity to one account, and one login to one of several identities', async () => {
    const people = Array.from({ length: 10 }, (_, index) => ({
      sub: `racer-${index}`,
      email: 'race@example.com',
      email_verified: true,
    }))
    // The provider signs in the configured user, so each goes to the callback first.
    const waiting: { browser: Browser; callback: Page }[] = []
    for (const person of people) {
      const browser = openBrowser(host.address)
      outside.register(host.address, 'making')
      outside.person = person
      const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
      const query = { provider: 'making', authRequest: queryOf(page).authRequest ?? '' }
      waiting.push({ browser, callback: await passThrough(await browser.get('/ext/sign-in/with', query)) })
    }
    const pages = await Promise.all(waiting.map(({ browser, callback }) => browser.follow(callback)))
    assert.equal(pages.filter((page) => queryOf(page).code).length, 1)
    assert.equal(pages.filter(({ status }) => status === 403).length, 9)
  })

  it('is repeated at the provider, whose session is still active', async () => {
    const { id } = await host.addAccount()
    await connect(id, 'again')
    const there = openBrowser(outside.issuer)
    for (const request of [{}, { prompt: 'login' }])
      assert.ok(queryOf(await arrive('plain', { sub: 'again' }, { there, request })).code)
  })

  it('asks the provider again for who must sign in again, and for the age that the client wants', async () => {
    const browser = openBrowser(host.address)
    const ask = async (others: Record<string, string>) => {
      const page = await browser.follow(
        await browser.get('/connect/authorize', requestOf(createPkce(), others)),
      )
      const query = { provider: 'plain', authRequest: queryOf(page).authRequest ?? '' }
      return queryOf(await browser.get('/ext/sign-in/with', query))
    }
    const again = await ask({ prompt: 'login' })
    assert.deepEqual([again.prompt, again.max_age], ['login', '0'])
    assert.equal((await ask({ prompt: 'select_account' })).prompt, 'select_account')
    assert.equal((await ask({ max_age: '30' })).max_age, '30')
    const { prompt, code_challenge_method: method, scope } = await ask({})
    assert.deepEqual([prompt, method, scope], [undefined, 'S256', 'openid profile email'])
  })
})
