import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { mailTexts } from '../../src/features/mail/worker.ts'
import { ptBr } from '../../web/src/texts/pt-br.ts'
import { createPkce, openBrowser, queryOf, requestOf, type SignInOptions } from '../support/browser.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type MailServer, secretIn, startMailServer } from '../support/mail-server.ts'
import { submit } from '../support/registered-clients.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { setUpApp } from '../support/second-factors.ts'

describe('The language of mails', () => {
  let rest: RestUnderTest
  let server: MailServer
  let workspace: Workspace
  before(async () => {
    server = await startMailServer()
    rest = await startRestUnderTest({
      Auth__SessionValidationCacheSeconds: '0',
      SMTP_URL: server.url,
      MAIL_FROM: 'Tracker <tracker@example.com>',
      Cors__AllowedOrigins__0: 'https://app.example.com',
    })
    workspace = await furnish(rest)
  })
  after(async () => {
    await rest.stop()
    await server.stop()
  })

  const inPortuguese = { request: { ui_locales: 'pt-PT en' } }
  const signIn = async (login: string, options: SignInOptions) =>
    (await rest.identity.signIn(login, options)).access_token
  /** In an English browser, as another user may have. */
  const forget = async (login: string) => {
    const browser = openBrowser(rest.identity.address)
    const page = await browser.follow(
      await browser.get('/connect/authorize', requestOf(createPkce(), { ui_locales: 'en' })),
    )
    const { authRequest = '' } = queryOf(page)
    await submit(browser, await browser.get('/ext/forgot-password', { authRequest }), { login })
  }
  const newest = async (address: string, count = 1) => (await server.mailsTo(address, count)).at(-1)
  const knownOf = async (id: string) =>
    (
      await rest.database.query<{ language: string }>(
        sql`select language from account_languages where user_id = ${id}`,
      )
    ).map(({ language }) => language)

  test('is that of the reader’s last sign-in, whoever asks, and English for somebody who has said nothing', async () => {
    const person = await rest.signUp()
    assert.deepEqual(await knownOf(person.id), [])
    await forget(person.login)
    assert.match((await newest(person.login))?.text ?? '', /^Subject: Reset your password\r$/m)
    await signIn(person.login, inPortuguese)
    await forget(person.login)
    const mail = await newest(person.login, 2)
    assert.match(mail?.text ?? '', /^Subject: Sua nova senha\r$/m)
    assert.match(mail?.text ?? '', /^Content-Language: pt-BR\r$/m)
    assert.match(mail?.text ?? '', /^Alguém pediu uma nova senha/m)
    assert.match(secretIn(mail), /^svl_/)
    // By what the browser accepts, where the client names none.
    await signIn(person.login, { headers: { 'accept-language': 'en-GB,en;q=0.9,pt;q=0.1' } })
    assert.deepEqual(await knownOf(person.id), ['en'])
    await signIn(person.login, { headers: { 'accept-language': 'pt' } })
    assert.deepEqual(await knownOf(person.id), ['pt-BR'])
    // What says nothing changes nothing.
    await signIn(person.login, {})
    await signIn(person.login, { password: 'Wrong-Horse-1', request: { ui_locales: 'en' } }).catch(
      () => undefined,
    )
    assert.deepEqual(await knownOf(person.id), ['pt-BR'])
  })

  test('is that of whoever invites, names and all', async () => {
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

  test('is that of whoever is told that their sign-in has changed, and of whom an administrator helps', async () => {
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
      const named = [...mailTexts[language].factors({ place: '' }).text.matchAll(/"([^"]+)"/g)].map(
        ([, one = '']) => one,
      )
      assert.equal(named.length, 3)
      assert.deepEqual(
        named.filter((one) => !inClient[language].has(one)),
        [],
      )
    }
  })
})
