import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { fillSignIn, type Stage } from '../support/stage.ts'

/** As if the access token had run out, and whatever else has happened to the stored session. */
const age = (changes = '') =>
  `localStorage.setItem('tracker.session', JSON.stringify({ ...JSON.parse(localStorage.getItem('tracker.session')), expiresAt: 0 ${changes} }))`

function countRefreshes(context: BrowserContext): () => number {
  let count = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/connect/token') && request.postData()?.includes('refresh_token')) count += 1
  })
  return () => count
}

export function sessionJourneys(stage: () => Stage): void {
  test('is refreshed once, however many tabs need it', async () => {
    const { signIn, hosts, workspace } = stage()
    const first = await signIn((await workspace.join('Tom Tabs')).login, '/projects')
    const second = await first.context().newPage()
    await second.goto(`${hosts.web}/projects`)
    const third = await first.context().newPage()
    await third.goto(`${hosts.web}/projects`)
    const tabs = [first, second, third]
    for (const tab of tabs) await tab.getByText('Website relaunch').waitFor()
    const refreshes = countRefreshes(first.context())
    await first.evaluate(age())
    await Promise.all(tabs.map((tab) => tab.reload()))
    for (const tab of tabs) await tab.getByText('Website relaunch').waitFor()
    assert.equal(refreshes(), 1)
    // The session has survived: a second use of a refresh token would have ended it.
    await first.evaluate(age())
    await first.reload()
    await first.getByText('Website relaunch').waitFor()
    assert.equal(refreshes(), 2)
  })

  test('goes on with the provider’s cookie when a tab was closed in the middle of a refresh', async () => {
    const { signIn, workspace } = stage()
    const page = await signIn((await workspace.join('Ines Interrupted')).login, '/projects')
    await page.getByText('Website relaunch').waitFor()
    const refreshes = countRefreshes(page.context())
    await page.evaluate(age(', isSpending: true'))
    await page.reload()
    await page.getByText('Website relaunch').waitFor()
    assert.equal(refreshes(), 0)
  })

  test('can end in another tab without losing any input', async () => {
    const { signIn, workspace } = stage()
    const person = await workspace.join('Nora Newpass')
    const page = await signIn(person.login, '/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Written before the session ended')
    await page.getByLabel('Organization').selectOption('Lighthouse Studio')
    const { id, login, name } = person
    await workspace.change('PATCH', 'user', { id, name, login, password: 'Another-Horse-2' })
    await page.getByRole('button', { name: 'Create project' }).click()
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

  test('ends when the server takes not even a new token', async () => {
    const { hosts, signIn, workspace } = stage()
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

  test('that has ended leads to the sign-in page when the page is loaded again', async () => {
    const { signIn, workspace } = stage()
    const page = await signIn((await workspace.join('Enno Ended')).login, '/projects')
    await page.context().clearCookies()
    await page.evaluate('localStorage.setItem("tracker.session", JSON.stringify({ hasEnded: true }))')
    await page.reload()
    await page.getByLabel('Password').waitFor()
  })
}
