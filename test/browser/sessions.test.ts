import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Route } from 'playwright-core'
import { sql } from '../../src/db/sql.ts'
import { type BrowserSetup, fillSignIn } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import { chooseOrganization } from './support/workspace.ts'

const storedSession = `localStorage.getItem('tracker.session')`

/** Returns a script that changes fields of the stored session. */
const changeSession = (changes: object) =>
  `localStorage.setItem('tracker.session', JSON.stringify({ ...JSON.parse(${storedSession}), ...${JSON.stringify(changes)} }));`

/** Returns a script that makes the access token expire, with further changes to the stored session. */
const expireToken = (changes: object = {}) => changeSession({ expiresAt: 0, ...changes })

const tokenError = (status: number, error: string) => ({
  status,
  headers: { 'access-control-allow-origin': '*' },
  json: { error, message: 'From a test.' },
})

function countRefreshes(context: BrowserContext): () => number {
  let count = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/connect/token') && request.postData()?.includes('refresh_token')) count += 1
  })
  return () => count
}

function sessionJourneys(setup: () => BrowserSetup): void {
  test('is refreshed once for all tabs that need it', async () => {
    const { signIn, hosts, workspace } = setup()
    const first = await signIn((await workspace.join('Tom Tabs')).login, '/projects')
    const second = await first.context().newPage()
    await second.goto(`${hosts.web}/projects`)
    const third = await first.context().newPage()
    await third.goto(`${hosts.web}/projects`)
    const tabs = [first, second, third]
    for (const tab of tabs) await tab.getByText('Website relaunch').waitFor()
    const refreshes = countRefreshes(first.context())
    await first.evaluate(expireToken())
    await Promise.all(tabs.map((tab) => tab.reload()))
    for (const tab of tabs) await tab.getByText('Website relaunch').waitFor()
    assert.equal(refreshes(), 1)
    // The session is still active, although a second use of a refresh token would have ended it.
    await first.evaluate(expireToken())
    await first.reload()
    await first.getByText('Website relaunch').waitFor()
    assert.equal(refreshes(), 2)
  })

  test('continues with the provider’s cookie if its tab was closed during a refresh', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn((await workspace.join('Ines Interrupted')).login, '/projects')
    await page.getByText('Website relaunch').waitFor()
    const refreshes = countRefreshes(page.context())
    await page.evaluate(expireToken({ isRefreshing: true }))
    await page.reload()
    await page.getByText('Website relaunch').waitFor()
    assert.equal(refreshes(), 0)
  })

  test('continues with the provider’s cookie if another tab is closed during a refresh', async () => {
    const { hosts, signIn, workspace } = setup()
    const page = await signIn((await workspace.join('Ilja Interrupted')).login, '/projects')
    await page.getByText('Website relaunch').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${hosts.web}/projects`)
    await other.getByText('Website relaunch').waitFor()
    // An open page might refresh the session earlier.
    await page.goto('about:blank')
    const requested = Promise.withResolvers<void>()
    await other.route(`${hosts.issuer}/connect/token`, () => requested.resolve())
    // Both happen in one task, so that the old document sends no request.
    await other.evaluate(`{ ${expireToken()} location.reload() }`)
    await requested.promise
    await page.goto(`${hosts.web}/projects`, { waitUntil: 'commit' })
    await page.waitForFunction('navigator.locks.query().then(({ pending }) => pending.length === 1)')
    await other.close()
    await page.getByText('Website relaunch').waitFor()
  })

  test('is renewed in another tab after it has ended', async () => {
    const { signIn, workspace } = setup()
    const person = await workspace.join('Nora Newpass')
    const page = await signIn(person.login, '/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Written before the session ended')
    await chooseOrganization(page, 'Lighthouse Studio')
    const { id, login, name } = person
    await workspace.change('PATCH', 'user', { id, name, login, password: 'Another-Horse-2' })
    // `click` would fail if the page has already noticed the end, because a dialog then covers the button.
    await page.getByRole('button', { name: 'Create project' }).dispatchEvent('click')
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      ended.getByRole('button', { name: 'Sign in again' }).click(),
    ])
    const closed = tab.waitForEvent('close')
    await fillSignIn(tab, login, 'Another-Horse-2')
    await closed
    await ended.waitFor({ state: 'detached' })
    assert.equal(
      await page.getByLabel('Name', { exact: true }).inputValue(),
      'Written before the session ended',
    )
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Written before the session ended' }).waitFor()
  })

  test('shows an error if neither a new tab nor the provider can be opened to renew it', async () => {
    const { hosts, signIn, workspace } = setup()
    const page = await signIn((await workspace.join('Paula Popup')).login, '/projects')
    await page.getByText('Website relaunch').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${hosts.web}/projects`)
    // A page that starts with an ended session would sign in again, and close the dialog of the first page.
    await other.getByText('Website relaunch').waitFor()
    await other.evaluate('localStorage.setItem("tracker.session", JSON.stringify({ hasEnded: true }))')
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    await page.route(`${hosts.issuer}/.well-known/openid-configuration`, (route) => route.abort())
    await page.evaluate('window.open = () => null')
    await ended.getByRole('button', { name: 'Sign in again' }).click()
    await ended.getByText('The sign-in service cannot be reached.').waitFor()
  })

  test('ends if the server rejects even a new token', async () => {
    const { hosts, signIn, workspace } = setup()
    const page = await signIn((await workspace.join('Rita Rejected')).login, '/projects')
    await page.getByText('Website relaunch').waitFor()
    const refreshes = countRefreshes(page.context())
    await page.route(`${hosts.api}/**`, async (route) => {
      if (route.request().method() === 'OPTIONS') return route.fallback()
      const headers = { 'access-control-allow-origin': hosts.web }
      await route.fulfill({ status: 401, headers, json: { statusCode: 401, message: 'Unauthorized.' } })
    })
    await page.reload()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    assert.equal(refreshes(), 1)
  })

  test('leads to the sign-in page on a reload after it has ended', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn((await workspace.join('Enno Ended')).login, '/projects')
    await page.context().clearCookies()
    await page.evaluate('localStorage.setItem("tracker.session", JSON.stringify({ hasEnded: true }))')
    await page.reload()
    await page.getByLabel('Password').waitFor()
  })

  test('delays requests and new pages only for a limited time if the provider does not respond', async () => {
    const { hosts, signIn, workspace } = setup()
    const first = await signIn((await workspace.join('Hanna Hanging')).login, '/account')
    const context = first.context()
    // Shortens the time limits in the browser, so that the test does not wait for ten seconds.
    await context.addInitScript(`{
      const timeout = AbortSignal.timeout.bind(AbortSignal)
      window.limits = []
      AbortSignal.timeout = (milliseconds) => { limits.push(milliseconds); return timeout(localStorage.hasAnswers ? milliseconds : milliseconds / 20) }
    }`)
    const discovery = `${hosts.issuer}/.well-known/openid-configuration`
    await context.route(discovery, () => undefined)
    // The first page holds the lock until its reload, like a tab that refreshes the tokens. It takes the lock
    // before they expire, because it already knows the provider, and could refresh them.
    await first.evaluate(
      `void navigator.locks.request('tracker.refresh', () => new Promise(() => undefined))`,
    )
    await first.evaluate(expireToken({ isRefreshing: true }))
    const second = await context.newPage()
    await second.goto(`${hosts.web}/account`)
    await second.getByText('The server cannot be reached.').first().waitFor()
    await second.evaluate(changeSession({ isRefreshing: false }))
    await first.reload()
    await first.getByText('The server cannot be reached.').first().waitFor()
    assert.deepEqual([...new Set(await first.evaluate<number[]>('limits'))], [10_000])
    await first.evaluate(`localStorage.hasAnswers = 'true'`)
    // Both pages retry, but only the page that is opened next may get the responses.
    await second.close()
    await first.goto('about:blank')
    await context.unroute(discovery)
    const refreshed = first.waitForResponse(`${hosts.issuer}/connect/token`)
    await first.goto(`${hosts.web}/account`)
    assert.equal((await refreshed).status(), 200)
  })

  const refreshOutcomes: readonly {
    readonly outcome: string
    readonly firstName: string
    readonly answer: (route: Route) => Promise<void>
  }[] = [
    { outcome: 'gets new tokens', firstName: 'Nele', answer: (route) => route.continue() },
    {
      outcome: 'is rejected',
      firstName: 'Nils',
      answer: (route) => route.fulfill(tokenError(400, 'invalid_grant')),
    },
    {
      outcome: 'meets a busy provider',
      firstName: 'Nadja',
      answer: (route) => route.fulfill(tokenError(429, 'temporarily_unavailable')),
    },
    { outcome: 'loses its connection', firstName: 'Nino', answer: (route) => route.abort() },
  ]
  for (const { outcome, firstName, answer } of refreshOutcomes)
    test(`is kept if the refresh of an older session ${outcome}`, async () => {
      const { hosts, signIn, workspace } = setup()
      const page = await signIn((await workspace.join(`${firstName} Newer`)).login, '/projects')
      await page.getByText('Website relaunch').waitFor()
      const heldRoute = Promise.withResolvers<Route>()
      await page.route(`${hosts.issuer}/connect/token`, (route) => heldRoute.resolve(route))
      await page.evaluate(expireToken())
      await page.reload()
      const route = await heldRoute.promise
      await page.evaluate(changeSession({ refreshToken: 'newer', expiresAt: Date.now() + 3_600_000 }))
      const newerSession = await page.evaluate(storedSession)
      // This request gets the lock when the refresh has ended, and before the page can try again.
      await page.evaluate(`{
        globalThis.kept = navigator.locks.request('tracker.refresh', () => ${storedSession})
      }`)
      await answer(route)
      assert.equal(await page.evaluate('kept'), newerSession)
    })

  test('ends in this browser if new tokens are lost in transit', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id, login } = await workspace.join('Lara Lost')
    const page = await signIn(login, '/projects')
    await page.getByText('Website relaunch').waitFor()
    const refreshes = countRefreshes(page.context())
    const address = `${hosts.issuer}/connect/token`
    await page.route(address, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.evaluate(expireToken())
    await page.reload()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    assert.equal(await page.evaluate(storedSession), '{"hasEnded":true}')
    await page.unroute(address)
    await page.reload()
    await page.getByText('Website relaunch').waitFor()
    assert.equal(refreshes(), 1)
    const [session] = await hosts.database.query<{ count: number }>(
      sql`select count(*)::int as count from signin_sessions where user_id = ${id} and ended_at is null`,
    )
    assert.equal(session?.count, 1)
  })

  for (const { status, firstName } of [
    { status: 429, firstName: 'Bea' },
    { status: 503, firstName: 'Ben' },
  ])
    test(`continues with the same tokens after the provider has responded with ${status}`, async () => {
      const { hosts, signIn, workspace } = setup()
      const page = await signIn((await workspace.join(`${firstName} Busy`)).login, '/account')
      const address = `${hosts.issuer}/connect/token`
      await page.route(address, (route) => route.fulfill(tokenError(status, 'temporarily_unavailable')))
      await page.evaluate(expireToken())
      await page.reload()
      await page.getByText('The server cannot be reached.').first().waitFor()
      await page.unroute(address)
      const refreshed = page.waitForResponse(address)
      await page.reload()
      assert.equal((await refreshed).status(), 200)
    })

  test('is used until its token expires if the provider is not available', async () => {
    const { hosts, signIn, workspace } = setup()
    const page = await signIn((await workspace.join('Vera Valid')).login, '/projects')
    await page.getByText('Website relaunch').waitFor()
    const busy = (route: Route) => route.fulfill(tokenError(503, 'temporarily_unavailable'))
    await page.route(`${hosts.issuer}/connect/token`, busy)
    const rejected = page.waitForResponse(`${hosts.issuer}/connect/token`)
    // The page refreshes the session before its next request, but the token is still valid.
    await page.evaluate(changeSession({ expiresAt: Date.now() + 85_000 }))
    await page.reload()
    await page.getByText('Website relaunch').waitFor()
    assert.equal((await rejected).status(), 503)
  })
}

describeInBrowser('For users who are signed in', { 'a session': sessionJourneys })
