import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Environment } from '../../src/config/settings.ts'
import { newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  type Fields,
  openBrowser,
  type Page,
  postSignIn,
  queryOf,
  redeem,
  requestOf,
  signIn,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import {
  type ArriveOptions,
  arriveFrom,
  type ExternalAccount,
  insertIdentity,
  passThrough,
  startExternalProvider,
} from '../support/external-provider.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin } from '../support/known-clients.ts'
import { authorizationRequestOf, registrationOf, submit, wiki } from '../support/registered-clients.ts'
import { send, startRestUnderTest } from '../support/rest-host.ts'
import { askFactors, setUpApp } from '../support/second-factors.ts'

const project = newId()

describe('a sign-in with an external provider', () => {
  const external = fixture(startExternalProvider)
  const setting = (id: string, extraSettings: Environment) =>
    external.settings(id, { Name: `The ${id}`, ...extraSettings })
  const host = fixture(() =>
    startIdentityUnderTest({
      environment: {
        ...setting('plain', {}),
        ...setting('linking', { LinkByVerifiedEmail: 'true' }),
        ...setting('making', { CreateAccounts: 'true', DefaultProject: project }),
      },
    }),
  )
  before(async () => {
    const organization = newId()
    await host.database.query(sql`insert into organizations (id, name) values (${organization}, 'Org')`)
    await host.database.query(
      sql`insert into projects (id, key, name, organization_id) values (${project}, 'FIRST', 'First', ${organization})`,
    )
  })

  const arrive = (provider: string, person: ExternalAccount, options?: ArriveOptions) =>
    arriveFrom(external, host.address, { provider, person, ...options })
  const identitiesOf = (userId: string) =>
    host.database.query<{ issuer: string; subject: string; label: string }>(
      sql`select issuer, subject, label from outside_identities where user_id = ${userId}`,
    )
  const connect = (userId: string, subject: string) =>
    insertIdentity(host.database, external.issuer, { userId, subject })
  const redeemClaims = async (callback: Page, pkce: ReturnType<typeof createPkce>, browser: Browser) =>
    claimsOf((await redeem(browser, pkce, callback)).json.access_token)

  it('starts a session of the connected account', async () => {
    const { id } = await host.addAccount()
    await connect(id, 'known')
    const [browser, pkce] = [openBrowser(host.address), createPkce()]
    const callback = await arrive('plain', { sub: 'known' }, { browser, pkce })
    const { sub, sid } = await redeemClaims(callback, pkce, browser)
    assert.equal(sub, id)
    const [session] = await host.database.query<{ provider: string; token: string }>(
      sql`select provider, outside_token as token from signin_sessions where id = ${sid}`,
    )
    assert.equal(session?.provider, 'plain')
    // The token is encrypted, so it is not the JSON Web Token of the provider.
    assert.doesNotMatch(session.token, /eyJ[\w-]+\.eyJ/)
  })

  it('is rejected for users without an account', async () => {
    const { login } = await host.addAccount()
    const page = await arrive('plain', { sub: 'stranger', email: login, email_verified: true })
    assert.equal(page.status, 403)
    assert.match(page.text, /No account here is connected to your The plain/)
    assert.match(page.text, /href="\/api\/account\/login-page\?authRequest=/)
  })

  it('connects the account whose login is the verified address, if the settings allow it', async () => {
    const { id, login } = await host.addAccount()
    const person = { sub: `of-${id}`, email: login.toUpperCase() }
    const unverified: readonly ExternalAccount[] = [{ ...person, email_verified: false }, person]
    for (const account of unverified) assert.equal((await arrive('linking', account)).status, 403)
    assert.deepEqual(await identitiesOf(id), [])
    assert.ok(queryOf(await arrive('linking', { ...person, email_verified: true })).code)
    assert.deepEqual(await identitiesOf(id), [
      { issuer: external.issuer, subject: person.sub, label: person.email },
    ])
    // From now on, issuer and subject identify the account, not the address.
    assert.ok(queryOf(await arrive('plain', { sub: person.sub, email: 'other@example.com' })).code)
  })

  it('does not connect an account if only the database considers its login equal', async () => {
    const { id, login } = await host.addAccount({ login: 'kate@corp.example' })
    // The Kelvin sign looks like a K, and its lower case is k.
    const person = { sub: 'kelvin', email: login.replace('k', '\u212a'), email_verified: true }
    const [same] = await host.database.query(sql`select 1 where lower(${person.email}) = lower(${login})`)
    assert.ok(same)
    assert.match(
      (await arrive('linking', person)).text,
      /There is already an account with your email address/,
    )
    assert.deepEqual(await identitiesOf(id), [])
  })

  it('creates an account with the default project only once', async () => {
    const person = { sub: 'new-1', email: 'new-1@example.com', email_verified: true, name: 'New One' }
    const [browser, pkce] = [openBrowser(host.address), createPkce()]
    const { sub } = await redeemClaims(await arrive('making', person, { browser, pkce }), pkce, browser)
    const [account] = await host.database.query(sql`
      select login, name, (select project_id from user_projects where user_id = account.id and active) as project
      from users as account where id = ${sub}`)
    assert.deepEqual(account, { login: person.email, name: 'New One', project })
    const [stored] = await host.database.query(
      sql`select client, fields ->> 'login' as login from history where row_id = ${sub}`,
    )
    assert.deepEqual(stored, { client: 'provider:making', login: person.email })
    assert.ok(queryOf(await arrive('making', { sub: 'new-1' })).code)
    assert.equal((await identitiesOf(sub)).length, 1)
    const taken = await arrive('making', { ...person, sub: 'new-2' })
    assert.equal(taken.status, 403)
    assert.match(taken.text, /There is already an account with your email address/)
    for (const person of [
      { sub: 'new-3', email: 'new-3@example.com' },
      // Looks like the address above, because the zero-width space is invisible.
      { sub: 'new-4', email: 'new\u200b-1@example.com', email_verified: true },
    ])
      assert.equal((await arrive('making', person)).status, 403)
  })

  it('creates no account with the login of an administrator in the settings', async () => {
    const person = { sub: 'root', email: 'Root@example.com', email_verified: true }
    assert.equal((await arrive('making', person)).status, 403)
    assert.deepEqual(
      await host.database.query(sql`select from users where lower(login) = 'root@example.com'`),
      [],
    )
  })

  it('is rejected for accounts that are removed or deactivated', async () => {
    for (const state of ['removed', 'deactivated']) {
      const { id, login } = await host.addAccount()
      await connect(id, state)
      await host.database.query(
        state === 'removed'
          ? sql`update users set active = false, deleted_at = now() where id = ${id}`
          : sql`insert into deactivated_accounts (user_id, deactivated_by) values (${id}, ${id})`,
      )
      for (const sub of [state, `another-${state}`]) {
        const page = await arrive('making', { sub, email: login, email_verified: true })
        assert.equal(page.status, 403)
        assert.match(page.text, /Your account here is closed/)
      }
    }
  })

  it('creates a single account for twenty concurrent first sign-ins', async () => {
    const person = { sub: 'crowd', email: 'crowd@example.com', email_verified: true }
    const pages = await Promise.all(Array.from({ length: 20 }, () => arrive('making', person)))
    assert.ok(pages.every((page) => queryOf(page).code))
    const made = await host.database.query(
      sql`select from users join outside_identities on user_id = users.id where login = ${person.email}`,
    )
    assert.equal(made.length, 1)
  })

  it('connects only one of ten identities that claim a login at the same time', async () => {
    const people = Array.from({ length: 10 }, (_, index) => ({
      sub: `racer-${index}`,
      email: 'race@example.com',
      email_verified: true,
    }))
    // The provider signs in only the current person, so each browser obtains its callback before any browser
    // opens one.
    const waiting: { browser: Browser; callback: Page }[] = []
    for (const person of people) {
      const browser = openBrowser(host.address)
      external.register(host.address, 'making')
      external.person = person
      const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
      const query = { provider: 'making', authRequest: queryOf(page).authRequest ?? '' }
      waiting.push({ browser, callback: await passThrough(await browser.get('/ext/sign-in/with', query)) })
    }
    const pages = await Promise.all(waiting.map(({ browser, callback }) => browser.follow(callback)))
    assert.equal(pages.filter((page) => queryOf(page).code).length, 1)
    assert.equal(pages.filter(({ status }) => status === 403).length, 9)
  })

  it('succeeds again while the session at the provider is active', async () => {
    const { id } = await host.addAccount()
    await connect(id, 'again')
    const providerBrowser = openBrowser(external.issuer)
    for (const request of [{}, { prompt: 'login' }])
      assert.ok(queryOf(await arrive('plain', { sub: 'again' }, { providerBrowser, request })).code)
  })

  it('requests a new sign-in from the provider if the client requires it', async () => {
    const browser = openBrowser(host.address)
    const ask = async (overrides: Record<string, string>) => {
      const page = await browser.follow(
        await browser.get('/connect/authorize', requestOf(createPkce(), overrides)),
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

describe('a sign-in by a provider without a fresh authentication', () => {
  const external = fixture(startExternalProvider)
  const host = fixture(() => startIdentityUnderTest({ environment: external.settings('plain') }))
  before(async () => {
    await insertIdentity(host.database, external.issuer, { userId: host.person.id, subject: 'ada' })
  })

  const arrive = async (request: Fields = {}, browser = openBrowser(host.address)) => {
    const pkce = createPkce()
    const arrival = { provider: 'plain', person: { sub: 'ada' }, browser, pkce, request }
    const page = await arriveFrom(external, host.address, arrival)
    return { browser, token: (await redeem(browser, pkce, page)).json.access_token }
  }

  it('permits no change of factors and no further provider', async () => {
    const [old, fresh] = [await arrive(), await arrive({ prompt: 'login' })]
    const rejected = await askFactors(host, old.token, '/app', {})
    assert.deepEqual([rejected.status, rejected.json.error], [401, 'insufficient_user_authentication'])
    assert.match((await old.browser.get('/ext/connect', { provider: 'plain' })).text, /sign in again first/)
    assert.equal((await askFactors(host, fresh.token, '/app', {})).status, 200)
    assert.equal((await fresh.browser.get('/ext/connect', { provider: 'plain' })).status, 302)
  })

  it('does not satisfy a client that requires a fresh authentication', async () => {
    for (const wanted of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login', max_age: '0' }]) {
      const browser = openBrowser(host.address)
      const page = await browser.follow(
        await browser.get('/connect/authorize', requestOf(createPkce(), wanted as Fields)),
      )
      const { authRequest = '' } = queryOf(page)
      await arrive({}, browser)
      const again = await browser.follow(await browser.get('/connect/authorize', { authRequest }))
      assert.equal(queryOf(again).code, undefined, JSON.stringify(wanted))
      assert.match(again.location, /^http:\/\/app.example.test\/login\//)
    }
  })

  it('is rejected if its identity was disconnected before the second step', async () => {
    const { id, login } = await host.addAccount()
    const app = await setUpApp(host, login)
    await insertIdentity(host.database, external.issuer, { userId: id, subject: login })
    const browser = openBrowser(host.address)
    const arrival = { provider: 'plain', person: { sub: login }, browser }
    const step = await arriveFrom(external, host.address, arrival)
    assert.equal(step.address.pathname, '/ext/second-step')
    await host.database.singleWrites.query(sql`delete from outside_identities where user_id = ${id}`)
    await submit(browser, step, { code: app.code() })
    assert.equal(browser.cookies.has('identity'), false)
  })
})

describe('an identity at an external provider', () => {
  const external = fixture(startExternalProvider)
  const host = fixture(() =>
    startIdentityUnderTest({
      environment: { ...registrationOf(wiki), ...external.settings('plain', { Name: 'The <plain> one' }) },
    }),
  )
  before(async () => {
    external.register(host.address, 'plain')
  })

  const signedIn = async () => {
    const account = await host.addAccount()
    const browser = openBrowser(host.address)
    await signIn(browser, createPkce(), { login: account.login })
    return { ...account, browser }
  }
  /** Requests a connection, up to the confirmation page. */
  const ask = async (browser: Browser, person: ExternalAccount, query = {}): Promise<Page> => {
    external.person = person
    const atProvider = await browser.get('/ext/connect', { provider: 'plain', ...query })
    return atProvider.status === 302 ? browser.follow(await passThrough(atProvider)) : atProvider
  }
  const holderOf = async (subject: string) => {
    const [identity] = await host.database.query<{ userId: string }>(
      sql`select user_id as "userId" from outside_identities where subject = ${subject}`,
    )
    return identity?.userId
  }

  it('is connected by the user, who is shown both accounts and returns to the requesting page', async () => {
    const { id, login, browser } = await signedIn()
    const page = await ask(browser, { sub: 'mine', email: 'me@corp.example' }, { origin: otherOrigin })
    assert.match(page.text, /Connect The &#60;plain&#62; one\?/)
    assert.ok(
      page.text.includes('<strong>me@corp.example (not verified)</strong>') &&
        page.text.includes(`(${login})`),
    )
    assert.equal(await holderOf('mine'), undefined)
    assert.equal((await submit(browser, page, {})).location, `${otherOrigin}/account`)
    assert.equal(await holderOf('mine'), id)
    assert.ok(
      queryOf(await arriveFrom(external, host.address, { provider: 'plain', person: { sub: 'mine' } })).code,
    )
  })

  it('is connected only by a recently signed-in user', async () => {
    const [victim, other] = [await signedIn(), await signedIn()]
    // This browser has no session.
    assert.equal((await ask(openBrowser(host.address), { sub: 'theirs' })).status, 403)
    const page = await ask(victim.browser, { sub: 'theirs' })
    // Another user signs in to the same browser before the confirmation.
    await signIn(victim.browser, createPkce(), { login: other.login, request: { prompt: 'login' } })
    assert.match((await submit(victim.browser, page, {})).text, /Another user has signed in/)
    // This session is too old.
    host.clock.advance(11 * 60_000)
    assert.match((await ask(other.browser, { sub: 'theirs' })).text, /sign in again first/)
    assert.equal(await holderOf('theirs'), undefined)
  })

  it('is never connected by another site', async () => {
    const [attacker, victim] = [await signedIn(), await signedIn()]
    const page = await ask(attacker.browser, { sub: 'of the attacker' })
    // The victim's browser posts the form of the attacker from another site.
    assert.match((await submit(victim.browser, page, {})).text, /Another user has signed in/)
    const proof = /name="proof" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const foreign: readonly Fields[] = [
      {},
      { origin: 'null' },
      { origin },
      { origin: 'https://evil.example' },
    ]
    for (const headers of foreign)
      assert.equal((await attacker.browser.post('/ext/connect', { proof }, headers)).status, 403)
    // The victim's browser gets the response for the attacker's session at the provider.
    external.person = { sub: 'of the attacker' }
    const atProvider = await attacker.browser.get('/ext/connect', { provider: 'plain' })
    const callback = await passThrough(atProvider)
    await victim.browser.get('/ext/connect', { provider: 'plain' })
    assert.match((await victim.browser.follow(callback)).text, /has expired/)
    for (const wrong of ['', 'made-up'])
      assert.equal(
        (await victim.browser.post('/ext/connect', { proof: wrong }, { origin: host.address })).status,
        400,
      )
    assert.equal(await holderOf('of the attacker'), undefined)
    // No page is shown in a frame, and the browser is not sent to another site.
    const back = await ask(victim.browser, { sub: 'x' }, { origin: 'https://evil.example' })
    assert.ok(back.text.includes(`href="${origin}/account"`) && !back.text.includes('evil'))
    assert.match(back.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })

  it('belongs to one account', async () => {
    const people = [await signedIn(), await signedIn(), await signedIn()]
    const pages = await Promise.all(people.map(({ browser }) => ask(browser, { sub: 'shared' })))
    const ends = await Promise.all(pages.map((page, index) => submit(people[index]!.browser, page, {})))
    assert.equal(ends.filter(({ location }) => location !== '').length, 1)
    assert.equal(
      ends.filter(({ text }) => text.includes('is already connected to another account')).length,
      2,
    )
  })

  it('cannot be connected to an account that has twenty identities', async () => {
    const { id, browser } = await signedIn()
    for (let index = 0; index < 18; index += 1)
      await insertIdentity(host.database, external.issuer, { userId: id, subject: `many-${index}` })
    const pages: Page[] = []
    for (let index = 0; index < 5; index += 1) pages.push(await ask(browser, { sub: `more-${index}` }))
    const ends = await Promise.all(pages.map((page) => submit(browser, page, {})))
    assert.equal(ends.filter(({ location }) => location !== '').length, 2)
    assert.equal(ends.filter(({ text }) => text.includes('the limit of connected accounts')).length, 3)
  })

  it('is also signed out at the provider', async () => {
    const { id } = await host.addAccount()
    await insertIdentity(host.database, external.issuer, { userId: id, subject: 'leaving' })
    const [browser, pkce] = [openBrowser(host.address), createPkce()]
    external.register(host.address, 'plain')
    external.person = { sub: 'leaving' }
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
    const query = { provider: 'plain', authRequest: queryOf(page).authRequest ?? '' }
    const providerBrowser = openBrowser(external.issuer)
    const callback = await browser.follow(
      await passThrough(await browser.get('/ext/sign-in/with', query), providerBrowser),
    )
    const { json } = await redeem(browser, pkce, callback)
    const afterSignOut = await browser.follow(
      await browser.get('/connect/endsession', {
        id_token_hint: json.id_token,
        post_logout_redirect_uri: 'http://app.example.test/login/',
        state: 'bye',
      }),
    )
    assert.ok(afterSignOut.location.startsWith(`${external.issuer}/session/end?`), afterSignOut.location)
    assert.equal(claimsOf(queryOf(afterSignOut).id_token_hint ?? '').sub, 'leaving')
    const back = await browser.follow(await passThrough(afterSignOut, providerBrowser))
    assert.equal(back.location, 'http://app.example.test/login/?state=bye')
    // The session at the provider has ended.
    assert.equal(browser.cookies.has('identity'), false)
    const silent = await providerBrowser.follow(
      await providerBrowser.get('/auth', {
        ...queryOf(await browser.get('/ext/sign-in/with', query)),
        prompt: 'none',
      }),
    )
    assert.equal(queryOf(silent).error, 'login_required')
    // The return address does not redirect without a valid state.
    for (const state of ['', 'made-up', 'https://evil.example'])
      assert.match((await browser.get('/ext/signed-out/return', { state })).text, /You are signed out/)
  })

  it('is offered as a button on the sign-in page of this host', async () => {
    const browser = openBrowser(host.address)
    const page = await browser.follow(
      await browser.get('/connect/authorize', authorizationRequestOf(wiki, createPkce())),
    )
    assert.match(
      page.text,
      /<a class="button" href="\/ext\/sign-in\/with\?provider=plain&#38;authRequest=[^"]+">Sign in with The &#60;plain&#62; one<\/a>/,
    )
    const { json } = await browser.get('/ext/providers', {}, { origin: 'http://app.example.test' })
    assert.deepEqual(json, { passwords: true, providers: [{ id: 'plain', name: 'The <plain> one' }] })
  })
})

describe('the identity host with passwords switched off', () => {
  it('rejects every request that would set or check a password', async (t) => {
    const external = await startExternalProvider()
    const rest = await startRestUnderTest(external.settings('plain'))
    t.after(() => Promise.all([rest.stop(), external.stop()]))
    const { token, id } = rest.administrator
    const [host, identity] = await Promise.all([
      rest.startAnother({ passwords: false }),
      rest.identity.startAnother({ Identity__Passwords: 'false' }),
    ])
    const page = await postSignIn(openBrowser(identity.address), createPkce())
    assert.equal(queryOf(page).error, 'passwords-off')
    for (const [path, body] of [
      ['/api/me/password', { currentPassword: password, newPassword: 'Another-Horse-2' }],
      ['/ext/invitations/accept', { secret: 'x' }],
      ['/ext/password-links', { userId: id }],
      ['/ext/password-links/use', { secret: 'x' }],
    ] as const) {
      const answer = await send(host.address, 'POST', path, { token, body })
      assert.equal(answer.status, 403)
      assert.match(answer.body.message, /Passwords are switched off/)
    }
    assert.equal((await openBrowser(identity.address).get('/ext/providers')).json.passwords, false)
    // A sign-in with the provider needs no password. The first instance serves it, as the issuer is its
    // address.
    await insertIdentity(rest.database, external.issuer, { userId: id, subject: 'ada' })
    const arrival = { provider: 'plain', person: { sub: 'ada' } }
    assert.ok(queryOf(await arriveFrom(external, rest.identity.address, arrival)).code)
  })
})
