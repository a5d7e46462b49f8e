import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { purgeMails } from '../../src/accounts/mail-queue.ts'
import { maintenanceJobs } from '../../src/cli/maintenance.ts'
import { sql } from '../../src/db/sql.ts'
import { mailTexts } from '../../src/features/mail/worker.ts'
import { ptBr } from '../../web/src/texts/pt-br.ts'
import { assertEnvelope } from '../support/assertions.ts'
import {
  claimsOf,
  createPkce,
  openBrowser,
  type Page,
  queryOf,
  requestOf,
  type SignInOptions,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { freePort } from '../support/child-host.ts'
import { fixture } from '../support/fixture.ts'
import { origin } from '../support/known-clients.ts'
import { secretIn, startMailServer } from '../support/mail-server.ts'
import { registrationOf, requestTokens, submit, wiki } from '../support/registered-clients.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { setUpApp } from '../support/second-factors.ts'
import { seed } from '../support/seed.ts'
import { until } from '../support/until.ts'

const newPassword = 'Another-Horse-456'
/** The web client of the settings, to which links lead. */
const web = 'https://app.example.com'

describe('Mails', () => {
  const written: string[] = []
  // The server of a test that stops it gets the same port again, which no other program may take meanwhile.
  let server = fixture(async () => startMailServer({ port: await freePort() }))
  const rest = fixture(() =>
    startRestUnderTest(
      {
        LOG_LEVEL: 'info',
        Auth__SessionValidationCacheSeconds: '0',
        SMTP_URL: server.url,
        MAIL_FROM: 'Tracker <tracker@example.com>',
        Cors__AllowedOrigins__0: web,
        ...registrationOf(wiki),
      },
      { destination: { write: (line) => void written.push(line) } },
    ),
  )
  const workspace = fixture(seed, rest)

  const requestReset = async (login: string): Promise<Page> => {
    const browser = openBrowser(rest.identity.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const { authRequest = '' } = queryOf(page)
    return submit(browser, await browser.get('/ext/forgot-password', { authRequest }), { login })
  }
  const ask = (method: string, path: string, token: string | undefined, body?: unknown) =>
    rest.call(method, path, body === undefined ? { token } : { token, body })
  const usePasswordLink = (secret: string) =>
    ask('POST', '/ext/password-links/use', undefined, { secret, newPassword })
  /** Makes failed mails due, so that they are retried at once. */
  const retryNow = () =>
    rest.database.singleWrites.query(sql`update mails set next_attempt_at = now() where ended_at is null`)
  const untilAllEnded = async () => {
    for (let waited = 0; waited < 30_000; waited += 50) {
      const [{ open } = { open: 0 }] = await rest.database.query<{ open: number }>(
        sql`select count(*)::int as open from mails where ended_at is null`,
      )
      if (open === 0) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.fail('Mails are still waiting.')
  }

  test('for a forgotten password have a link that sets a new password once', async () => {
    const person = await rest.signUp()
    await requestReset(` ${person.login.toUpperCase()} `)
    const [mail] = await server.mailsTo(person.login)
    assert.match(mail?.text ?? '', /^From: Tracker <tracker@example\.com>\r$/m)
    assert.ok(mail?.text.includes(`${web}/new-password#svl_`), mail?.text)
    assert.equal((await usePasswordLink(secretIn(mail))).status, 200)
    assert.ok((await rest.identity.signIn(person.login, { password: newPassword })).access_token)
    assertEnvelope(await usePasswordLink(secretIn(mail)), 410)
  })

  test('are requested on a page that does not reveal whether an account exists', async () => {
    const known = await requestReset((await rest.signUp()).login)
    const unknown = await requestReset('nobody@example.com')
    assert.equal(known.status, 200)
    const textOf = ({ text }: Page) => text.replaceAll(/authRequest=[^"]+/g, '')
    assert.equal(textOf(known), textOf(unknown))
    await untilAllEnded()
    assert.deepEqual(await server.mailsTo('nobody@example.com', 0), [])
    // An unknown login is not stored, because it may be a password in the wrong field.
    const stored = await rest.database.query(
      sql`select login, recipient from mails where ended_at is not null`,
    )
    assert.ok(!JSON.stringify(stored).includes('nobody@'))
  })

  test('verify the login to which they were sent', async () => {
    const isVerified = async (login: string): Promise<unknown> => {
      const browser = openBrowser(rest.identity.address)
      const { json } = await requestTokens(browser, wiki, { login, password: newPassword })
      return claimsOf(json.id_token).email_verified
    }
    const { token } = rest.administrator
    const [mailed, given] = [await rest.signUp(), await rest.signUp()]
    await ask('POST', '/ext/password-links/mail', token, { userId: mailed.id })
    await usePasswordLink(secretIn((await server.mailsTo(mailed.login))[0]))
    const link = await ask('POST', '/ext/password-links', token, { userId: given.id })
    await usePasswordLink(link.body.secret)
    assert.deepEqual([await isVerified(mailed.login), await isVerified(given.login)], [true, false])
    const moved = `moved-${mailed.login}`
    await ask('PATCH', '/api/user', token, { id: mailed.id, login: moved, name: 'Moved' })
    assert.equal(await isVerified(moved), false)
    const invite = async (mailTo: string, login: string) => {
      await ask('POST', '/ext/invitations/mail', token, { mailTo })
      const secret = secretIn((await server.mailsTo(mailTo))[0])
      const body = { secret, name: 'Invited', login, password: newPassword }
      assert.equal((await ask('POST', '/ext/invitations/accept', undefined, body)).status, 200)
      return isVerified(login)
    }
    assert.equal(await invite('guest@example.com', 'Guest@example.com'), true)
    assert.equal(await invite('second-guest@example.com', 'other-guest@example.com'), false)
  })

  test('for a forgotten password are limited per account and address', async () => {
    const person = await rest.signUp()
    await Promise.all(Array.from({ length: 8 }, () => requestReset(person.login)))
    await untilAllEnded()
    const mails = await server.mailsTo(person.login)
    assert.equal(mails.length, 3)
    // Only the newest link is valid.
    const statuses = await Promise.all(
      mails.map(async (mail) => (await usePasswordLink(secretIn(mail))).status),
    )
    assert.deepEqual(statuses.sort(), [200, 410, 410])
    const [{ requested } = { requested: 0 }] = await rest.database.query<{ requested: number }>(
      sql`select count(*)::int as requested from mails where address = '127.0.0.1'`,
    )
    for (let index = requested; index < 24; index += 1) await requestReset(`person-${index}@example.com`)
    const other = await rest.signUp()
    assert.equal((await requestReset(other.login)).status, 200)
    await untilAllEnded()
    assert.deepEqual(await server.mailsTo(other.login, 0), [])
    // The next tests request mails from the same address.
    await rest.database.singleWrites.query(sql`update mails set address = null`)
  })

  test('are not sent to removed or deactivated accounts, or to logins that are not addresses', async () => {
    const [removed, deactivated] = [await rest.signUp(), await rest.signUp()]
    const odd = await rest.signUp({ login: 'no address' })
    const { token } = rest.administrator
    await ask('DELETE', '/api/user', token, { ids: [removed.id] })
    await ask('POST', '/ext/deactivations', token, { userId: deactivated.id })
    const before = server.received.length
    for (const { login } of [removed, deactivated, odd]) await requestReset(login)
    for (const login of [
      'a@b.c\r\nBcc: eve@example.com',
      'a@example.com,eve@example.com',
      `${'x'.repeat(250)}@b.example`,
      '',
      '<a@b.c>',
    ])
      assert.equal((await requestReset(login)).status, 200)
    await untilAllEnded()
    assert.equal(server.received.length, before)
  })

  test('can be requested only from the page of this host', async () => {
    const browser = openBrowser(rest.identity.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const { authRequest = '' } = queryOf(page)
    const form = { authRequest, login: 'x@example.com' }
    for (const from of [origin, 'https://evil.example']) {
      const { status } = await browser.post('/ext/forgot-password', form, { origin: from })
      assert.equal(status, 403)
    }
  })

  test('invite new users and existing accounts', async () => {
    const member = await rest.signUp({
      name: 'Mara https://evil.example\r\nX: y evil。example evil．example',
    })
    const projectId = await workspace.project('\u202Eרציף', member)
    const invite = (mailTo: unknown, token = member.token) =>
      ask('POST', '/ext/invitations/mail', token, { projectId, mailTo })
    const { body } = await invite('nora@example.com')
    assert.deepEqual(Object.keys(body), ['link'])
    const [mail] = await server.mailsTo('nora@example.com')
    assert.ok(mail?.text.includes(`${web}/invitation#svl_`), mail?.text)
    assert.doesNotMatch(mail?.text ?? '', /evil[.。．]example|^X:|\u202E/m)
    // The mail isolates right-to-left names, here the name of the project.
    assert.match(
      mail?.text ?? '',
      /^“Mara https {3}evil example {2}X {2}y[^”]*” invites you to the project \u2068“רציף”\u2069 of “Lighthouse” at /m,
    )
    const account = { name: 'Nora', login: 'nora@example.com', password, secret: secretIn(mail) }
    assert.equal((await ask('POST', '/ext/invitations/accept', undefined, account)).status, 200)
    const existing = await rest.signUp()
    await invite(existing.login)
    const secret = secretIn((await server.mailsTo(existing.login))[0])
    assert.deepEqual((await ask('POST', '/ext/invitations/join', existing.token, { secret })).body, {
      projectId,
    })
    for (const wrong of [
      'x',
      'a@b.c\r\nBcc: eve@example.com',
      'a@b.c, eve@example.com',
      'a b@c.example',
      7,
      undefined,
    ])
      assertEnvelope(await invite(wrong), 400)
    const other = await rest.signUp()
    assertEnvelope(await invite('eve@example.com', other.token), 404)
  })

  test('from administrators let users set a new password', async () => {
    const person = await rest.signUp()
    const mail = (userId: string, token = rest.administrator.token) =>
      ask('POST', '/ext/password-links/mail', token, { userId })
    assert.deepEqual((await mail(person.id)).body, { success: true })
    const [received] = await server.mailsTo(person.login)
    assert.match(received?.text ?? '', /An administrator has requested/)
    assert.equal((await usePasswordLink(secretIn(received))).status, 200)
    assertEnvelope(await mail(person.id, (await rest.signUp()).token), 403)
    const odd = await rest.signUp({ login: 'still no address' })
    assertEnvelope(await mail(odd.id), 400)
  })

  test('wait while the mail server is down', async () => {
    const port = Number(new URL(server.url).port)
    const person = await rest.signUp()
    await server.stop()
    // The mail can be sent only later, when the server is up again.
    assert.equal((await requestReset(person.login)).status, 200)
    await until(() => written.join('').includes('tried again'), 'a failed attempt')
    const line = written.map((text) => JSON.parse(text)).find(({ msg }) => /tried again/.test(msg))
    assert.deepEqual([line?.purpose, line?.attempts, line?.code], ['password', 1, 'ESOCKET'])
    server = await startMailServer({ port })
    await retryNow()
    assert.equal((await server.mailsTo(person.login)).length, 1)
  })

  test('report changed sign-in methods to users', async () => {
    const person = await rest.signUp()
    // These mails use up a limit for mails with links. Reports of changes have a limit of their own.
    await rest.database.singleWrites.query(sql`
      insert into mails (id, purpose, made_by, login, ended_at)
      select gen_random_uuid(), 'password', ${person.id}, 'somebody', now() from generate_series(1, 60)`)
    await setUpApp(
      { ...rest.identity, clock: { now: Date.now, advance: () => undefined } },
      person.login,
      person.token,
    )
    const [mail] = await server.mailsTo(person.login)
    assert.match(mail?.text ?? '', /^Subject: Your sign-in methods have changed\r$/m)
    assert.doesNotMatch(mail?.text ?? '', /svl_|#/)
    await untilAllEnded()
  })

  test('are logged when requested and sent', async () => {
    await untilAllEnded()
    const log = written.join('')
    assert.doesNotMatch(log, /svl_|nora@|nobody@/)
    const events = written.map((text) => JSON.parse(text)).filter(({ security }) => /^mail-/.test(security))
    assert.ok(events.some(({ security, outcome }) => security === 'mail-asked' && outcome === 'kept'))
    assert.ok(events.some(({ security, outcome }) => security === 'mail-asked' && outcome === 'refused'))
    assert.ok(events.some(({ security, outcome }) => security === 'mail-sent' && outcome === 'invitation'))
  })
})

describe('The language of mails', () => {
  const server = fixture(startMailServer)
  const rest = fixture(() =>
    startRestUnderTest({
      Auth__SessionValidationCacheSeconds: '0',
      SMTP_URL: server.url,
      MAIL_FROM: 'Tracker <tracker@example.com>',
      Cors__AllowedOrigins__0: 'https://app.example.com',
    }),
  )
  const workspace = fixture(seed, rest)

  const inPortuguese = { request: { ui_locales: 'pt-PT en' } }
  const signIn = async (login: string, options: SignInOptions) =>
    (await rest.identity.signIn(login, options)).access_token
  /** Requests a mail for a forgotten password in an English browser, as another user may have. */
  const requestReset = async (login: string) => {
    const browser = openBrowser(rest.identity.address)
    const page = await browser.follow(
      await browser.get('/connect/authorize', requestOf(createPkce(), { ui_locales: 'en' })),
    )
    const { authRequest = '' } = queryOf(page)
    await submit(browser, await browser.get('/ext/forgot-password', { authRequest }), { login })
  }
  const newest = async (address: string, count = 1) => (await server.mailsTo(address, count)).at(-1)
  const languagesOf = async (id: string) => {
    const rows = await rest.database.query<{ language: string }>(
      sql`select language from account_languages where user_id = ${id}`,
    )
    return rows.map(({ language }) => language)
  }

  test('is the language of the reader’s last sign-in', async () => {
    const person = await rest.signUp()
    assert.deepEqual(await languagesOf(person.id), [])
    await requestReset(person.login)
    assert.match((await newest(person.login))?.text ?? '', /^Subject: Reset your password\r$/m)
    await signIn(person.login, inPortuguese)
    await requestReset(person.login)
    const mail = await newest(person.login, 2)
    assert.match(mail?.text ?? '', /^Subject: Sua nova senha\r$/m)
    assert.match(mail?.text ?? '', /^Content-Language: pt-BR\r$/m)
    assert.match(mail?.text ?? '', /^Alguém pediu uma nova senha/m)
    assert.match(secretIn(mail), /^svl_/)
    // If the client requests no language, the language of the browser is stored.
    await signIn(person.login, { headers: { 'accept-language': 'en-GB,en;q=0.9,pt;q=0.1' } })
    assert.deepEqual(await languagesOf(person.id), ['en'])
    await signIn(person.login, { headers: { 'accept-language': 'pt' } })
    assert.deepEqual(await languagesOf(person.id), ['pt-BR'])
    // A sign-in without a language does not change it.
    await signIn(person.login, {})
    await signIn(person.login, { password: 'Wrong-Horse-1', request: { ui_locales: 'en' } }).catch(
      () => undefined,
    )
    assert.deepEqual(await languagesOf(person.id), ['pt-BR'])
    // A chosen language is not changed by the next sign-in.
    await person.call('PATCH', '/ext/settings', { language: 'en' })
    await signIn(person.login, inPortuguese)
    await requestReset(person.login)
    assert.match((await newest(person.login, 3))?.text ?? '', /^Subject: Reset your password\r$/m)
  })

  test('of an invitation is that of the user who invites', async () => {
    const member = await rest.signUp({ name: 'Inês' })
    const token = await signIn(member.login, inPortuguese)
    const projectId = await workspace.project('Cais', member)
    const invite = async (body: object, as: string) =>
      assert.equal((await rest.call('POST', '/ext/invitations/mail', { token: as, body })).status, 200)
    await invite({ projectId, mailTo: 'nora@example.com' }, token)
    const mail = await newest('nora@example.com')
    assert.match(
      mail?.text ?? '',
      /^“Inês” convida você para o projeto “Cais”, de “Lighthouse”, em https:\/\/app\.example\.com\.\r$/m,
    )
    const administrator = await signIn(rest.administrator.login, inPortuguese)
    await invite({ mailTo: 'ida@example.com' }, administrator)
    assert.match((await newest('ida@example.com'))?.text ?? '', /^“Root” convida você a participar em https/m)
  })

  test('is the language of the recipient, not of the administrator who caused the mail', async () => {
    const person = await rest.signUp()
    const token = await signIn(person.login, inPortuguese)
    const clock = { now: Date.now, advance: () => undefined }
    await setUpApp({ ...rest.identity, clock }, person.login, token)
    assert.match((await newest(person.login))?.text ?? '', /^Subject: Sua forma de entrar mudou\r$/m)
    const helper = await signIn(rest.administrator.login, { request: { ui_locales: 'en' } })
    const body = { userId: person.id }
    await rest.call('POST', '/ext/password-links/mail', { token: helper, body })
    assert.match((await newest(person.login, 2))?.text ?? '', /^Um administrador pediu uma nova senha/m)
  })

  test('uses the same words as the web client', () => {
    const inClient = { en: new Set(Object.keys(ptBr)), 'pt-BR': new Set<string>(Object.values(ptBr)) }
    for (const language of ['en', 'pt-BR'] as const) {
      const named = [...mailTexts[language].factors({ origin: '' }).text.matchAll(/"([^"]+)"/g)].map(
        ([, text = '']) => text,
      )
      assert.equal(named.length, 3)
      assert.deepEqual(
        named.filter((text) => !inClient[language].has(text)),
        [],
      )
    }
  })
})

describe('Mails that unauthenticated clients request', () => {
  const server = fixture(startMailServer)
  const rest = fixture(() =>
    startRestUnderTest({
      SMTP_URL: server.url,
      MAIL_FROM: 'Tracker <tracker@example.com>',
      ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
      TRUSTED_PROXIES: '1',
    }),
  )

  const requestReset = async (login: string, from = '192.0.2.1') => {
    const browser = openBrowser(rest.identity.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const { authRequest = '' } = queryOf(page)
    const headers = { origin: new URL(rest.identity.address).origin, 'x-forwarded-for': from }
    return browser.post('/ext/forgot-password', { authRequest, login }, headers)
  }
  const ask = (path: string, body: object, token?: string) => rest.call('POST', path, { token, body })
  const usePasswordLink = (secret: string) =>
    ask('/ext/password-links/use', { secret, newPassword: 'Another-Horse-456' })
  const linkOf = async (login: string, count: number) =>
    secretIn((await server.mailsTo(login, count))[count - 1])

  test('are limited to twenty an hour for all addresses of one IPv6 network', async () => {
    for (let index = 1; index <= 24; index += 1)
      assert.equal((await requestReset(`network-${index}@example.com`, `2001:db8:1:2::${index}`)).status, 200)
    const stored = await rest.database.query(sql`select id from mails where address like '2001:%'`)
    assert.equal(stored.length, 20)
    const { login } = await rest.signUp()
    await requestReset(login, '2001:db8:1:3::1')
    assert.equal((await server.mailsTo(login)).length, 1)
  })

  test('end no link of an administrator', async () => {
    const { id, login } = await rest.signUp()
    const { token } = rest.administrator
    const ofAdministrator = (await ask('/ext/password-links', { userId: id }, token)).body.secret
    for (let count = 1; count <= 4; count += 1) await requestReset(login)
    const ofStranger = await linkOf(login, 3)
    assert.equal((await usePasswordLink(ofAdministrator)).status, 200)
    // A new password ends links that were requested before.
    assertEnvelope(await usePasswordLink(ofStranger), 410)
    assert.equal((await ask('/ext/password-links/mail', { userId: id }, token)).status, 200)
    const mailed = await linkOf(login, 4)
    // An hour later, an unauthenticated client may request a mail again.
    await rest.database.singleWrites.query(sql`update mails set created_at = now() - interval '1 hour'`)
    await requestReset(login)
    const newest = await linkOf(login, 5)
    assert.equal((await usePasswordLink(mailed)).status, 200)
    assertEnvelope(await usePasswordLink(newest), 410)
  })

  test('are deleted after a day, however many there are', async () => {
    await rest.database.singleWrites.query(sql`
      insert into mails (id, purpose, address, created_at, ended_at)
      select gen_random_uuid(), 'password', 'of yesterday', now() - interval '25 hours', now() - interval '25 hours'
      from generate_series(1, 2500)`)
    await Promise.all([1, 2].map(() => purgeMails(rest.database)))
    const remaining = await rest.database.query(sql`select id from mails where address = 'of yesterday'`)
    assert.equal(remaining.length, 0)
  })
})

describe('Links in mails', () => {
  const server = fixture(startMailServer)
  const rest = fixture(() =>
    startRestUnderTest({ SMTP_URL: server.url, MAIL_FROM: 'Tracker <tracker@example.com>' }),
  )

  test('end with the session of the administrator who created them', async () => {
    const { id: userId, login } = await rest.signUp()
    const { token, login: administrator } = rest.administrator
    const { access_token: stolen } = await rest.identity.signIn(administrator)
    assert.equal(
      (await rest.call('POST', '/ext/password-links/mail', { token: stolen, body: { userId } })).status,
      200,
    )
    const secret = secretIn((await server.mailsTo(login))[0])
    const ids = [claimsOf(stolen).sid]
    assert.equal((await rest.call('DELETE', '/ext/sessions', { token, body: { ids } })).status, 200)
    const use = { body: { secret, newPassword } }
    assertEnvelope(await rest.call('POST', '/ext/password-links/use', use), 410)
  })

  test('are deleted a month after they expire', async () => {
    const { id } = rest.administrator
    const make = (days: number) =>
      rest.database.singleWrites.query(sql`
        insert into account_links (id, purpose, hash, made_by, created_at, expires_at)
        values (gen_random_uuid(), 'invitation', sha256(${`${days}`}::text::bytea), ${id},
          now() - make_interval(days => ${days}::int + 1), now() - make_interval(days => ${days}::int))`)
    for (const days of [29, 31, 400]) await make(days)
    await maintenanceJobs(rest.database, { removedDays: 30, historyDays: 30 }).links()
    const remaining = await rest.database.query(sql`select 1 from account_links where purpose = 'invitation'`)
    assert.equal(remaining.length, 1)
  })
})
