import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { declaredSettings } from '../../src/config/declared-settings.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import {
  claimsOf,
  createPkce,
  openBrowser,
  type Page,
  postSignIn,
  queryOf,
  redeem,
  refresh,
  requestOf,
  signedIn,
} from '../support/browser.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, redirectUri } from '../support/known-clients.ts'
import { portal, registrationOf, signInTo, submit } from '../support/registered-clients.ts'
import { askFactors, atSecondStep, setUpApp, testApp } from '../support/second-factors.ts'

describe('the sign-in factors of an account', () => {
  const written: string[] = []
  const host = fixture(startIdentityUnderTest, {
    environment: { LOG_LEVEL: 'info' },
    destination: { write: (line) => void written.push(line) },
  })

  const root = { login: 'root@example.com' }
  before(() => host.addAccount(root))

  it('are read and changed by the user after a recent sign-in', async () => {
    const { login, id } = await host.addAccount()
    const { tokens } = await signedIn(host.address, { login })
    const ask = (path: string, form?: Record<string, string>) =>
      askFactors(host, tokens.access_token, path, form)
    const noFactors = {
      appSince: null,
      recoveryCodesLeft: 0,
      passkeys: [],
      isRequired: false,
      passkeyDomain: null,
    }
    assert.deepEqual((await ask('')).json, noFactors)
    assert.equal((await ask('/recovery-codes', {})).status, 400)
    await setUpApp(host, login, tokens.access_token)
    const { appSince, recoveryCodesLeft } = (await ask('')).json
    assert.ok(appSince)
    assert.equal(recoveryCodesLeft, 10)
    const renewed = await ask('/recovery-codes', {})
    assert.equal(renewed.json.recoveryCodes.length, 10)
    for (const [path, form] of [
      ['/app/confirm', {}],
      ['/app/confirm', { offer: 'x', code: 'y' }],
      // Only administrators may use this route, for other users.
      ['/take-away', { userId: id }],
    ] as const)
      assert.ok([400, 403].includes((await ask(path, form)).status), path)
    assert.equal((await ask('/app/remove', {})).status, 200)
    assert.deepEqual((await ask('')).json, noFactors)
    assert.equal((await ask('/app/remove', {})).status, 404)
    host.clock.advance(10 * 60_000)
    const afterTenMinutes = await ask('/app', {})
    assert.equal(afterTenMinutes.status, 401)
    assert.equal(afterTenMinutes.json.error, 'insufficient_user_authentication')
    assert.match(afterTenMinutes.headers.get('www-authenticate') ?? '', /max_age="600"/)
    assert.equal((await ask('')).status, 200)
  })

  const read = async (token: string, path: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${host.address}/ext/${path}`, { headers })
    return { status: response.status, json: await response.json() }
  }

  it('are shown to administrators, with the state of the account and its last sign-in', async () => {
    const plain = await host.addAccount()
    const startedAt = host.clock.now()
    const withFactor = await addAccountWithApp(host)
    const deactivated = await host.addAccount()
    await host.database.query(sql`
      insert into deactivated_accounts (user_id, deactivated_by) values (${deactivated.id}, ${plain.id})`)
    const { access_token: token } = await host.signIn(root.login)
    const ids = [plain.id, withFactor.id, deactivated.id, '00000000-0000-4000-8000-000000000000']
    const { json } = await read(token, `accounts?ids=${ids}`)
    const byId = new Map(json.accounts.map((account: { userId: string }) => [account.userId, account]))
    const member = { isAdministrator: false, hasRole: false, isDeactivated: false, mustHaveFactor: false }
    const neverSignedIn = { ...member, hasFactor: false, lastSignInAt: null }
    assert.deepEqual(byId.get(plain.id), { ...neverSignedIn, userId: plain.id })
    assert.deepEqual(byId.get(deactivated.id), {
      ...neverSignedIn,
      userId: deactivated.id,
      isDeactivated: true,
    })
    const { lastSignInAt, ...rest } = byId.get(withFactor.id) as { lastSignInAt: string }
    assert.deepEqual(rest, { ...member, userId: withFactor.id, hasFactor: true })
    const at = Date.parse(lastSignInAt)
    assert.ok(at >= startedAt && at < host.clock.now(), lastSignInAt)
    assert.equal(byId.size, 3)
    for (const wrong of ['', 'x', Array.from({ length: 101 }, () => crypto.randomUUID())])
      assert.deepEqual(Object.keys((await read(token, `accounts?ids=${wrong}`)).json.errors), ['ids'])
  })

  it('are visible only to administrators, like the sign-in policy', async () => {
    const { id, login } = await host.addAccount()
    const { access_token: memberToken } = await host.signIn(login)
    for (const path of [`accounts?ids=${id}`, 'sign-in-policy']) {
      assert.equal((await read(memberToken, path)).status, 403)
      assert.equal((await read('nonsense', path)).status, 401)
    }
    const { access_token: token } = await host.signIn(root.login)
    const { rules, providers } = (await read(token, 'sign-in-policy')).json
    assert.deepEqual(providers, [])
    assert.deepEqual(
      rules.find(({ name }: { name: string }) => name === 'secondFactor'),
      { name: 'secondFactor', value: 'off', setting: 'Identity__SecondFactor' },
    )
    for (const { setting } of rules) assert.ok(setting in declaredSettings, setting)
  })

  it('keep the time of the last sign-in after the session was deleted', async () => {
    const { login, id } = await host.addAccount()
    await host.signIn(login)
    await host.database.query(sql`delete from signin_sessions where user_id = ${id}`)
    const [lastSignIn] = await host.database.query(sql`select at from last_sign_ins where user_id = ${id}`)
    assert.ok(lastSignIn)
  })

  it('end the other sessions when they change', async () => {
    const { login, id } = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login })
    const changingSession = await signedIn(host.address, { login })
    const other = await host.signIn((await host.addAccount()).login)
    const isActive = async ({ access_token }: { access_token: string }) =>
      (await askFactors(host, access_token)).status === 200
    await setUpApp(host, login, changingSession.tokens.access_token)
    assert.equal((await refresh(browser, tokens.refresh_token)).json.error, 'invalid_grant')
    const areActive = await Promise.all([tokens, changingSession.tokens, other].map(isActive))
    assert.deepEqual(areActive, [false, true, true])
    const sessionsOf = async () => {
      const [count] = await host.database.query<{ open: number }>(
        sql`select count(*)::int as open from signin_sessions where user_id = ${id} and ended_at is null`,
      )
      return count?.open
    }
    await host.database.singleWrites.query(sql`
      insert into signin_sessions (id, user_id, security_stamp, expires_at)
      select 'elsewhere', id, security_stamp, now() + interval '1 hour' from users where id = ${id}`)
    const passkey = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'
    await host.database.singleWrites.query(sql`
      insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
      values (${passkey}, ${id}, '\\x00'::bytea, '\\x00'::bytea, 0, '{}', 'Key', now())`)
    const ask = (path: string, form: Record<string, string>) =>
      askFactors(host, changingSession.tokens.access_token, path, form)
    assert.equal((await ask('/passkeys/rename', { id: passkey, name: 'Laptop' })).status, 200)
    assert.equal(await sessionsOf(), 2)
    assert.equal((await ask('/recovery-codes', {})).status, 200)
    assert.equal(await sessionsOf(), 1)
    const { access_token } = await host.signIn(root.login)
    assert.equal((await askFactors(host, access_token, '/take-away', { userId: id })).status, 200)
    assert.equal(await sessionsOf(), 0)
  })

  it('include an authenticator app only for the account to which it was offered', async () => {
    const { access_token: token } = await host.signIn((await host.addAccount()).login)
    const { access_token: otherToken } = await host.signIn((await host.addAccount()).login)
    const { offer, secret } = (await askFactors(host, token, '/app', {})).json
    const form = { offer, code: testApp(host, secret).code() }
    assert.equal((await askFactors(host, otherToken, '/app/confirm', form)).status, 400)
    assert.equal((await askFactors(host, token, '/app/confirm', form)).status, 200)
  })

  it('cannot be changed with a token that was not issued to the web client', async () => {
    const { login } = await host.addAccount()
    const token = await host.serviceToken(login)
    assert.equal((await askFactors(host, token)).status, 401)
    for (const wrong of ['', 'x', `svc_${'0'.repeat(72)}`])
      assert.equal((await askFactors(host, wrong, '/app', {})).status, 401)
  })

  it('cause no server error if a request has no body', async () => {
    const { login } = await host.addAccount()
    const { access_token } = await host.signIn(login)
    for (const path of ['/app', '/app/confirm', '/app/remove', '/passkeys', '/take-away']) {
      const { status } = await fetch(`${host.address}/ext/factors${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}` },
      })
      assert.ok(status < 500, `${path} ${status}`)
    }
    for (const path of ['second-step', 'set-up', 'passkey', 'forgot-password']) {
      const { status } = await fetch(`${host.address}/ext/${path}`, { method: 'POST' })
      assert.ok(status < 500, `${path} ${status}`)
    }
  })

  it('can be removed by an administrator, but not by another user', async () => {
    const { id, login } = await addAccountWithApp(host)
    const member = await host.addAccount()
    const removeFactorsAs = async (callerLogin: string, userId: string) => {
      const { access_token: token } = await host.signIn(callerLogin)
      return (await askFactors(host, token, '/take-away', { userId })).status
    }
    assert.equal(await removeFactorsAs(member.login, id), 403)
    assert.equal(await removeFactorsAs(root.login, member.id), 404)
    assert.equal(await removeFactorsAs(root.login, 'x'), 400)
    assert.equal(await removeFactorsAs(root.login, id), 200)
    assert.ok((await host.signIn(login)).access_token)
  })

  it('are logged without secrets when they are used or changed', async () => {
    const { id, login, app } = await addAccountWithApp(host)
    const { answer } = await atSecondStep(host, login)
    await answer('000000')
    await answer(app.code())
    const events = written.map((line) => JSON.parse(line)).filter(({ account }) => account === id)
    const reported = events.map(({ security, outcome }) => [security, outcome])
    assert.deepEqual(reported, [
      ['sign-in', 'right'],
      ['factor-changed', 'app set up'],
      ['sign-in', 'second step'],
      ['sign-in', 'wrong code'],
      ['sign-in', 'right'],
    ])
    // An administrator removed the factors of another user in an earlier test.
    const all = written.map((line) => JSON.parse(line))
    const removal = all.find(({ outcome }) => outcome === 'taken away')
    assert.notEqual(removal.by, removal.account)
    const log = written.join('')
    for (const secret of [app.code(), ...app.recoveryCodes]) assert.ok(!log.includes(`"${secret}"`))
    assert.doesNotMatch(log, /otpauth|signInStep/)
  })
})

describe('a second factor that is required', () => {
  const host = fixture(startIdentityUnderTest, {
    environment: {
      Identity__SecondFactor: 'administrators',
      SVC_ADMIN_LOGINS: 'root@example.com,second-root@example.com',
    },
  })

  const shownApp = ({ text }: Page) =>
    testApp(host, (/<code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1] ?? '').replaceAll(' ', ''))

  it('must be set up before the sign-in completes', async () => {
    const root = await host.addAccount({ login: 'root@example.com' })
    const { browser, pkce, page } = await atSecondStep(host, root.login)
    assert.equal(page.address.pathname, '/ext/set-up')
    const otherSignIn = await atSecondStep(host, root.login)
    assert.match((await submit(browser, page, { code: '000000' })).text, /This code is wrong/)
    const codes = await submit(browser, page, { code: shownApp(page).code() })
    assert.equal([...codes.text.matchAll(/<li><code>/g)].length, 10)
    const nextAddress =
      /class="button first" href="([^"]+)"/.exec(codes.text)?.[1]?.replaceAll('&#38;', '&') ?? ''
    const callback = await browser.follow(await browser.get(nextAddress))
    const { id_token, refresh_token } = (await redeem(browser, pkce, callback)).json
    assert.deepEqual(claimsOf(id_token).amr, ['pwd', 'otp', 'mfa'])
    assert.ok(refresh_token)
    // A second sign-in that began earlier cannot set up another app.
    const code = shownApp(otherSignIn.page).code()
    const rejected = await submit(otherSignIn.browser, otherSignIn.page, { code })
    assert.ok(rejected.location.startsWith(`${origin}/login/`), rejected.text)
  })

  it('can be replaced but not removed', async () => {
    const login = 'second-root@example.com'
    await host.addAccount({ login })
    const { browser, pkce, page } = await atSecondStep(host, login)
    await submit(browser, page, { code: shownApp(page).code() })
    const callback = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
    const { access_token: token } = (await redeem(browser, pkce, callback)).json
    const rejected = await askFactors(host, token, '/app/remove', {})
    assert.equal(rejected.status, 400)
    assert.deepEqual(rejected.json.errors, {
      generalErrors: ['You must have a second factor. Set up another one first.'],
    })
    const { offer, secret } = (await askFactors(host, token, '/app', {})).json
    host.clock.advance(30_000)
    const code = testApp(host, secret).code()
    const replaced = await askFactors(host, token, '/app/confirm', { offer, code })
    assert.deepEqual(replaced.json, { recoveryCodes: null })
  })

  it('is required from the next request after a user becomes an administrator', async () => {
    const member = await host.addAccount()
    const { browser, tokens } = await signedIn(host.address, { login: member.login })
    assert.ok(tokens.access_token)
    await host.database.singleWrites.query(
      sql`insert into administrators (user_id, given_by) values (${member.id}, ${member.id})`,
    )
    const refreshed = await refresh(browser, tokens.refresh_token)
    assert.equal(refreshed.json.error, 'invalid_grant')
    const next = await browser.follow(await postSignIn(browser, createPkce(), { login: member.login }))
    assert.equal(next.address.pathname, '/ext/set-up')
  })
})

describe('an account with an authenticator app', () => {
  const host = fixture(startIdentityUnderTest, { environment: registrationOf(portal) })
  const another = fixture(() => host.startAnother())

  const isSignedIn = (page: { readonly location: string }) => page.location.startsWith(`${redirectUri}?code=`)

  it('must enter a code after the password', async () => {
    const { login, app } = await addAccountWithApp(host)
    const { browser, pkce, page, answer } = await atSecondStep(host, login)
    assert.equal(page.address.pathname, '/ext/second-step')
    assert.deepEqual([...browser.cookies], [])
    const callback = await answer(app.code())
    assert.ok(isSignedIn(callback), callback.text)
    const { id_token, access_token, refresh_token } = (await redeem(browser, pkce, callback)).json
    assert.deepEqual(claimsOf(id_token).amr, ['pwd', 'otp', 'mfa'])
    assert.ok(!('amr' in claimsOf(access_token)))
    assert.ok(refresh_token)
  })

  it('must enter a code for a registered client', async () => {
    const { login, app } = await addAccountWithApp(host)
    const browser = openBrowser(host.address)
    const first = await submit(browser, await signInTo(browser, portal, { login }), { code: app.code() })
    assert.ok(first.location.startsWith(`${portal.redirectUri}?code=`), first.text)
    assert.ok((await signInTo(browser, portal)).location.includes('code='))
    host.clock.advance(30_000)
    for (const request of [{ prompt: 'login' }, { max_age: '10' }] as const) {
      const page = await signInTo(browser, portal, { login, request })
      assert.equal(page.address.pathname, '/ext/second-step')
      assert.ok((await submit(browser, page, { code: app.code() })).location.includes('code='))
      host.clock.advance(30_000)
    }
    const silent = await signInTo(openBrowser(host.address), portal, { request: { prompt: 'none' } })
    assert.equal(queryOf(silent).error, 'login_required')
  })

  it('can use a code only once, even in concurrent sign-ins on two instances', async () => {
    const { login, app } = await addAccountWithApp(host)
    const addresses = [host.address, another.address, host.address, another.address]
    const steps = await Promise.all(
      addresses.map((address) => atSecondStep(host, login, { browser: openBrowser(address) })),
    )
    const code = app.code()
    const answers = await Promise.all(steps.map(({ answer }) => answer(code)))
    assert.equal(answers.filter(isSignedIn).length, 1)
    const next = await atSecondStep(host, login)
    assert.match((await next.answer(code)).text, /This code is wrong/)
  })

  it('cannot sign in without a code while the app is being set up', async () => {
    const { id, login } = await host.addAccount()
    await using direct = await connectDirectly(host.database)
    await direct.query('begin')
    await direct.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`factors ${id}`])
    await direct.query(
      `insert into authenticator_apps (user_id, sealed_secret, last_step, created_at) values ($1, sha256('x'), 0, now())`,
      [id],
    )
    await direct.query('insert into factor_changes (user_id, count) values ($1, 1)', [id])
    const browser = openBrowser(host.address)
    const signingIn = postSignIn(browser, createPkce(), { login })
    await untilWaiting(direct)
    await direct.query('commit')
    assert.equal(queryOf(await signingIn).error, 'invalid')
    assert.equal(browser.cookies.size, 0)
  })

  it('cannot use a code that is older than the last used code', async () => {
    const { login, app } = await addAccountWithApp(host)
    // Reads all codes at once, because a time step may end during the test.
    const [previous = '', current = '', next = ''] = [-1, 0, 1].map(app.code)
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(next)))
    for (const code of [previous, current, next])
      assert.ok(!isSignedIn(await (await atSecondStep(host, login)).answer(code)))
    host.clock.advance(60_000)
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
  })

  it('is locked on every instance after five wrong codes', async () => {
    const { login, app } = await addAccountWithApp(host)
    for (let count = 0; count < 5; count += 1) {
      const browser = openBrowser(count % 2 === 0 ? host.address : another.address)
      const { page, answer } = await atSecondStep(host, login, { browser })
      assert.equal(page.address.pathname, '/ext/second-step')
      assert.match((await answer('000000')).text, /This code is wrong/)
    }
    const locked = await postSignIn(openBrowser(host.address), createPkce(), { login })
    assert.equal(queryOf(locked).error, 'locked')
    host.clock.advance(15 * 60_000)
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
  })

  it('is locked during the second step by wrong passwords in other browsers', async () => {
    const { login, app } = await addAccountWithApp(host)
    const { answer } = await atSecondStep(host, login)
    for (let count = 0; count < 5; count += 1)
      await postSignIn(openBrowser(host.address), createPkce(), { login, password: 'wrong' })
    assert.match((await answer(app.code())).text, /Too many attempts with this login/)
  })

  it('cannot use app codes after twenty wrong codes, until a recovery code was used', async () => {
    const { login, app } = await addAccountWithApp(host)
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 5; count += 1) await (await atSecondStep(host, login)).answer('000000')
      host.clock.advance(15 * 60_000)
    }
    assert.ok(!isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
    const [code = ''] = app.recoveryCodes
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(code)))
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(app.code())))
  })

  it('can use each recovery code once', async () => {
    const { login, app } = await addAccountWithApp(host)
    assert.equal(app.recoveryCodes.length, 10)
    const [code = '', other = ''] = app.recoveryCodes
    assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    const steps = await Promise.all([1, 2, 3].map(() => atSecondStep(host, login)))
    const answers = await Promise.all(steps.map(({ answer }) => answer(code)))
    assert.equal(answers.filter(isSignedIn).length, 1)
    const withoutHyphens = ` ${other.replaceAll('-', '').toUpperCase()} `
    assert.ok(isSignedIn(await (await atSecondStep(host, login)).answer(withoutHyphens)))
    const stored = await host.database.query(sql`select hash from recovery_codes`)
    assert.ok(!JSON.stringify(stored).includes(code))
  })

  it('can answer only its own second step, and only once', async () => {
    const [ada, eve] = [await addAccountWithApp(host), await addAccountWithApp(host)]
    const { browser, page } = await atSecondStep(host, ada.login)
    // The step belongs to Ada, so a code of Eve's app is wrong, even with Eve's login.
    assert.ok(!isSignedIn(await submit(browser, page, { code: eve.app.code(), login: eve.login })))
    const eveStep = await atSecondStep(host, eve.login)
    const step = /name="step" value="([^"]+)"/.exec(eveStep.page.text)?.[1] ?? ''
    // Eve's step belongs to another authorization request.
    assert.ok(!isSignedIn(await submit(browser, page, { code: eve.app.code(), step })))
    assert.ok(isSignedIn(await eveStep.answer(eve.app.code())))
    host.clock.advance(30_000)
    assert.ok(!isSignedIn(await submit(openBrowser(host.address), eveStep.page, { code: eve.app.code() })))
    const [recovery = ''] = eve.app.recoveryCodes
    assert.ok(!isSignedIn(await submit(openBrowser(host.address), eveStep.page, { code: recovery })))
  })

  it('must sign in again if the second step takes too long or the account has changed', async () => {
    const [first, second, third] = [
      await addAccountWithApp(host),
      await addAccountWithApp(host),
      await addAccountWithApp(host),
    ]
    const update = (id: string, change: Sql) =>
      host.database.singleWrites.query(sql`update users set ${change} where id = ${id}`)
    const cases: readonly { account: typeof first; change: () => unknown }[] = [
      { account: first, change: () => host.clock.advance(16 * 60_000) },
      { account: second, change: () => update(second.id, sql`security_stamp = 'x'`) },
      { account: third, change: () => update(third.id, sql`active = false`) },
    ]
    for (const { account, change } of cases) {
      const { answer } = await atSecondStep(host, account.login)
      await change()
      const page = await answer(account.app.code())
      assert.ok(page.location.startsWith(`${origin}/login/`), page.location)
    }
  })

  it('can send its code only from the page of the identity host', async () => {
    const { login, app } = await addAccountWithApp(host)
    const { browser, page } = await atSecondStep(host, login)
    const fields = Object.fromEntries(page.address.searchParams)
    for (const from of [origin, 'https://evil.example', 'null'])
      assert.equal(
        (await browser.post('/ext/second-step', { ...fields, code: app.code() }, { origin: from })).status,
        403,
      )
  })

  it('has a stored secret that cannot be used for another account', async () => {
    const [ada, eve] = [await addAccountWithApp(host), await addAccountWithApp(host)]
    await host.database.singleWrites.query(sql`
      update authenticator_apps set sealed_secret =
        (select sealed_secret from authenticator_apps where user_id = ${eve.id}) where user_id = ${ada.id}`)
    for (const { app } of [ada, eve])
      assert.ok(!isSignedIn(await (await atSecondStep(host, ada.login)).answer(app.code())))
  })

  it('is rejected while the extensions are off', async () => {
    const { login } = await addAccountWithApp(host)
    const contractOnly = await host.startAnother({ EXTENSIONS: 'off' })
    const rejected = await postSignIn(openBrowser(contractOnly.address), createPkce(), { login })
    assert.equal(queryOf(rejected).error, 'invalid')
    const other = await host.addAccount()
    const accepted = await postSignIn(openBrowser(contractOnly.address), createPkce(), other)
    assert.equal(queryOf(accepted).error, undefined)
    assert.equal((await openBrowser(contractOnly.address).get('/ext/factors')).status, 404)
  })
})

async function addAccountWithApp(host: IdentityUnderTest) {
  const account = await host.addAccount()
  return { ...account, app: await setUpApp(host, account.login) }
}
