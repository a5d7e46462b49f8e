import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { forgetOldLinks } from '../../src/accounts/links.ts'
import { forgetOldMails } from '../../src/accounts/mail-queue.ts'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { claimsOf, createPkce, openBrowser, queryOf, requestOf } from '../support/browser.ts'
import { type MailServer, secretIn, startMailServer } from '../support/mail-server.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('Mails that strangers ask for', () => {
  let rest: RestUnderTest
  let server: MailServer
  before(async () => {
    server = await startMailServer()
    rest = await startRestUnderTest({
      SMTP_URL: server.url,
      MAIL_FROM: 'Tracker <tracker@example.com>',
      ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
      TRUSTED_PROXIES: '1',
    })
  })
  after(async () => {
    await rest?.stop()
    await server?.stop()
  })

  const forget = async (login: string, from = '192.0.2.1') => {
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

  test('are twenty an hour for all addresses of one IPv6 network', async () => {
    for (let index = 1; index <= 24; index += 1)
      assert.equal((await forget(`network-${index}@example.com`, `2001:db8:1:2::${index}`)).status, 200)
    const kept = await rest.database.query(sql`select id from mails where address like '2001:%'`)
    assert.equal(kept.length, 20)
    const { login } = await rest.signUp()
    await forget(login, '2001:db8:1:3::1')
    assert.equal((await server.mailsTo(login)).length, 1)
  })

  test('end no link that an administrator has made, and use up no mail of theirs', async () => {
    const { id, login } = await rest.signUp()
    const { token } = rest.administrator
    const made = (await ask('/ext/password-links', { userId: id }, token)).body.secret
    for (let count = 1; count <= 4; count += 1) await forget(login)
    const stranger = await linkOf(login, 3)
    assert.equal((await usePasswordLink(made)).status, 200)
    // A new password ends what was asked for before.
    assertEnvelope(await usePasswordLink(stranger), 410)
    assert.equal((await ask('/ext/password-links/mail', { userId: id }, token)).status, 200)
    const mailed = await linkOf(login, 4)
    // An hour later an unauthenticated client may ask again.
    await rest.database.single.query(sql`update mails set created_at = now() - interval '1 hour'`)
    await forget(login)
    const newest = await linkOf(login, 5)
    assert.equal((await usePasswordLink(mailed)).status, 200)
    assertEnvelope(await usePasswordLink(newest), 410)
  })

  test('are deleted after a day, however many there were', async () => {
    await rest.database.single.query(sql`
      insert into mails (id, purpose, address, created_at, ended_at)
      select gen_random_uuid(), 'password', 'of yesterday', now() - interval '25 hours', now() - interval '25 hours'
      from generate_series(1, 2500)`)
    await Promise.all([1, 2].map(() => forgetOldMails(rest.database)))
    const left = await rest.database.query(sql`select id from mails where address = 'of yesterday'`)
    assert.equal(left.length, 0)
  })
  test('keep a link of an administrator that ends with the session that requested it', async () => {
    const { id: userId, login } = await rest.signUp()
    const { token, login: administrator } = rest.administrator
    const { access_token: stolen } = await rest.identity.signIn(administrator)
    assert.equal((await ask('/ext/password-links/mail', { userId }, stolen)).status, 200)
    const secret = await linkOf(login, 1)
    const ids = [claimsOf(stolen).sid]
    assert.equal((await rest.call('DELETE', '/ext/sessions', { token, body: { ids } })).status, 200)
    assertEnvelope(await usePasswordLink(secret), 410)
  })

  test('leave no links behind that have been over for a month', async () => {
    const { id } = rest.administrator
    const make = (days: number) =>
      rest.database.single.query(sql`
        insert into account_links (id, purpose, hash, made_by, created_at, expires_at)
        values (gen_random_uuid(), 'invitation', sha256(${`${days}`}::text::bytea), ${id},
          now() - make_interval(days => ${days}::int + 1), now() - make_interval(days => ${days}::int))`)
    for (const days of [29, 31, 400]) await make(days)
    await forgetOldLinks(rest.database)
    const left = await rest.database.query(sql`select 1 from account_links where purpose = 'invitation'`)
    assert.equal(left.length, 1)
  })
})
