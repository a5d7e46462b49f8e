import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { assertAccessible } from '../browser/journeys/accessibility.ts'
import { createPkce } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { chromiumPath, launchChromium, type SharedBrowser } from '../support/chromium.ts'
import { fixture } from '../support/fixture.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { authorizationRequestOf, registrationOf, type TestClient } from '../support/registered-clients.ts'
import { testApp } from '../support/second-factors.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

/** The time limit of a step on a busy machine. */
const browserMillisecondsMax = 30_000

describe('the pages of the identity host, in a real browser', {
  skip: chromiumPath === undefined && 'No Chromium is installed.',
}, () => {
  const clientServer = fixture(startClient)
  const browser = fixture(launchChromium)
  const host = fixture(() =>
    startIdentityUnderTest({
      environment: registrationOf({
        ...app(),
        extraSettings: { RedirectUris__1: clientServer.home, Name: 'The app' },
      }),
    }),
  )

  const app = () => ({
    id: 'app',
    redirectUri: clientServer.callback,
    postLogoutRedirectUri: clientServer.home,
  })
  const open = async (options: BrowserContextOptions = {}) => {
    const page = await (await browser.newContext(options)).newPage()
    page.setDefaultTimeout(browserMillisecondsMax)
    return page
  }
  const openAuthorization = (page: Page, overrides = {}) =>
    page.goto(
      `${host.address}/connect/authorize?${new URLSearchParams(authorizationRequestOf(app(), createPkce(), overrides))}`,
    )
  const submitSignIn = async (page: Page, login: string, given: string) => {
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password').fill(given)
    await page.keyboard.press('Enter')
  }

  for (const colorScheme of ['light', 'dark'] as const)
    it(`lead through sign-in, consent and sign-out in ${colorScheme} colours`, async () => {
      const { login } = await host.addAccount()
      const page = await open({ colorScheme, viewport: { width: 320, height: 640 } })
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      await openAuthorization(page)
      await page.locator('[name=login]:focus').waitFor()
      await assertAccessible(page, 'sign-in')
      await submitSignIn(page, login, 'Wrong-Horse-1')
      await page.getByRole('alert').waitFor()
      await assertAccessible(page, 'sign-in after a wrong password')
      await submitSignIn(page, login, password)
      await page.getByRole('heading', { name: 'Allow The app?' }).waitFor()
      await assertAccessible(page, 'consent')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      // The callback redirects to another origin of the client.
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      // The client is another site, because its URL has the name localhost, while this host has an IP address.
      // So this host asks before it signs the user out.
      await page.evaluate(`location.assign('${host.address}/connect/endsession?client_id=app')`)
      await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
      await assertAccessible(page, 'sign-out')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      await assertAccessible(page, 'signed out')
      assert.deepEqual(await page.context().cookies(host.address), [])
      assert.deepEqual(complaints, [])
    })

  it('sign out without a question if the user typed the URL, and ignore an unregistered return address', async () => {
    const { login } = await host.addAccount()
    const page = await open({ viewport: { width: 320, height: 640 } })
    await openAuthorization(page)
    await submitSignIn(page, login, password)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    const unknown = new URLSearchParams({
      client_id: 'app',
      post_logout_redirect_uri: 'https://evil.example/',
    })
    await page.goto(`${host.address}/connect/endsession?${unknown}`)
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.getByText('not registered for it, so you stay on this page').waitFor()
    await assertAccessible(page, 'signed out, without an address to go on to')
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    assert.deepEqual(await page.context().cookies(host.address), [])
  })

  it('work without scripts, with a button that posts the response to the client', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { login } = await host.addAccount()
      const page = await open({ javaScriptEnabled })
      await openAuthorization(page, { response_mode: 'form_post' })
      await submitSignIn(page, login, password)
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      assert.match(clientServer.posted().at(-1) ?? '', /^code=[\w-]{43}&state=state-1&iss=/)
    }
  })

  it('cannot be shown in a frame', async () => {
    const page = await open()
    const address = `${host.address}/ext/signed-out`
    await page.goto(clientServer.home)
    await page.evaluate(
      `new Promise((done) => { const frame = document.createElement('iframe'); frame.onload = done; frame.src = '${address}'; document.body.append(frame) })`,
    )
    assert.equal(
      page.frames().some((frame) => frame.url() === address),
      false,
    )
  })
})

/** Starts a client whose callback redirects to another of its origins. */
async function startClient() {
  const posted: string[] = []
  const servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const [callback = '', home = ''] = servers.map(
    (server) => `http://localhost:${(server.address() as AddressInfo).port}/`,
  )
  servers[0]?.on('request', async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    posted.push(body)
    response.writeHead(303, { location: home }).end()
  })
  servers[1]?.on('request', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      '<!doctype html><html lang="en"><title>Home</title><link rel="icon" href="data:,"><h1>Home</h1>',
    )
  })
  return {
    callback,
    home,
    posted: () => posted,
    async stop() {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

describe('setting up a second factor at the sign-in, in a real browser', {
  skip: chromiumPath === undefined && 'No Chromium is installed.',
}, () => {
  let browser: SharedBrowser
  let host: IdentityUnderTest
  /**
   * The client. It must respond: otherwise, the redirect would still be loading when the next page is opened.
   */
  const client = createServer((_request, response) => response.end('Welcome.'))
  let app: TestClient
  before(async () => {
    await once(client.listen(0, '127.0.0.1'), 'listening')
    const callback = `http://localhost:${(client.address() as AddressInfo).port}/callback`
    app = {
      id: 'app',
      redirectUri: callback,
      postLogoutRedirectUri: callback,
      extraSettings: { FirstParty: 'true' },
    }
    ;[browser, host] = await Promise.all([
      launchChromium(),
      startIdentityUnderTest({
        hostName: 'localhost',
        environment: {
          ...registrationOf(app),
          Identity__SecondFactor: 'all',
          Identity__PasskeyDomain: 'localhost',
          MAIL_FROM: 'tracker@example.com',
        },
      }),
    ])
  })
  after(async () => {
    await browser?.close()
    await host?.stop()
    client.closeAllConnections()
    client.close()
  })

  const open = async (options = {}) => {
    const page = await (await browser.newContext(options)).newPage()
    page.setDefaultTimeout(browserMillisecondsMax)
    return page
  }
  const signIn = async (page: Page, login: string) => {
    await page.goto(
      `${host.address}/connect/authorize?${new URLSearchParams(authorizationRequestOf(app, createPkce(), { prompt: 'login' }))}`,
    )
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
  }
  const untilBack = (page: Page) =>
    page.waitForURL((address) => address.href.startsWith(`${app.redirectUri}?code=`))

  for (const colorScheme of ['light', 'dark'] as const)
    it(`works with an app, in ${colorScheme} colours`, async () => {
      const { login } = await host.addAccount()
      const page = await open({ colorScheme, viewport: { width: 320, height: 640 } })
      await signIn(page, login)
      await page.getByRole('heading', { name: 'Set up a second step' }).waitFor()
      await assertAccessible(page, 'set-up')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
      await page.getByLabel('Code shown by the app').fill(testApp(host, secret).code())
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      await assertAccessible(page, 'recovery codes')
      const back = untilBack(page)
      await page.getByRole('link', { name: 'I have saved them' }).click()
      await back
    })

  it('works with a passkey, which the next sign-in asks for', async () => {
    const { login } = await host.addAccount()
    const page = await open()
    await addAuthenticator(page)
    await signIn(page, login)
    await page.getByRole('button', { name: 'Use a passkey instead' }).click()
    const first = untilBack(page)
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await first
    await signIn(page, login)
    const second = untilBack(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await second
  })

  it('works without scripts', async () => {
    const { login } = await host.addAccount()
    const page = await open({ javaScriptEnabled: false })
    await signIn(page, login)
    const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
    assert.equal(await page.getByRole('button', { name: 'Use a passkey instead' }).isVisible(), false)
    await page.getByLabel('Code shown by the app').fill(testApp(host, secret).code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'I have saved them' }).waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`is not needed to request a link for a forgotten password, in ${colorScheme} colours`, async () => {
      const page = await open({ colorScheme, viewport: { width: 320, height: 640 } })
      await page.goto(
        `${host.address}/connect/authorize?${new URLSearchParams(authorizationRequestOf(app, createPkce()))}`,
      )
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByLabel('Login').fill('nobody@example.com')
      await assertAccessible(page, 'forgotten password')
      await page.getByRole('button', { name: 'Send the link' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await assertAccessible(page, 'the mail is on its way')
      await page.getByRole('link', { name: 'Back to sign-in' }).click()
      await page.getByLabel('Password').waitFor()
    })
})
