import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import {
  type Browser,
  claimsOf,
  createPkce,
  openBrowser,
  type Page,
  postSignIn,
  queryOf,
  redeem,
  requestOf,
  signIn,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin } from '../support/known-clients.ts'
import {
  arriveFrom,
  insertIdentity,
  type OutsideAccount,
  type OutsideProviderUnderTest,
  passThrough,
  startOutsideProvider,
} from '../support/outside-provider.ts'
import { registrationOf, requestAt, submit, wiki } from '../support/registered-clients.ts'
import { send, startRestUnderTest } from '../support/rest-host.ts'

describe('an identity at an outside provider', () => {
  let outside: OutsideProviderUnderTest
  let host: IdentityUnderTest
  before(async () => {
    outside = await startOutsideProvider()
    host = await startIdentityUnderTest({
      environment: { ...registrationOf(wiki), ...outside.settings('plain', { Name: 'The <plain> one' }) },
    })
    outside.register(host.address, 'plain')
  })
  after(async () => {
    await host?.stop()
    await outside?.stop()
  })

  const signedIn = async () => {
    const account = await host.addAccount()
    const browser = openBrowser(host.address)
    await signIn(browser, createPkce(), { login: account.login })
    return { ...account, browser }
  }
  /** Up to the question. */
  const ask = async (browser: Browser, person: OutsideAccount, query = {}): Promise<Page> => {
    outside.person = person
    const left = await browser.get('/ext/connect', { provider: 'plain', ...query })
    return left.status === 302 ? browser.follow(await passThrough(left)) : left
  }
  const holderOf = async (subject: string) =>
    (
      await host.database.query<{ userId: string }>(
        sql`select user_id as "userId" from outside_identities where subject = ${subject}`,
      )
    )[0]?.userId

  it('is connected by the person, who is shown both accounts and goes back to the page that asked', async () => {
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
      queryOf(await arriveFrom(outside, host.address, { provider: 'plain', person: { sub: 'mine' } })).code,
    )
  })

  it('is connected only by a recently signed-in user, in the same session until the response', async () => {
    const [victim, other] = [await signedIn(), await signedIn()]
    // Without a session, and with one that is too old.
    assert.equal((await ask(openBrowser(host.address), { sub: 'theirs' })).status, 403)
    const page = await ask(victim.browser, { sub: 'theirs' })
    // Another user signs in to the same browser before the response.
    await signIn(victim.browser, createPkce(), { login: other.login, request: { prompt: 'login' } })
    assert.match((await submit(victim.browser, page, {})).text, /Another user has signed in/)
    host.clock.advance(11 * 60_000)
    assert.match((await ask(other.browser, { sub: 'theirs' })).text, /sign in again first/)
    assert.equal(await holderOf('theirs'), undefined)
  })

  it('is never connected by another site', async () => {
    const [attacker, victim] = [await signedIn(), await signedIn()]
    const page = await ask(attacker.browser, { sub: 'of the attacker' })
    // The proof of the attacker, posted by the browser of the victim from wherever.
    assert.match((await submit(victim.browser, page, {})).text, /Another user has signed in/)
    const proof = /name="proof" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    for (const headers of [{}, { origin: 'null' }, { origin }, { origin: 'https://evil.example' }])
      assert.equal(
        (await attacker.browser.post('/ext/connect', { proof }, headers as Record<string, string>)).status,
        403,
      )
    // The answer of the attacker's provider session, carried into the browser of the victim.
    outside.person = { sub: 'of the attacker' }
    const left = await attacker.browser.get('/ext/connect', { provider: 'plain' })
    const callback = await passThrough(left)
    await victim.browser.get('/ext/connect', { provider: 'plain' })
    assert.match((await victim.browser.follow(callback)).text, /has expired/)
    for (const wrong of ['', 'made-up'])
      assert.equal(
        (await victim.browser.post('/ext/connect', { proof: wrong }, { origin: host.address })).status,
        400,
      )
    assert.equal(await holderOf('of the attacker'), undefined)
    // No page in a frame, and back to no other site.
    const back = await ask(victim.browser, { sub: 'x' }, { origin: 'https://evil.example' })
    assert.ok(back.text.includes(`href="${origin}/account"`) && !back.text.includes('evil'))
    assert.match(back.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })

  it('belongs to one account, also of two that take it at once', async () => {
    const people = [await signedIn(), await signedIn(), await signedIn()]
    const pages = await Promise.all(people.map(({ browser }) => ask(browser, { sub: 'shared' })))
    const ends = await Promise.all(pages.map((page, index) => submit(people[index]!.browser, page, {})))
    assert.equal(ends.filter(({ location }) => location !== '').length, 1)
    assert.equal(
      ends.filter(({ text }) => text.includes('is already connected to another account')).length,
      2,
    )
  })

  it('is one of at most twenty of an account, also of those that are connected at once', async () => {
    const { id, browser } = await signedIn()
    for (let index = 0; index < 18; index += 1)
      await insertIdentity(host.database, outside.issuer, { userId: id, subject: `many-${index}` })
    const pages: Page[] = []
    for (let index = 0; index < 5; index += 1) pages.push(await ask(browser, { sub: `more-${index}` }))
    const ends = await Promise.all(pages.map((page) => submit(browser, page, {})))
    assert.equal(ends.filter(({ location }) => location !== '').length, 2)
    assert.equal(ends.filter(({ text }) => text.includes('the limit of connected accounts')).length, 3)
  })

  it('signs out there, too, and comes back to where the client wants', async () => {
    const { id } = await host.addAccount()
    await insertIdentity(host.database, outside.issuer, { userId: id, subject: 'leaving' })
    const [browser, pkce] = [openBrowser(host.address), createPkce()]
    outside.register(host.address, 'plain')
    outside.person = { sub: 'leaving' }
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
    const query = { provider: 'plain', authRequest: queryOf(page).authRequest ?? '' }
    const there = openBrowser(outside.issuer)
    const callback = await browser.follow(
      await passThrough(await browser.get('/ext/sign-in/with', query), there),
    )
    const { json } = await redeem(browser, pkce, callback)
    const left = await browser.follow(
      await browser.get('/connect/endsession', {
        id_token_hint: json.id_token,
        post_logout_redirect_uri: 'http://app.example.test/login/',
        state: 'bye',
      }),
    )
    assert.ok(left.location.startsWith(`${outside.issuer}/session/end?`), left.location)
    assert.equal(claimsOf(queryOf(left).id_token_hint ?? '').sub, 'leaving')
    const back = await browser.follow(await passThrough(left, there))
    assert.equal(back.location, 'http://app.example.test/login/?state=bye')
    // The session there has ended.
    assert.equal(browser.cookies.has('identity'), false)
    const silent = await there.follow(
      await there.get('/auth', { ...queryOf(await browser.get('/ext/sign-in/with', query)), prompt: 'none' }),
    )
    assert.equal(queryOf(silent).error, 'login_required')
    // The address of the return alone leads nowhere.
    for (const state of ['', 'made-up', 'https://evil.example'])
      assert.match((await browser.get('/ext/signed-out/return', { state })).text, /You are signed out/)
  })

  it('is a button on the page of this host, and in a list for other pages', async () => {
    const browser = openBrowser(host.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestAt(wiki, createPkce())))
    assert.match(
      page.text,
      /<a class="button" href="\/ext\/sign-in\/with\?provider=plain&#38;authRequest=[^"]+">Sign in with The &#60;plain&#62; one<\/a>/,
    )
    const { json } = await browser.get('/ext/providers', {}, { origin: 'http://app.example.test' })
    assert.deepEqual(json, {
      passwords: true,
      providers: [{ id: 'plain', name: 'The <plain> one' }],
    })
  })
})

describe('without passwords', () => {
  it('rejects every way that ends in a password, and says so', async (t) => {
    const outside = await startOutsideProvider()
    const rest = await startRestUnderTest(outside.settings('plain'))
    t.after(() => Promise.all([rest.stop(), outside.stop()]))
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
    // A second instance on the same issuer: signing in needs no password.
    await insertIdentity(rest.database, outside.issuer, { userId: id, subject: 'ada' })
    const arrival = { provider: 'plain', person: { sub: 'ada' } }
    assert.ok(queryOf(await arriveFrom(outside, rest.identity.address, arrival)).code)
  })
})
