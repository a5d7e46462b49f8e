import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { assertAccessible } from '../browser/journeys/accessibility.ts'
import { createPkce } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { chromiumPath, launchChromium, type OwnBrowser } from '../support/chromium.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { registrationOf, requestAt } from '../support/registered-clients.ts'

/** A busy machine takes its time. */
const browserMillisecondsMax = 30_000

describe('the pages of the identity host, in a real browser', {
  skip: chromiumPath === undefined && 'No Chromium is installed.',
}, () => {
  let browser: OwnBrowser
  let host: IdentityUnderTest
  let clientServer: Awaited<ReturnType<typeof startClient>>
  before(async () => {
    clientServer = await startClient()
    ;[browser, host] = await Promise.all([
      launchChromium(),
      startIdentityUnderTest({
        environment: registrationOf({
          ...app(),
          others: { RedirectUris__1: clientServer.home, Name: 'The app' },
        }),
      }),
    ])
  })
  after(async () => {
    await browser?.close()
    await host?.stop()
    await clientServer?.stop()
  })

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
  const goTo = (page: Page, others = {}) =>
    page.goto(
      `${host.address}/connect/authorize?${new URLSearchParams(requestAt(app(), createPkce(), others))}`,
    )
  const fillIn = async (page: Page, secret: string, login: string) => {
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password').fill(secret)
    await page.keyboard.press('Enter')
  }

  for (const colorScheme of ['light', 'dark'] as const)
    it(`lead through sign-in, consent and sign-out in ${colorScheme} colours, and axe has nothing to complain of`, async () => {
      const { login } = await host.addAccount()
      const page = await open({ colorScheme, viewport: { width: 320, height: 640 } })
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      await goTo(page)
      await page.locator('[name=login]:focus').waitFor()
      await assertAccessible(page, 'sign-in')
      await fillIn(page, 'Wrong-Horse-1', login)
      await page.getByRole('alert').waitFor()
      await assertAccessible(page, 'sign-in after a wrong password')
      await fillIn(page, password, login)
      await page.getByRole('heading', { name: 'Allow The app?' }).waitFor()
      await assertAccessible(page, 'consent')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      // Over the callback to another address of the client.
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      // The page of the client is of another site: this host has the name of the machine, that page its number.
      await page.evaluate(`location.assign('${host.address}/connect/endsession?client_id=app')`)
      await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
      await assertAccessible(page, 'sign-out')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      await assertAccessible(page, 'signed out')
      assert.deepEqual(await page.context().cookies(host.address), [])
      assert.deepEqual(complaints, [])
    })

  it('ask no user who typed the address of the sign-out, and say when it leads nowhere', async () => {
    const { login } = await host.addAccount()
    const page = await open({ viewport: { width: 320, height: 640 } })
    await goTo(page)
    await fillIn(page, password, login)
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

  it('work without scripts, and lead a post to the client by a button then', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { login } = await host.addAccount()
      const page = await open({ javaScriptEnabled })
      await goTo(page, { response_mode: 'form_post' })
      await fillIn(page, password, login)
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      assert.match(clientServer.posted().at(-1) ?? '', /^code=[\w-]{43}&state=state-1&iss=/)
    }
  })

  it('are shown in no frame', async () => {
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

/** A callback that leads on to another origin of the same client. */
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
