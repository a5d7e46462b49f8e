import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../browser/journeys/accessibility.ts'
import { createPkce } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { chromiumPath, launchChromium, type OwnBrowser } from '../support/chromium.ts'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { registrationOf, requestAt, type TestClient } from '../support/registered-clients.ts'
import { testApp } from '../support/second-factors.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

/** A busy machine takes its time. */
const browserMillisecondsMax = 30_000

describe('setting up a second factor at the sign-in, in a real browser', {
  skip: chromiumPath === undefined && 'No Chromium is installed.',
}, () => {
  let browser: OwnBrowser
  let host: IdentityUnderTest
  /** The client, which responds: a page that cannot load would still be loading when the next one is opened. */
  const client = createServer((_request, response) => response.end('Welcome.'))
  let app: TestClient
  before(async () => {
    await once(client.listen(0, '127.0.0.1'), 'listening')
    const callback = `http://localhost:${(client.address() as AddressInfo).port}/callback`
    app = {
      id: 'app',
      redirectUri: callback,
      postLogoutRedirectUri: callback,
      others: { FirstParty: 'true' },
    }
    ;[browser, host] = await Promise.all([
      launchChromium(),
      startIdentityUnderTest({
        isNamed: true,
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
  const goTo = async (page: Page, login: string) => {
    await page.goto(
      `${host.address}/connect/authorize?${new URLSearchParams(requestAt(app, createPkce(), { prompt: 'login' }))}`,
    )
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
  }
  const isBack = (page: Page) =>
    page.waitForURL((address) => address.href.startsWith(`${app.redirectUri}?code=`))

  for (const colorScheme of ['light', 'dark'] as const)
    it(`works with an app, in ${colorScheme} colours`, async () => {
      const { login } = await host.addAccount()
      const page = await open({ colorScheme, viewport: { width: 320, height: 640 } })
      await goTo(page, login)
      await page.getByRole('heading', { name: 'Set up a second step' }).waitFor()
      await assertAccessible(page, 'set-up')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
      await page.getByLabel('Code shown by the app').fill(testApp(host, secret).code())
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      await assertAccessible(page, 'recovery codes')
      const back = isBack(page)
      await page.getByRole('link', { name: 'I have saved them' }).click()
      await back
    })

  it('works with a passkey, which is then asked for on this host', async () => {
    const { login } = await host.addAccount()
    const page = await open()
    await addAuthenticator(page)
    await goTo(page, login)
    await page.getByRole('button', { name: 'Use a passkey instead' }).click()
    const first = isBack(page)
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await first
    await goTo(page, login)
    const second = isBack(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await second
  })

  it('works without scripts', async () => {
    const { login } = await host.addAccount()
    const page = await open({ javaScriptEnabled: false })
    await goTo(page, login)
    const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
    assert.equal(await page.getByRole('button', { name: 'Use a passkey instead' }).isVisible(), false)
    await page.getByLabel('Code shown by the app').fill(testApp(host, secret).code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'I have saved them' }).waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`is not required after a forgotten password, in ${colorScheme} colours`, async () => {
      const page = await open({ colorScheme, viewport: { width: 320, height: 640 } })
      await page.goto(
        `${host.address}/connect/authorize?${new URLSearchParams(requestAt(app, createPkce()))}`,
      )
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByLabel('Login').fill('nobody@example.com')
      await assertAccessible(page, 'forgotten password')
      await page.getByRole('button', { name: 'Send the link' }).click()
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
      await assertAccessible(page, 'the mail is on its way')
      await page.getByRole('link', { name: 'Back to sign-in' }).click()
      await page.getByLabel('Password').waitFor()
    })
})
