import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { password } from '../support/cheap-passwords.ts'
import { chromiumPath, launchChromium, type OwnBrowser } from '../support/chromium.ts'
import type { Deployment } from '../support/deployment.ts'

/** A page of two lines takes milliseconds; a busy machine takes its time. */
const browserMillisecondsMax = 30_000

/** The flow as a browser client walks it, with the browser's own cookies, redirects and CORS. */
export function testFlowInBrowser(deployment: () => Deployment) {
  describe('in a real browser', { skip: chromiumPath === undefined && 'No Chromium is installed.' }, () => {
    let browser: OwnBrowser
    before(async () => {
      browser = await launchChromium()
    })
    after(() => browser?.close())

    const openPage = async () => {
      const page = await (await browser.newContext()).newPage()
      page.setDefaultTimeout(browserMillisecondsMax)
      return page
    }

    test('signs in after a wrong password, redeems, calls REST, refreshes, stays signed in, and signs out', async () => {
      const page = await openPage()
      await goToSignIn(page)
      await fillIn(page, deployment().person.login, 'Wrong-Horse-1')
      await page.waitForURL(/error=invalid/)
      await fillIn(page, deployment().person.login, password)
      const first = await redeem(page)
      assert.deepEqual(Object.keys(first).sort(), [
        'access_token',
        'expires_in',
        'id_token',
        'refresh_token',
        'scope',
        'token_type',
      ])
      assert.equal((await readMeFrom(page, first.access_token)).login, deployment().person.login)
      const second = await post(page, 'token', {
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token,
      })
      assert.equal((await readMeFrom(page, second.access_token)).login, deployment().person.login)
      // The cookie alone is enough for a second code.
      await startAt(page)
      assert.ok((await redeem(page)).access_token)
      const query = new URLSearchParams({
        id_token_hint: second.id_token,
        post_logout_redirect_uri: `${deployment().origin}/login/`,
      })
      await page.goto(`${deployment().identity.address}/connect/endsession?${query}`)
      assert.equal(page.url(), `${deployment().origin}/login/`)
      assert.equal((await readMeFrom(page, second.access_token)).statusCode, 401)
      assert.deepEqual(await page.context().cookies(deployment().identity.address), [])
      await goToSignIn(page)
    })

    test('loses the whole sign-in when a refresh token is used a second time', async () => {
      const page = await openPage()
      await goToSignIn(page)
      await fillIn(page, deployment().person.login, password)
      const { refresh_token } = await redeem(page)
      const use = () => post(page, 'token', { grant_type: 'refresh_token', refresh_token })
      const successor = await use()
      assert.equal((await use()).error, 'invalid_grant')
      assert.equal((await readMeFrom(page, successor.access_token)).statusCode, 401)
      await goToSignIn(page)
      assert.deepEqual(await page.context().cookies(deployment().identity.address), [])
    })

    test('keeps the identity cookie from scripts and from other sites’ posts', async () => {
      const page = await openPage()
      await goToSignIn(page)
      await fillIn(page, deployment().person.login, password)
      await redeem(page)
      const [cookie] = await page.context().cookies(deployment().identity.address)
      assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/'])
      const hours = ((cookie?.expires ?? 0) - Date.now() / 1000) / 3600
      assert.ok(hours > 7.9 && hours <= 8.01, `${hours} hours`)
    })

    /** Starts the flow on the client's own page, as its script does. */
    async function startAt(page: Page) {
      await page.goto(`${deployment().origin}/`)
      const address = await page.evaluate(
        async ([issuer, origin]) => {
          const encode = (bytes: Uint8Array) =>
            btoa(String.fromCharCode(...bytes)).replace(
              /[+/=]/g,
              (sign) => ({ '+': '-', '/': '_' })[sign] ?? '',
            )
          const verifier = encode(crypto.getRandomValues(new Uint8Array(32)))
          sessionStorage.setItem('verifier', verifier)
          const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
          const query = new URLSearchParams({
            client_id: 'svc-webclient',
            redirect_uri: `${origin}/signin-callback/`,
            response_type: 'code',
            scope: 'openid profile svc.api offline_access',
            code_challenge: encode(new Uint8Array(digest)),
            code_challenge_method: 'S256',
            state: 'from the browser',
          })
          return `${issuer}/connect/authorize?${query}`
        },
        [deployment().identity.address, deployment().origin] as const,
      )
      await page.goto(address)
    }

    async function goToSignIn(page: Page) {
      await startAt(page)
      assert.match(page.url(), new RegExp(`^${deployment().origin}/login/\\?authRequest=`))
    }

    async function fillIn(page: Page, login: string, secret: string) {
      await page.fill('[name=login]', login)
      await page.fill('[name=password]', secret)
      await page.click('button')
    }

    async function redeem(page: Page) {
      await page.waitForURL(/\/signin-callback\/\?code=/)
      const { searchParams } = new URL(page.url())
      assert.deepEqual(
        [searchParams.get('state'), searchParams.get('iss')],
        ['from the browser', deployment().identity.address],
      )
      return post(page, 'token', {
        grant_type: 'authorization_code',
        code: searchParams.get('code') ?? '',
        redirect_uri: `${deployment().origin}/signin-callback/`,
        code_verifier: await page.evaluate(() => sessionStorage.getItem('verifier') ?? ''),
      })
    }

    /** From the page's own script, so that the browser applies CORS. */
    // biome-ignore lint/suspicious/noExplicitAny: an answer is what came over the network
    const post = (page: Page, endpoint: string, form: Readonly<Record<string, string>>): Promise<any> =>
      page.evaluate(
        async ([address, fields]) => {
          const body = new URLSearchParams({ client_id: 'svc-webclient', ...fields })
          return (await fetch(address, { method: 'POST', body })).json()
        },
        [`${deployment().identity.address}/connect/${endpoint}`, form] as const,
      )

    // biome-ignore lint/suspicious/noExplicitAny: an answer is what came over the network
    const readMeFrom = (page: Page, token: string): Promise<any> =>
      page.evaluate(
        async ([address, authorization]) => (await fetch(address, { headers: { authorization } })).json(),
        [`${deployment().rest.address}/api/me`, `Bearer ${token}`] as const,
      )
  })
}
