import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { en } from '../../src/hosts/identity/pages/texts.ts'
import {
  type Browser,
  createPkce,
  fromOtherSite,
  openBrowser,
  type Page,
  signOut,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { registrationOf, requestAt, submit, wiki } from '../support/registered-clients.ts'
import { testApp } from '../support/second-factors.ts'

describe('the pages of the identity host speak English and Portuguese', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest({
      isNamed: true,
      environment: {
        ...registrationOf(wiki),
        Identity__SecondFactor: 'all',
        Identity__PasskeyDomain: 'localhost',
        MAIL_FROM: 'tracker@example.com',
        // Nothing answers there.
        Identity__Providers__corp__Issuer: 'http://localhost:9',
        Identity__Providers__corp__ClientId: 'tracker',
      },
    })
  })
  after(() => host?.stop())

  const goTo = async (browser: Browser, request = {}, headers = {}) => {
    const page = await browser.get('/connect/authorize', requestAt(wiki, createPkce(), request))
    const signIn = await browser.follow(page)
    return browser.get(signIn.address.href, {}, headers)
  }
  const languageOf = ({ text }: Page) => /<html lang="([\w-]+)">/.exec(text)?.[1]
  const linkTo = ({ text, address }: Page, path: string) => {
    const [, link = ''] = new RegExp(`href="([^"]*${path}[^"]*)"`).exec(text) ?? []
    assert.ok(link, text)
    return new URL(link.replaceAll('&#38;', '&'), address).href
  }

  it('each of them in the language that the client asks for, whatever the browser would read', async () => {
    const { login } = await host.addAccount()
    const pages: Page[] = []
    const see = (page: Page): Page => {
      pages.push(page)
      return page
    }
    const [request, headers] = [
      { ui_locales: 'fr pt', response_mode: 'form_post' },
      { 'accept-language': 'en' },
    ]
    const first = openBrowser(host.address)
    const signIn = see(await goTo(first, request, headers))
    for (const path of ['/ext/passkey', '/ext/sign-in/with'])
      see(await first.follow(await first.get(linkTo(signIn, path), {}, headers)))
    const forgot = see(await first.get(linkTo(signIn, '/ext/forgot-password'), {}, headers))
    see(await submit(first, forgot, { login: 'nobody@example.com' }))
    see(await submit(first, signIn, { login, password: 'Wrong-Horse-1' }))
    const setUp = see(await submit(first, signIn, { login, password }))
    see(await submit(first, setUp, { code: '000000' }))
    const [, secret = ''] = /<code>([A-Z2-7 ]+)<\/code>/.exec(setUp.text) ?? []
    const app = testApp(host, secret.replaceAll(' ', ''))
    const codes = see(await submit(first, setUp, { code: app.code() }))
    const [, recoveryCode = ''] = /<li><code>([^<]+)<\/code>/.exec(codes.text) ?? []

    const second = openBrowser(host.address)
    const step = see(await submit(second, await goTo(second, request), { login, password }))
    see(await submit(second, step, { code: 'wrong' }))
    const consent = see(await submit(second, step, { code: recoveryCode }))
    see(await submit(second, consent, { answer: 'allow' }))
    const end = { client_id: 'wiki', ui_locales: 'pt-BR' }
    const asked = see(await signOut(second, end, fromOtherSite))
    see(await submit(second, asked, {}))

    const titles = pages.map(({ text }) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1])
    assert.equal(new Set(titles).size, 12, titles.join())
    for (const page of pages) {
      assert.equal(languageOf(page), 'pt-BR', page.text)
      const said = page.text.replace(/<style>.*?<\/style>/s, '')
      const english = en.filter((text) => text.includes(' ') && !text.includes('{') && said.includes(text))
      assert.deepEqual(english, [], page.text)
    }
  })

  it('else in the browser’s, and in English where neither is one of them', async () => {
    const languageFor = async (asked: string | undefined, accepted: string) => {
      const request = asked === undefined ? {} : { ui_locales: asked }
      return languageOf(await goTo(openBrowser(host.address), request, { 'accept-language': accepted }))
    }
    assert.equal(await languageFor(undefined, 'fr, pt-PT;q=0.5, en;q=0.4'), 'pt-BR')
    assert.equal(await languageFor(undefined, 'en-GB,en;q=0.9,pt;q=0.8'), 'en')
    assert.equal(await languageFor(undefined, 'pt;q=0, fr'), 'en')
    assert.equal(await languageFor(undefined, '*'), 'en')
    assert.equal(await languageFor('se', 'pt-BR'), 'pt-BR')
    assert.equal(await languageFor('en-US pt', 'pt-BR'), 'en')
    const many = 'xx-XX '.repeat(1000)
    assert.equal(await languageFor(`pt ${many}`, many.replaceAll(' ', ',')), 'pt-BR', 'None is too long.')
  })

  it('and a page that belongs to no request in the browser’s', async () => {
    const page = await openBrowser(host.address).get('/ext/sign-in', {}, { 'accept-language': 'pt-BR,pt' })
    assert.deepEqual([page.status, languageOf(page)], [400, 'pt-BR'])
    assert.match(page.text, /Esta página não vale mais/)
  })

  it('which the document of RFC 8414 says, and the contract’s does not', async () => {
    const read = async (name: string) => (await openBrowser(host.address).get(`/.well-known/${name}`)).json
    const metadata = await read('oauth-authorization-server')
    assert.deepEqual(metadata.ui_locales_supported, ['en', 'pt-BR'])
    assert.equal((await read('openid-configuration')).ui_locales_supported, undefined)
  })
})
