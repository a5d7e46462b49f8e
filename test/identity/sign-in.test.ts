import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { sql } from '../../src/db/sql.ts'
import { en } from '../../src/hosts/identity/pages/texts.ts'
import {
  type Browser,
  createPkce,
  type Fields,
  fromOtherSite,
  openBrowser,
  type Page,
  postSignIn,
  queryOf,
  requestOf,
  signedIn,
  signOut,
} from '../support/browser.ts'
import { cheapPasswords, password } from '../support/cheap-passwords.ts'
import { countedPasswords } from '../support/counted-passwords.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin } from '../support/known-clients.ts'
import { authorizationRequestOf, registrationOf, submit, wiki } from '../support/registered-clients.ts'
import { testApp } from '../support/second-factors.ts'

const pkce = createPkce()

/** Starts a request. Returns it in the sealed form that the sign-in page gets. */
async function pendingIn(browser: Browser, overrides: Fields = {}): Promise<string> {
  const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce, overrides)))
  return queryOf(page).authRequest ?? ''
}

describe('the sign-in page', () => {
  const host = fixture(startIdentityUnderTest)

  it('is the page of the requesting origin', async () => {
    const browser = openBrowser(host.address)
    const authRequest = await pendingIn(browser, { redirect_uri: `${otherOrigin}/signin-callback/` })
    const { location } = await browser.get('/api/account/login-page', { authRequest })
    assert.equal(location, `${otherOrigin}/login/?authRequest=${authRequest}`)
    for (const query of [{}, { authRequest: 'nonsense' }, { authRequest: `${authRequest}x` }])
      assert.equal(
        (await browser.get('/api/account/login-page', query)).location,
        `${origin}/login/?error=request`,
      )
  })

  it('is that of Identity__LoginPageUrl if the requesting origin is unknown', async () => {
    await using separateHost = await startIdentityUnderTest({
      environment: { Identity__LoginPageUrl: 'https://sso.example/enter?theme=dark' },
    })
    const browser = openBrowser(separateHost.address)
    assert.equal(
      (await browser.get('/api/account/login-page')).location,
      'https://sso.example/enter?theme=dark&error=request',
    )
    const authRequest = await pendingIn(browser)
    const { location } = await browser.get('/api/account/login-page', { authRequest })
    assert.ok(location.startsWith(`${origin}/login/?authRequest=`), location)
  })

  it('is not available to a request whose origin is no longer allowed', async () => {
    const narrower = await host.startAnother({
      Cors__AllowedOrigins__0: otherOrigin,
      Cors__AllowedOrigins__1: '',
    })
    const authRequest = await pendingIn(openBrowser(host.address))
    const { location } = await openBrowser(narrower.address).get('/api/account/login-page', { authRequest })
    assert.equal(location, `${otherOrigin}/login/?error=request`)
  })

  it('gets a 404 with the envelope and the two properties for an unknown errorId', async () => {
    for (const query of [{}, { errorId: 'x' }, { errorId: await pendingIn(openBrowser(host.address)) }]) {
      const { status, json } = await openBrowser(host.address).get('/api/account/error', query)
      assert.equal(status, 404)
      assert.deepEqual(Object.keys(json), ['statusCode', 'message', 'error', 'errorDescription'])
    }
  })
})

describe('a reported error', () => {
  it('is shown for an hour', async () => {
    await using host = await startIdentityUnderTest()
    const browser = openBrowser(host.address)
    const { errorId = '' } = queryOf(await browser.get('/connect/authorize', { client_id: 'nobody' }))
    const statusNow = async () => (await browser.get('/api/account/error', { errorId })).status
    host.clock.advance(60 * 60_000 - 5000)
    assert.equal(await statusNow(), 200)
    host.clock.advance(5000)
    assert.equal(await statusNow(), 404)
  })
})

describe('the post of the sign-in page', () => {
  const host = fixture(startIdentityUnderTest)

  it('with the right password continues the pending request on this host', async () => {
    const browser = openBrowser(host.address)
    const posted = await postSignIn(browser, pkce, { login: '  ADA@Example.com ' })
    assert.equal(posted.status, 303)
    assert.match(posted.location, /^\/connect\/authorize\?authRequest=/)
    assert.ok('code' in queryOf(await browser.follow(posted)))
  })

  it('from a foreign or missing origin is rejected with 403', async () => {
    const browser = openBrowser(host.address)
    const authRequest = await pendingIn(browser)
    const form = { login: 'ada@example.com', password, authRequest }
    const foreign: Fields[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${origin}.evil.example` },
      { origin: 'null', referer: `${origin}/login/` },
      { origin: 'https://evil.example', referer: `${origin}/login/` },
      { referer: 'https://evil.example/?x=http://app.example.test/' },
      { referer: 'nonsense' },
    ]
    for (const headers of foreign) {
      const { status, json } = await browser.post('/api/account/login', form, headers)
      assert.equal(status, 403, JSON.stringify(headers))
      assert.deepEqual(json, { statusCode: 403, message: 'The sign-in must come from an allowed origin.' })
    }
    assert.equal(browser.cookies.size, 0)
    const byReferer = await browser.post('/api/account/login', form, { referer: `${origin}/login/?x=1` })
    assert.match(byReferer.location, /^\/connect\/authorize/)
  })

  it('with wrong credentials leads back with error=invalid', async () => {
    const removed = await host.addAccount({ active: false })
    const attempts: Fields[] = [
      { login: 'ada@example.com', password: 'wrong' },
      { login: 'nobody@example.com', password },
      { login: removed.login, password },
      { login: '', password: '' },
      { login: 'a'.repeat(257), password },
      { login: 'ada@example.com', password: 'p'.repeat(129) },
    ]
    for (const attempt of attempts) {
      const browser = openBrowser(host.address)
      const authRequest = await pendingIn(browser)
      const page = await browser.post('/api/account/login', { ...attempt, authRequest }, { origin })
      assert.equal(page.location, `${origin}/login/?authRequest=${authRequest}&error=invalid`)
      assert.equal(browser.cookies.size, 0)
    }
  })

  it('without a valid pending request leads to the page with error=request', async () => {
    for (const authRequest of ['', 'nonsense', 'https://evil.example/']) {
      const browser = openBrowser(host.address)
      const form = { login: 'ada@example.com', password, authRequest }
      const page = await browser.post('/api/account/login', form, { origin })
      assert.equal(page.location, `${origin}/login/?error=request`)
      assert.equal(browser.cookies.size, 0)
    }
  })

  it('accepts a login of 256 and a password of 128 characters', async () => {
    const hashed = cheapPasswords()
    const outcomeOf = async (loginLength: number, passwordLength: number) => {
      const suffix = '@example.com'
      const login = `${'l'.repeat(loginLength - suffix.length)}${suffix}`
      const long = 'p'.repeat(passwordLength)
      await host.addAccount({ login, passwordHash: await hashed.hash(long) })
      const page = await postSignIn(openBrowser(host.address), pkce, { login, password: long })
      return queryOf(page).error ?? 'signed in'
    }
    assert.equal(await outcomeOf(256, 128), 'signed in')
    assert.equal(await outcomeOf(250, 129), 'invalid')
  })

  it('sets a cookie that scripts cannot read, Lax, for eight hours and never longer', async () => {
    const browser = openBrowser(host.address)
    const posted = await postSignIn(browser, pkce)
    const [cookie = ''] = posted.headers.getSetCookie()
    assert.match(cookie, /^identity=[\w-]+\.[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax$/)
    host.clock.advance(7.9 * 60 * 60_000)
    const used = await browser.get('/connect/authorize', requestOf(pkce))
    assert.ok('code' in queryOf(used))
    assert.deepEqual(used.headers.getSetCookie(), [], 'The cookie must not slide.')
    host.clock.advance(0.1 * 60 * 60_000)
    assert.match((await browser.get('/connect/authorize', requestOf(pkce))).location, /login-page/)
  })

  it('under an https issuer sets the cookie with the __Host- prefix and Secure', async () => {
    await using secure = await startIdentityUnderTest({ environment: { Jwt__Issuer: 'https://id.example' } })
    const posted = await postSignIn(openBrowser(secure.address), pkce)
    assert.match(
      posted.headers.getSetCookie()[0] ?? '',
      /^__Host-identity=[\w.-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  it('keeps users signed in over a restart', async () => {
    const { browser } = await signedIn(host.address)
    const restarted = await host.startAnother()
    const later = openBrowser(restarted.address)
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    assert.ok('code' in queryOf(await later.get('/connect/authorize', requestOf(pkce))))
  })

  it('accepts no cookie that was forged or modified', async () => {
    const { browser } = await signedIn(host.address)
    const [[name = '', value = ''] = []] = browser.cookies
    for (const invalid of ['x', `${value.slice(0, -2)}AA`, value.slice(0, 30), 'z; identity=y']) {
      browser.cookies.set(name, invalid)
      assert.match((await browser.get('/connect/authorize', requestOf(pkce))).location, /login-page/)
    }
  })
})

describe('a login with failed sign-ins', () => {
  const host = fixture(startIdentityUnderTest)
  const another = fixture(() => host.startAnother())

  const attempt = async (login: string, given: string, address = host.address) =>
    queryOf(await postSignIn(openBrowser(address), pkce, { login, password: given }))

  it('is locked on both instances for 15 minutes after five failures', async () => {
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

  it('without an account is locked in the same way', async () => {
    for (let count = 0; count < 5; count += 1)
      assert.equal((await attempt('ghost@example.com', 'wrong')).error, 'invalid')
    assert.equal((await attempt('ghost@example.com', 'wrong')).error, 'locked')
  })

  it('counts no failures from before a success, or older than 15 minutes', async () => {
    const { login } = await host.addAccount()
    for (let count = 0; count < 4; count += 1) await attempt(login, 'wrong')
    assert.equal((await attempt(login, password)).error, undefined)
    for (let count = 0; count < 4; count += 1) await attempt(login, 'wrong')
    host.clock.advance(15 * 60_000)
    assert.equal((await attempt(login, 'wrong')).error, 'invalid')
    assert.equal((await attempt(login, password)).error, undefined)
  })

  it('gets no further attempts by other spellings that the store considers equal', async () => {
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
  it('are verified four at a time, sixteen wait, and the others get 429', async () => {
    await using host = await startIdentityUnderTest({
      // Hashing is slower than normal, so that even a busy machine sends faster than it verifies.
      passwords: createPasswords({ passes: 5 }),
    })
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
    const rejected = pages.filter(({ status }) => status === 429)
    assert.equal(pages.filter(({ status }) => status === 303).length + rejected.length, 60)
    assert.ok(rejected.length >= 1 && rejected.length <= 40, `${rejected.length} of 60 were rejected`)
    for (const { json, headers } of rejected) {
      assert.equal(json.statusCode, 429)
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }
    assert.ok(pages.every(({ location }) => location === '' || location.startsWith(origin)))
  })
})

describe('a sign-in whose account changes while its password is verified', () => {
  for (const [change, set] of [
    ['gets a new password', sql`security_stamp = 'another'`],
    ['is removed', sql`active = false`],
  ] as const)
    it(`starts no session when it ${change}`, async () => {
      const cheap = cheapPasswords()
      const during: { change?: () => Promise<unknown> } = {}
      const verify = async (hash: string, given: string) => {
        const isRight = await cheap.verify(hash, given)
        await during.change?.()
        return isRight
      }
      await using host = await startIdentityUnderTest({ passwords: { ...cheap, verify } })
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
  it('causes the same work and gets the same response', async () => {
    const { passwords, costs } = countedPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })
    await using host = await startIdentityUnderTest({ passwords })
    // Simulates a store from before logins were unique.
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

describe('an attacker who sends a user the link of a pending request', () => {
  it('gains nothing, because the code goes to the browser that sent the password', async () => {
    await using host = await startIdentityUnderTest()
    const attacker = openBrowser(host.address)
    const attackersPkce = createPkce()
    const page = await attacker.follow(await attacker.get('/connect/authorize', requestOf(attackersPkce)))
    const { authRequest = '' } = queryOf(page)
    const victim = openBrowser(host.address)
    const posted = await victim.post(
      '/api/account/login',
      { login: 'ada@example.com', password, authRequest },
      { origin },
    )
    assert.match(posted.location, /^\/connect\/authorize\?authRequest=/)
    // The victim has not followed the redirect yet. The attacker tries all known values.
    const resumed = await attacker.follow(await attacker.get(posted.location))
    assert.ok(resumed.location.startsWith(`${origin}/login/?authRequest=`), resumed.location)
    const repeated = await attacker.get('/connect/authorize', requestOf(attackersPkce, { prompt: 'none' }))
    assert.equal(queryOf(repeated).error, 'login_required')
    assert.ok('code' in queryOf(await victim.follow(posted)))
  })

  it('gains nothing from the pending request', async () => {
    await using host = await startIdentityUnderTest()
    const browser = openBrowser(host.address)
    const posted = await postSignIn(browser, createPkce())
    browser.cookies.clear()
    assert.match((await browser.get(posted.location)).location, /login-page/)
  })
})

describe('the language of the pages of the identity host', () => {
  const host = fixture(startIdentityUnderTest, {
    hostName: 'localhost',
    environment: {
      ...registrationOf(wiki),
      Identity__SecondFactor: 'all',
      Identity__PasskeyDomain: 'localhost',
      MAIL_FROM: 'tracker@example.com',
      // No server listens there.
      Identity__Providers__corp__Issuer: 'http://localhost:9',
      Identity__Providers__corp__ClientId: 'tracker',
    },
  })

  const goTo = async (browser: Browser, request = {}, headers = {}) => {
    const page = await browser.get('/connect/authorize', authorizationRequestOf(wiki, createPkce(), request))
    const signIn = await browser.follow(page)
    return browser.get(signIn.address.href, {}, headers)
  }
  const languageOf = ({ text }: Page) => /<html lang="([\w-]+)">/.exec(text)?.[1]
  const linkTo = ({ text, address }: Page, path: string) => {
    const [, link = ''] = new RegExp(`href="([^"]*${path}[^"]*)"`).exec(text) ?? []
    assert.ok(link, text)
    return new URL(link.replaceAll('&#38;', '&'), address).href
  }

  it('is the one that the client requests', async () => {
    const { login } = await host.addAccount()
    const pages: Page[] = []
    const record = (page: Page): Page => {
      pages.push(page)
      return page
    }
    const request = { ui_locales: 'fr pt', response_mode: 'form_post' }
    const headers = { 'accept-language': 'en' }
    const first = openBrowser(host.address)
    const signIn = record(await goTo(first, request, headers))
    for (const path of ['/ext/passkey', '/ext/sign-in/with'])
      record(await first.follow(await first.get(linkTo(signIn, path), {}, headers)))
    const forgotPasswordPage = record(await first.get(linkTo(signIn, '/ext/forgot-password'), {}, headers))
    record(await submit(first, forgotPasswordPage, { login: 'nobody@example.com' }))
    record(await submit(first, signIn, { login, password: 'Wrong-Horse-1' }))
    const setUp = record(await submit(first, signIn, { login, password }))
    record(await submit(first, setUp, { code: '000000' }))
    const [, secret = ''] = /<code>([A-Z2-7 ]+)<\/code>/.exec(setUp.text) ?? []
    const app = testApp(host, secret.replaceAll(' ', ''))
    const codes = record(await submit(first, setUp, { code: app.code() }))
    const [, recoveryCode = ''] = /<li><code>([^<]+)<\/code>/.exec(codes.text) ?? []

    const second = openBrowser(host.address)
    const step = record(await submit(second, await goTo(second, request), { login, password }))
    record(await submit(second, step, { code: 'wrong' }))
    const consent = record(await submit(second, step, { code: recoveryCode }))
    record(await submit(second, consent, { answer: 'allow' }))
    const end = { client_id: 'wiki', ui_locales: 'pt-BR' }
    const asked = record(await signOut(second, end, fromOtherSite))
    record(await submit(second, asked, {}))

    const titles = pages.map(({ text }) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1])
    assert.equal(new Set(titles).size, 12, titles.join())
    for (const page of pages) {
      assert.equal(languageOf(page), 'pt-BR', page.text)
      const markup = page.text.replace(/<style>.*?<\/style>/s, '')
      const english = en.filter((text) => text.includes(' ') && !text.includes('{') && markup.includes(text))
      assert.deepEqual(english, [], page.text)
    }
  })

  it('is otherwise that of the browser', async () => {
    const languageFor = async (requested: string | undefined, accepted: string) => {
      const request = requested === undefined ? {} : { ui_locales: requested }
      return languageOf(await goTo(openBrowser(host.address), request, { 'accept-language': accepted }))
    }
    assert.equal(await languageFor(undefined, 'fr, pt-PT;q=0.5, en;q=0.4'), 'pt-BR')
    assert.equal(await languageFor(undefined, 'en-GB,en;q=0.9,pt;q=0.8'), 'en')
    assert.equal(await languageFor(undefined, 'pt;q=0, fr'), 'en')
    assert.equal(await languageFor(undefined, '*'), 'en')
    assert.equal(await languageFor('se', 'pt-BR'), 'pt-BR')
    assert.equal(await languageFor('en-US pt', 'pt-BR'), 'en')
    const many = 'xx-XX '.repeat(1000)
    assert.equal(await languageFor(`pt ${many}`, many.replaceAll(' ', ',')), 'pt-BR', 'Long lists are read.')
  })

  it('is that of the browser on a page without a pending request', async () => {
    const page = await openBrowser(host.address).get('/ext/sign-in', {}, { 'accept-language': 'pt-BR,pt' })
    assert.deepEqual([page.status, languageOf(page)], [400, 'pt-BR'])
    assert.match(page.text, /Esta página não vale mais/)
  })

  it('is one of those that the document of RFC 8414 lists, unlike that of the contract', async () => {
    const read = async (name: string) => (await openBrowser(host.address).get(`/.well-known/${name}`)).json
    const metadata = await read('oauth-authorization-server')
    assert.deepEqual(metadata.ui_locales_supported, ['en', 'pt-BR'])
    assert.equal((await read('openid-configuration')).ui_locales_supported, undefined)
  })
})
