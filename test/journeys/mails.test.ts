import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { createPkce, openBrowser, type Page, queryOf, requestOf } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { origin } from '../support/known-clients.ts'
import { type MailServer, secretIn, startMailServer } from '../support/mail-server.ts'
import { submit } from '../support/registered-clients.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { setUpApp } from '../support/second-factors.ts'

const newPassword = 'Another-Horse-456'
/** Where links lead: the web client of the settings. */
const web = 'https://app.example.com'

describe('Mails', () => {
  let rest: RestUnderTest
  let server: MailServer
  let workspace: Workspace
  const written: string[] = []
  before(async () => {
    server = await startMailServer()
    const environment = {
      LOG_LEVEL: 'info',
      Auth__SessionValidationCacheSeconds: '0',
      SMTP_URL: server.url,
      MAIL_FROM: 'Tracker <tracker@example.com>',
      Cors__AllowedOrigins__0: web,
    }
    const destination = { write: (line: string) => void written.push(line) }
    rest = await startRestUnderTest(environment, { destination })
    workspace = await furnish(rest)
  })
  after(async () => {
    await rest.stop()
    await server.stop()
  })

  const forget = async (login: string): Promise<Page> => {
    const browser = openBrowser(rest.identity.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const { authRequest = '' } = queryOf(page)
    return submit(browser, await browser.get('/ext/forgot-password', { authRequest }), { login })
  }
  const ask = (method: string, path: string, token: string | undefined, body?: unknown) =>
    rest.call(method, path, { token, ...(body !== undefined && { body }) })
  const usePasswordLink = (secret: string) =>
    ask('POST', '/ext/password-links/use', undefined, { secret, newPassword })
  /** The longer waits of mails that are tried again. */
  const hurry = () =>
    rest.database.single.query(sql`update mails set next_attempt_at = now() where ended_at is null`)
  const noMoreWaits = async () => {
    for (let waited = 0; waited < 30_000; waited += 50) {
      const [{ open } = { open: 0 }] = await rest.database.query<{ open: number }>(
        sql`select count(*)::int as open from mails where ended_at is null`,
      )
      if (open === 0) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.fail('Mails still wait.')
  }

  test('for a forgotten password lead to a new one, once, and the page says nothing about accounts', async () => {
    const person = await rest.signUp()
    const shown = await forget(` ${person.login.toUpperCase()} `)
    const unknown = await forget('nobody@example.com')
    assert.equal(shown.status, 200)
    const bare = ({ text }: Page) => text.replaceAll(/authRequest=[^"]+/g, '')
    assert.equal(bare(shown), bare(unknown))
    const [mail] = await server.mailsTo(person.login)
    assert.match(mail?.text ?? '', /^From: Tracker <tracker@example\.com>\r$/m)
    assert.ok(mail?.text.includes(`${web}/new-password#svl_`), mail?.text)
    assert.equal((await usePasswordLink(secretIn(mail))).status, 200)
    assert.ok((await rest.identity.signIn(person.login, { password: newPassword })).access_token)
    assertEnvelope(await usePasswordLink(secretIn(mail)), 410)
    await noMoreWaits()
    assert.deepEqual(await server.mailsTo('nobody@example.com', 0), [])
    // Nothing is stored of an unknown login, which may be a password in the wrong field.
    const kept = await rest.database.query(sql`select login, recipient from mails where ended_at is not null`)
    assert.ok(!JSON.stringify(kept).includes('nobody@'))
  })

  test('for a forgotten password are limited to three an hour and account, however many are requested at once, and twenty an address', async () => {
    const person = await rest.signUp()
    await Promise.all(Array.from({ length: 8 }, () => forget(person.login)))
    await noMoreWaits()
    const mails = await server.mailsTo(person.login)
    assert.equal(mails.length, 3)
    // Only the newest works.
    const statuses = await Promise.all(
      mails.map(async (mail) => (await usePasswordLink(secretIn(mail))).status),
    )
    assert.deepEqual(statuses.sort(), [200, 410, 410])
    const [{ asked } = { asked: 0 }] = await rest.database.query<{ asked: number }>(
      sql`select count(*)::int as asked from mails where address = '127.0.0.1'`,
    )
    for (let index = asked; index < 24; index += 1) await forget(`person-${index}@example.com`)
    const other = await rest.signUp()
    assert.equal((await forget(other.login)).status, 200)
    await noMoreWaits()
    assert.deepEqual(await server.mailsTo(other.login, 0), [])
    await rest.database.single.query(sql`update mails set address = null`)
  })

  test('are not sent to removed or deactivated accounts, or to logins that are not addresses', async () => {
    const [removed, deactivated] = [await rest.signUp(), await rest.signUp()]
    const odd = await rest.signUp({ login: 'no address' })
    const { token } = rest.administrator
    await ask('DELETE', '/api/user', token, { ids: [removed.id] })
    await ask('POST', '/ext/deactivations', token, { userId: deactivated.id })
    const before = server.received.length
    for (const { login } of [removed, deactivated, odd]) await forget(login)
    for (const login of [
      'a@b.c\r\nBcc: eve@example.com',
      'a@example.com,eve@example.com',
      `${'x'.repeat(250)}@b.example`,
      '',
      '<a@b.c>',
    ])
      assert.equal((await forget(login)).status, 200)
    await noMoreWaits()
    assert.equal(server.received.length, before)
  })

  test('are asked for from the page of this host only', async () => {
    const browser = openBrowser(rest.identity.address)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const { authRequest = '' } = queryOf(page)
    for (const from of [origin, 'https://evil.example'])
      assert.equal(
        (
          await browser.post(
            '/ext/forgot-password',
            { authRequest, login: 'x@example.com' },
            { origin: from },
          )
        ).status,
        403,
      )
  })

  test('invite new users and existing accounts, and nothing in them begins another header', async () => {
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
    // Into what, kept together where it is written from right to left, and whom that is for.
    assert.match(
      mail?.text ?? '',
      /^“Mara https {3}evil example {2}X {2}y[^”]*” invites you to the project \u2068“רציף”\u2069 of “Lighthouse” at /m,
    )
    const who = { name: 'Nora', login: 'nora@example.com', password, secret: secretIn(mail) }
    assert.equal((await ask('POST', '/ext/invitations/accept', undefined, who)).status, 200)
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

  test('of administrators set a new password', async () => {
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

  test('wait while the server is down or slow, which no request notices, and are sent when it is back', async () => {
    const port = Number(new URL(server.url).port)
    const person = await rest.signUp()
    await server.stop()
    const begin = performance.now()
    assert.equal((await forget(person.login)).status, 200)
    assert.ok(performance.now() - begin < 5000)
    for (let waited = 0; !written.join('').includes('tried again') && waited < 20_000; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50))
    const line = written.map((text) => JSON.parse(text)).find(({ msg }) => /tried again/.test(msg))
    assert.deepEqual([line?.purpose, line?.attempts, line?.code], ['password', 1, 'ESOCKET'])
    server = await startMailServer({ port })
    await hurry()
    assert.equal((await server.mailsTo(person.login)).length, 1)
  })

  test('tell users that their sign-in methods have changed, whatever else was requested, and have no link', async () => {
    const person = await rest.signUp()
    await rest.database.single.query(sql`
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
    await noMoreWaits()
  })

  test('have no secret and no address in the log, which records what was requested and sent', async () => {
    await noMoreWaits()
    const log = written.join('')
    assert.doesNotMatch(log, /svl_|nora@|nobody@/)
    const events = written.map((text) => JSON.parse(text)).filter(({ security }) => /^mail-/.test(security))
    assert.ok(events.some(({ security, outcome }) => security === 'mail-asked' && outcome === 'kept'))
    assert.ok(events.some(({ security, outcome }) => security === 'mail-asked' && outcome === 'refused'))
    assert.ok(events.some(({ security, outcome }) => security === 'mail-sent' && outcome === 'invitation'))
  })
})
