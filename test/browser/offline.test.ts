import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import type { Stage } from './support/stage.ts'

const withWorker = { serviceWorkers: 'allow' } as const

/** Waits until the worker has kept the files of the client. */
async function waitForWorker(page: Page): Promise<void> {
  await page
    .getByLabel('Password')
    .or(page.getByRole('button', { name: /^Account of/ }))
    .waitFor()
  const state = `navigator.serviceWorker.ready.then(({ active }) => active.state)`
  await until(async () => (await page.evaluate(state)) === 'activated', 'the service worker')
}

function installationJourneys(stage: () => Stage): void {
  test('nothing keeps the client from being installed', async () => {
    const page = await stage().visit('/projects')
    await page.getByLabel('Password').waitFor()
    const browser = await page.context().newCDPSession(page)
    const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors')
    assert.deepEqual(installabilityErrors, [])
    const { url, errors } = await browser.send('Page.getAppManifest')
    assert.deepEqual([url, errors], [`${stage().hosts.web}/manifest.webmanifest`, []])
  })

  test('the window of the installed client has the colour of the theme, chosen or not', async () => {
    const page = await stage().signIn('mara@example.com', '/projects', { colorScheme: 'light' })
    const colour = () =>
      page.evaluate(
        `[...document.querySelectorAll('meta[name=theme-color]')].find((meta) => matchMedia(meta.media).matches).content`,
      )
    assert.equal(await colour(), '#fbfcfd')
    await page.getByRole('button', { name: 'Use dark theme' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    assert.equal(await colour(), '#101214')
    await page.reload()
    assert.equal(await colour(), '#101214')
    await page.getByRole('button', { name: 'Use light theme' }).click()
    await page.locator('html[data-theme=light]').waitFor()
  })

  test('a page opens without a network, and says that the server cannot be reached', async () => {
    const page = await stage().visit('/projects', withWorker)
    await waitForWorker(page)
    await page.context().setOffline(true)
    await page.goto(`${stage().hosts.web}/week`)
    await page.getByText('The sign-in service cannot be reached.').waitFor()
  })

  test('a new version replaces the files of the one before the last', async () => {
    const page = await stage().visit('/icon.svg', withWorker)
    await page.evaluate(
      `Promise.all(['tracker-files-1', 'tracker-files-2', 'other'].map((name) => caches.open(name)))`,
    )
    await page.goto(`${stage().hosts.web}/projects`)
    await waitForWorker(page)
    const names = await page.evaluate<string[]>(`caches.keys()`)
    assert.deepEqual(names.slice(0, 2), ['tracker-files-2', 'other'])
    assert.equal(names.length, 3)
  })
}

describeInBrowser('Without a network', { installing: installationJourneys })
