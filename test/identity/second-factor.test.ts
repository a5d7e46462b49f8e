import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { claimsOf, createPkce, openBrowser, postSignIn, queryOf, redeem } from '../support/browser.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, redirectUri } from '../support/known-clients.ts'
import { connectOutside, untilWaiting } from '../support/outside-connection.ts'
import { portal, registrationOf, signInAt, submit } from '../support/registered-clients.ts'
import { atSecondStep, setUpApp } from '../support/second-factors.ts'

describe('an account with an app for codes', () => {
  let host: IdentityUnderTest
  let another: { readonly address: string }
  before(async () => {
    host = await startIdentityUnderTest({ environment: registrationOf(portal) })
    another = await host.startAnother()
  })
  after(() => host.stop())

  const withApp = async () => {
    const account = await host.addAccount()
    return { ...account, app: await setUpApp(host, account.login) }
  }
  const isSignedIn = (page: { readonly location: string }) => page.location.startsWith(`${redirectUri}?code=`)

  it('is asked for a code after the password, and its tokens say so', async () => {
    const { login, app } = await withApp()
    const { browser, pkce, page, answer } = await atSecondStep(host, login)
    assert.equal(page.address.pathname, '/ext/second-step')
    assert.deepEqual([...browser.cookies], [])
    const callback = await answer(app.code())
    assert.ok(isSignedIn(callback), callback.text)
    const { id_token, access_token, refresh_token } = (await redeem(browser, pkce, callback)).json
    assert.deepEqual(claimsOf(id_token).amr, ['pwd', 'otp', 'mfa'])
    assert.ok(!('amr' in claimsOf(access_token)) && refresh_token)
  })

  it('is asked on the page of registered clients, and for prompt=login and max_age again', async () => {
    const { login, app } = await withApp()
    const browser = openBrowser(host.address)
    const first = await submit(browser, await signInAt(browser, portal, { login }), { code: app.code() })
    assert.ok(first.location.startsWith(`${portal.redirectUri}?code=`), first.text)
    assert.ok((await signInAt(browser, portal)).location.includes('code='))
    host.clock.advance(30_000)
    for (const request of [{ prompt: 'login' }, { max_age: '10' }] as const) {
      const page = await signInAt(browser, portal, { login, request })
      assert.equal(page.address.pathname, '/ext/second-step')
      assert.ok((await submit(browser, page, { code: app.code() })).location.includes('code='))
      host.clock.advance(30_000)
    }
    const silent = await signInAt(openBrowser(host.address), portal, { request: { prompt: 'none' } })
    assert.equal(queryOf(silent).error, 'login_required')
  })

  it('is signed in once by a code, in concurrent sign-ins on two instances', async () => {
    const { login, app } = await withApp()
    const steps = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        atSecondStep(host, login, { browser: openBrowser([host, another][index % 2]?.address ?? '') }),
      ),
    )
    const answers = await Promise.all(steps.map(({ answer }) => answer(app.code())))
    assert.equal(answers.filter(isSignedIn).length, 1)
    const late = await atSecondStep(host, login)
    assert.match((await late.answer(app.code())).text, /This code is wrong/)
  })

  it('is not signed in by a password alone that was verified while the app was being set up', async () => {
    const { id, login } = await host.addAccount()
    const elsewhere = await connectOutside(host.database)
    await elsewhere.query('begin')
    await elsewhere.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`factors ${id}`])
    await elsewhere.query(
      `insert into authenticator_apps (user_id, sealed_secret, last_step, created_at) values ($1, sha256('x'), 0, now())`,
      [id],
    )
    await elsewhere.query('insert into factor_changes (user_id, count) values ($1, 1)', [id])
    const browser = openBrowser(host.address)
    const signingIn = postSignIn(browser, createPkce(), { login })
    await untilWaiting(elsewhere)
    await elsewhere.query('commit')
    assert.equal(queryOf(await signingIn).error, 'invalid')
    assert.equal(browser.cookies.size, 0)
    await elsewhere.end()
  })

  it('takes no code older than one that was used, and one a step ahead', async () => {
    const { login, app } = await withApp()
    // Read at once: while the test runs, a step may end.
    const [older = '', now = '', ahead = ''] = [-1, 0, 1].map(app.code)
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(ahead)))
    for (const code of [older, now, ahead])
      assert.ok(!isSignedIn(await (await atSecondStep(host, login)).answer(code)))
    host.clock.advance(60_000)
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
  })

  it('is locked by five wrong codes, which a right password does not clear, on every instance', async () => {
    const { login, app } = await withApp()
    for (let count = 0; count < 5; count += 1) {
      const browser = openBrowser([host, another][count % 2]?.address ?? '')
      const { page, answer } = await atSecondStep(host, login, { browser })
      assert.equal(page.address.pathname, '/ext/second-step')
      assert.match((await answer('000000')).text, /This code is wrong/)
    }
    const locked = await postSignIn(openBrowser(host.address), createPkce(), { login })
    assert.equal(queryOf(locked).error, 'locked')
    host.clock.advance(15 * 60_000)
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
  })

  it('is locked at the second step by wrong passwords from other places, too', async () => {
    const { login, app } = await withApp()
    const { answer } = await atSecondStep(host, login)
    for (let count = 0; count < 5; count += 1)
      await postSignIn(openBrowser(host.address), createPkce(), { login, password: 'wrong' })
    assert.match((await answer(app.code())).text, /Too many attempts with this login/)
  })

  it('takes no code after twenty wrong ones in a row, until a recovery code was used', async () => {
    const { login, app } = await withApp()
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 5; count += 1) await (await atSecondStep(host, login)).answer('000000')
      host.clock.advance(15 * 60_000)
    }
    assert.ok(!isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
    const [code = ''] = app.recoveryCodes
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(code)))
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
  })

  it('is signed in once by each recovery code, in any spelling', async () => {
    const { login, app } = await withApp()
    assert.equal(app.recoveryCodes.length, 10)
    const [code = '', other = ''] = app.recoveryCodes
    assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    const steps = await Promise.all([1, 2, 3].map(() => atSecondStep(host, login)))
    const answers = await Promise.all(steps.map(({ answer }) => answer(code)))
    assert.equal(answers.filter(isSignedIn).length, 1)
    const spelled = ` ${other.replaceAll('-', '').toUpperCase()} `
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(spelled)))
    const stored = await host.database.query(sql`select hash from recovery_codes`)
    assert.ok(!JSON.stringify(stored).includes(code))
  })

  it('cannot be swapped for another between the steps, and no step is used twice or for another request', async () => {
    const [ada, eve] = [await withApp(), await withApp()]
    const { browser, page } = await atSecondStep(host, ada.login)
    // The step is Ada's, so a code of Eve's app is a wrong one, whatever else is sent.
    assert.ok(!isSignedIn(await submit(browser, page, { code: eve.app.code(), login: eve.login })))
    const hers = await atSecondStep(host, eve.login)
    const step = /name="step" value="([^"]+)"/.exec(hers.page.text)?.[1] ?? ''
    const mixed = await submit(browser, page, { code: eve.app.code(), step })
    assert.ok(!isSignedIn(mixed))
    assert.ok(isSignedIn(await hers.answer(eve.app.code())))
    host.clock.advance(30_000)
    assert.ok(!isSignedIn(await submit(openBrowser(host.address), hers.page, { code: eve.app.code() })))
    const [recovery = ''] = eve.app.recoveryCodes
    assert.ok(!isSignedIn(await submit(openBrowser(host.address), hers.page, { code: recovery })))
  })

  it('starts again when the step is too old, or the account has changed meanwhile', async () => {
    const [first, second, third] = [await withApp(), await withApp(), await withApp()]
    const changes: readonly [typeof first, () => unknown][] = [
      [first, () => host.clock.advance(16 * 60_000)],
      [
        second,
        () => host.database.single.query(sql`update users set security_stamp = 'x' where id = ${second.id}`),
      ],
      [third, () => host.database.single.query(sql`update users set active = false where id = ${third.id}`)],
    ]
    for (const [{ login, app }, change] of changes) {
      const { answer } = await atSecondStep(host, login)
      await change()
      const page = await answer(app.code())
      assert.ok(page.location.startsWith(`${origin}/login/`), page.location)
    }
  })

  it('takes answers from the page of this host only', async () => {
    const { login, app } = await withApp()
    const { browser, page } = await atSecondStep(host, login)
    const fields = Object.fromEntries(page.address.searchParams)
    for (const from of [origin, 'https://evil.example', 'null'])
      assert.equal(
        (await browser.post('/ext/second-step', { ...fields, code: app.code() }, { origin: from })).status,
        403,
      )
  })

  it('has its secret sealed in the store, and a changed or moved one opens nothing', async () => {
    const [ada, eve] = [await withApp(), await withApp()]
    await host.database.single.query(sql`
      update authenticator_apps set sealed_secret =
        (select sealed_secret from authenticator_apps where user_id = ${eve.id}) where user_id = ${ada.id}`)
    for (const { app } of [ada, eve])
      assert.ok(!isSignedIn(await (await atSecondStep(host, ada.login)).answer(app.code())))
  })

  it('is rejected while the extensions are off, and the others sign in as ever', async () => {
    const { login } = await withApp()
    const bare = await host.startAnother({ EXTENSIONS: 'off' })
    const refused = await postSignIn(openBrowser(bare.address), createPkce(), { login })
    assert.equal(queryOf(refused).error, 'invalid')
    const other = await host.addAccount()
    assert.equal(queryOf(await postSignIn(openBrowser(bare.address), createPkce(), other)).error, undefined)
    assert.equal((await openBrowser(bare.address).get('/ext/factors')).status, 404)
  })
})
